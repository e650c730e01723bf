// Whole numbers within a text: ranks, statuses, clocks.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace trainwarden::rules {

struct LeadingNumber {
  int value;
  std::size_t size;  // how many characters it takes
};

// The number that begins a text, `-` before it or not; nullopt where there is none that an int can
// hold.
std::optional<LeadingNumber> leading_number(std::string_view text);

}  // namespace trainwarden::rules
