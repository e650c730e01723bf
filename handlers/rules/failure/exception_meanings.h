// What exceptions mean, by the name of their class and by what they say.
#pragma once

#include <string_view>

#include "handlers/rules/failure/failure_signatures.h"

namespace trainwarden::rules {

struct ExceptionMeaning {
  Rank rank;
  std::string_view label;
  std::string_view resume;
  bool about_names = false;   // of the program: what its message quotes did not happen
  bool about_values = false;  // of the program: what its message quotes is one of them
};

// name: of the class, without its module. message: what follows it on its line. Where neither
// tells, it is the program's own failure.
ExceptionMeaning meaning_of(std::string_view name, std::string_view message);

// Whether the exception that a module calls only `error` means malformed input: `zlib.error`.
bool means_malformed_input(std::string_view module);

}  // namespace trainwarden::rules
