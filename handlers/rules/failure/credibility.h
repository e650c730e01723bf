// Whether words of a line mean what they say: an exception may only name them, a line may only
// mention them, and a program may say them of something of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/exceptions.h"
#include "handlers/rules/failure/failure_text.h"
#include "handlers/rules/failure/raised_by.h"

namespace trainwarden::rules {

// All offsets are those in the line's words.
class Credibility {
 public:
  // said, lower: the line's words as they are shown and in lower case; words: in lower; exceptions:
  // in said. All must outlive it; the exceptions may be found later.
  Credibility(const FailureText& text, std::size_t index, std::string_view said,
              std::string_view lower, LineWords words,
              const std::vector<FoundException>& exceptions)
      : text_(text),
        index_(index),
        line_(text.lines()[index]),
        said_(said),
        lower_(lower),
        words_(words),
        exceptions_(exceptions) {}

  // How far to go by words: those that say `yes` or `once` not at all (nullopt), or once, where an
  // exception of the program only names them. text: the signature's.
  std::optional<RunAgain> credible(FailureLabel label, RunAgain row_resume, std::size_t at,
                                   std::string_view text);

  // Whether a word stands in the message of an exception that is about names in the program:
  // "AttributeError: module 'botocore' has no attribute 'ThrottlingException'".
  bool quoted_by_the_program(std::size_t at) const;

  // Whether a word stands in what the program itself may have said, which names nothing outside of
  // it: "RuntimeError: node died: graph node 7".
  bool perhaps_of_the_program(std::size_t at, std::string_view text);

 private:
  const FoundException* exception_before(std::size_t at) const;
  // The last exception that is named at the offset or before it.
  const FoundException* exception_at(std::size_t at) const;
  RaisedBy raiser_of(const FoundException& found);
  bool speaks_of_the_outside(std::size_t from) const;
  bool only_mentions(std::size_t at, std::string_view text);
  bool is_a_name(std::size_t at) const;
  bool is_part_of_a_name(std::size_t at, std::string_view text) const;
  std::string_view name_of(const FoundException& found) const {
    return said_.substr(found.at, found.name);
  }

  const FailureText& text_;
  std::size_t index_;
  const Line& line_;
  std::string_view said_;
  std::string_view lower_;
  LineWords words_;
  const std::vector<FoundException>& exceptions_;
  std::vector<RaisedBy> raisers_;  // of exceptions_; empty: not looked for yet
  std::size_t mention_end_ = 0;    // 0: not looked for yet
};

}  // namespace trainwarden::rules
