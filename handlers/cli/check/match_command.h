// `trainwarden match`: reads lines of {"pattern": …, "event": …} and writes each object with the
// reference matcher's verdict: "valid" and "match", or "why" if the pattern is not valid. It knows
// nothing of fact groups. A line that is no such object is reported and does not end the run.
#pragma once

#include <cstdio>
#include <string_view>

#include "handlers/cli/terminal/lines.h"

namespace trainwarden::cli {

Answered match_line(std::string_view line);

// Returns as answer_lines() does.
int match_lines(std::FILE* in, std::FILE* out, std::FILE* errors);

}  // namespace trainwarden::cli
