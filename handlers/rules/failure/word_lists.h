// Lists of words that a line is held against, each at its beginning or anywhere in it.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "handlers/rules/failure/bigrams.h"

namespace trainwarden::rules {

using Words = std::span<const std::string_view>;

inline bool starts_with_one(std::string_view text, Words words) {
  return !text.empty() && std::ranges::any_of(words, [text](std::string_view w) {
    return w[0] == text[0] && text.starts_with(w);
  });
}

inline bool has_one(std::string_view text, const Bigrams& pairs, Words words) {
  return std::ranges::any_of(words, [&](std::string_view w) {
    return pairs.may_have(w) && text.find(w) != std::string_view::npos;
  });
}

}  // namespace trainwarden::rules
