// `trainwarden diagnose`: lines of {"failure_reason": …, "log_tail": […]} in, the same objects out,
// with why such a job failed and whether to run it again: "label", "resume" and "evidence". Asks
// nobody. Of a line that is no such object, what it holds is kept beside the error.
#pragma once

#include <cstdio>
#include <string_view>

#include "handlers/cli/lines.h"

namespace trainwarden::cli {

// failure_reason: a text; log_tail: a list of texts, the oldest first, or one text. Either may be
// null or missing, not both missing.
Answered diagnose_line(std::string_view line);

// As answer_lines().
int diagnose_lines(std::FILE* in, std::FILE* out, std::FILE* errors);

}  // namespace trainwarden::cli
