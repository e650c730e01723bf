// Commands that answer JSONL line by line: one object in, one out, each as soon as it is answered.
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

// Answers each line of in on out and skips empty lines. Broken ones are reported on errors too, by
// number. The exit status: 0, 1 where a line was broken, 2 where reading or writing failed.
int answer_lines(std::FILE* in, std::FILE* out, std::FILE* errors,
                 const std::function<Answered(std::string_view line)>& answer);

}  // namespace trainwarden::cli
