// Runs another program without a shell, and waits for what it prints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace trainwarden::cli {

struct Ran {
  int status = 0;      // its exit status; 128 and more where a signal ended it
  std::string output;  // may be secret
  std::string errors;  // what it wrote to stderr
};

// The program is looked for on PATH, and reads nothing. It gets this process's environment. Of each
// stream 64 KiB are kept. kNotFound: there is no such program; kTimeout: it was ended at the limit.
Result<Ran> run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit);

}  // namespace trainwarden::cli
