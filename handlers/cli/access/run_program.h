// Runs another program without a shell and collects its output.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace trainwarden::cli {

struct Ran {
  int status = 0;      // exit status; 128 + the signal that ended it
  std::string output;  // may be secret
  std::string errors;  // what it wrote to stderr
};

// Finds the program on PATH, and runs it with this process's environment and an empty standard
// input. Keeps 64 KiB of each stream. The limit does not count while the program asks a person on
// the terminal, which afterwards is set as before. kNotFound: there is no such program, or it may
// not be executed; kTimeout: it was killed at the limit.
Result<Ran> run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit);

}  // namespace trainwarden::cli
