// `trainwarden match`: reads lines of {"pattern": …, "event": …} and writes each object with the
// reference matcher's verdict: "valid" and "match", or "why" where the pattern is not valid. Fact
// groups play no part. A line that is no such object is reported and does not end the run.
#pragma once

#include <cstdio>
#include <string_view>

#include "handlers/cli/lines.h"

namespace trainwarden::cli {

Answered match_line(std::string_view line);

// As answer_lines().
int match_lines(std::FILE* in, std::FILE* out, std::FILE* errors);

}  // namespace trainwarden::cli
