// `trainwarden check POLICY`: all mistakes of a policy file at once; where there is none, warnings
// of what is allowed and probably not meant. Each has the place in the file, so that editors and
// pipelines can follow it.
#pragma once

#include <string>
#include <vector>

#include "handlers/cli/text.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct CheckInputs {
  std::string path;     // "-" is standard input
  bool json = false;    // one document instead of lines
  bool strict = false;  // warnings count as mistakes
  Screen screen = {.columns = Screen::kUnbroken};
};

// kInvalidInput: what the arguments lack.
Result<CheckInputs> read_check(const std::vector<char*>& arguments);

// Status 0; 1 where there are mistakes, or warnings and `strict`; 2 where the file cannot be read.
Printed check(const CheckInputs& inputs);

}  // namespace trainwarden::cli
