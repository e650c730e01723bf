// `trainwarden match`: lines of {"pattern": …, "event": …} in, the same objects out, with what the
// reference matcher would say of them: "valid" and "match", or "why" where the pattern is none.
// Fact groups play no part. A line that is no such object is told and does not end the run.
#pragma once

#include <cstdio>
#include <string_view>

#include "handlers/cli/lines.h"

namespace trainwarden::cli {

Answered match_line(std::string_view line);

// As answer_lines().
int match_lines(std::FILE* in, std::FILE* out, std::FILE* errors);

}  // namespace trainwarden::cli
