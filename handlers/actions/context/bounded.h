// What keeps a record within what one line of a log takes: how long a text is shown, and how many
// items of a list find room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::actions {

// The text, cut at a character's end where it is longer, with "…" behind it.
inline constexpr std::size_t kLongestShown = 1024;
std::string shown(std::string_view text);

// How many bytes a value takes in a line at most, without writing it: each character of it as the
// longest escape that it may become (runtime/json/one_line.h).
std::size_t size_in_line(const std::function<void(json::Sink&)>& fill);

}  // namespace trainwarden::actions
