// The lists in the template's parameters: roles that copies may have, buckets that may be listed.
#pragma once

#include <algorithm>
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

}  // namespace trainwarden::rules
