// `trainwarden check POLICY`: reports all mistakes of a policy file at once; where there is none,
// it warns of what is allowed but probably not intended. Each has its place in the file, so that
// editors and pipelines can jump to it.
#pragma once

#include <span>
#include <string>

#include "handlers/cli/terminal/text.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct CheckInputs {
  std::string path;     // "-" is standard input
  bool json = false;    // one document instead of lines
  bool strict = false;  // warnings count as mistakes
  Screen screen = {.columns = Screen::kUnbroken};
};

// kInvalidInput, saying what is missing or wrong in the arguments.
Result<CheckInputs> read_check(std::span<char* const> arguments);

// Status 0; 1 if there are mistakes, or warnings with `strict`; 2 if the file cannot be read.
Printed check(const CheckInputs& inputs);

}  // namespace trainwarden::cli
