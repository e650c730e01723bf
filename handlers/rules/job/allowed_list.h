// The lists in the template's parameters: roles and instance types that copies may have, buckets
// that may be listed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// An entry may end with `*`, which stands for anything; an empty list allows all.
inline bool is_allowed(std::span<const std::string> list, std::string_view name) {
  return list.empty() || std::ranges::any_of(list, [name](std::string_view allowed) {
           if (!allowed.ends_with('*')) return name == allowed;
           return name.starts_with(allowed.substr(0, allowed.size() - 1));
         });
}

// IAM's StringLike: `*` stands for any characters, `?` for one.
inline bool is_like(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;  // by that `*`, up to here
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace trainwarden::rules
