// The little of UTF-8 that writing JSON and cutting texts needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainwarden::json {

// Empty where text is valid UTF-8; else a copy in which each invalid byte became U+FFFD.
std::string mend_utf8(std::string_view text);

// The largest length, at most limit, at which text can be cut without halving a character.
std::size_t utf8_boundary(std::string_view text, std::size_t limit);

}  // namespace trainwarden::json
