// Commands that process JSONL: each line is one object, and is answered with one line at once.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace trainwarden::cli {

// The answer to one line, without the line break. A broken line is answered with {"error": …}.
struct Answered {
  std::string line;
  bool broken = false;
};

// Answers each line of `in` on `out` and skips empty lines. Broken lines are also reported on
// `errors`, by line number. Returns the exit status: 0, 1 if a line was broken, 2 if reading or
// writing failed.
int answer_lines(std::FILE* in, std::FILE* out, std::FILE* errors,
                 const std::function<Answered(std::string_view line)>& answer);

}  // namespace trainwarden::cli
