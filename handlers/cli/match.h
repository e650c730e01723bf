// `trainwarden match`: lines of {"pattern": …, "event": …} in, the same objects out, with what the
// reference matcher would say of them: "valid" and "match", or "why" where the pattern is none.
// Fact groups play no part. A line that is no such object is told and does not end the run.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace trainwarden::cli {

// The answer to one line, without the line break. A broken line is answered with {"error": …}.
struct Matched {
  std::string line;
  bool broken = false;
};
Matched match_line(std::string_view line);

// All lines of in, to out, each as soon as it is answered; empty lines are passed over. Broken ones
// are told on errors too, by number. The exit status: 0, 1 where a line was broken, 2 where reading
// or writing failed.
int match_lines(std::FILE* in, std::FILE* out, std::FILE* errors);

}  // namespace trainwarden::cli
