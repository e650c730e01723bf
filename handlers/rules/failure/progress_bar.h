// Progress bars, which end without a line break: what is said next follows on the same line.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainwarden::rules {

// Whether a line holds what bars hold: `%|`, `it/s` or `s/it`.
bool may_have_bar(std::string_view line);

// The length of ` 65%|██████▌   | 781/1199 [47:47:33<26:47:45, 230.78s/it]` at the beginning; 0 for
// none.
std::size_t bar_length(std::string_view rest);

// Where a bar begins that follows on what was said: `IndexError: index out of range  0%|  | 0/15`;
// 0 where none does. A bar may have a name: `Loading checkpoint shards:  50%|`.
std::size_t bar_behind(std::string_view line);

}  // namespace trainwarden::rules
