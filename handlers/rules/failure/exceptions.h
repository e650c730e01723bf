// Exceptions that a line names: `ValueError: …`, `foo.BarError`. Which of them are the program's
// own failure, which mean something else, and which only wrap another's failure: by the name of
// the class, and where that does not tell by what it says.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/tables.h"

namespace trainwarden::rules {

struct ExceptionMeaning {
  Rank rank = Rank::kException;
  FailureLabel label = FailureLabel::kUserCode;
  RunAgain resume = RunAgain::kNo;
  About about = About::kNothing;
  bool by_message = false;  // the label is label_of() its message
};

struct FoundException {
  std::size_t at = 0;    // where its name begins
  std::size_t name = 0;  // the size of its name
  ExceptionMeaning meaning;
  bool python_s_own = false;  // a type of Python's, which programs raise
  std::string_view message;
};

// In the order of the line; wrappers are of Rank::kWrapper. ends_traceback: what begins the line is
// an exception whatever its class is called.
std::vector<FoundException> find_exceptions(std::string_view said, bool ends_traceback = false);

// Whether the line begins with the name of a class, as the end of a traceback does whose exception
// is called neither error nor exception: `ContextOverflow: …`, `queue.Empty`.
bool class_at_begin(std::string_view said);

// Whether the line begins as the end of a traceback does.
bool exception_at_begin(std::string_view said);

// name: of the class, without its module. message: what follows it.
ExceptionMeaning meaning_of(std::string_view name, std::string_view message);

// What the message of an exception is about whose type does not tell. lower: the same in lower
// case; may_miss: the line has a word that tells that something is not there.
FailureLabel label_of(std::string_view message, std::string_view lower, bool may_miss);

}  // namespace trainwarden::rules
