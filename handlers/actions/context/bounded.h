// Keeps a record within the size of one log line: limits the length of texts and the number of
// items of lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::actions {

// The text; a longer one is cut at a character boundary and ends with "…".
inline constexpr std::size_t kLongestShown = 1024;
std::string shown(std::string_view text);

// An upper bound of a value's bytes in a line, without writing it: each character counts as its
// longest possible escape (runtime/json/one_line.h).
std::size_t size_in_line(const std::function<void(json::Sink&)>& fill);

}  // namespace trainwarden::actions
