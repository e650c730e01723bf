// Exceptions that a program's output names: `ValueError: …`, `foo.BarError`. Which of them are the
// program's own failure, which mean something else, and which only wrap another's failure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/failure_signatures.h"

namespace trainwarden::rules {

struct FoundException {
  std::size_t at;  // where its name begins
  Rank rank;
  std::string_view label;
  std::string_view resume;
  bool about_names = false;   // of the program: what its message quotes did not happen
  bool about_values = false;  // of the program: what its message quotes is one of them
};

// In the order of the text (FailureText::shown()); wrappers are of Rank::kWrapper.
std::vector<FoundException> find_exceptions(std::string_view text);

}  // namespace trainwarden::rules
