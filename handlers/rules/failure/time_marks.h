// Times as loggers write them before what they say.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainwarden::rules {

// What may be a time at the beginning of a text.
struct TimeDigits {
  std::size_t size = 0;  // 0: nothing that may be one
  std::size_t digits = 0;
  int marks = 0;       // `:`, `-` and `/` between digits
  bool month = false;  // begins with the name of a month, as syslog's do
};
TimeDigits time_digits(std::string_view text);

// Whether it is made of what times are made of.
bool is_time(std::string_view text);

// Whether a text begins so: `0` stands for a digit, `_` for one of the characters that part a date
// from a time.
bool has_form(std::string_view text, std::string_view form, std::string_view parts);

}  // namespace trainwarden::rules
