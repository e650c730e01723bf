// `trainwarden check POLICY`: all mistakes of a policy file at once.
#pragma once

#include <string>

namespace trainwarden::cli {

struct Printed {
  int status = 0;      // the exit status: 0 sound, 1 mistakes found, 2 the file cannot be read
  std::string output;  // for stdout
  std::string error;   // for stderr
};

// path "-" is standard input.
Printed check(const std::string& path);

}  // namespace trainwarden::cli
