// How the operators of a pattern compare texts: byte by byte, as the reference matcher does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// Each character of the pattern matches in lower or upper case.
bool equals_ignore_case(std::string_view pattern, std::string_view text);
bool starts_ignore_case(std::string_view pattern, std::string_view text);
bool ends_ignore_case(std::string_view pattern, std::string_view text);

// `*` stands for any bytes, none included; `\*` and `\\` for themselves. The pattern must be free
// of wildcard_mistake. Linear in the text for each `*`.
bool matches_wildcard(std::string_view pattern, std::string_view text);

// What is wrong with a wildcard pattern; nullopt where nothing is.
std::optional<std::string> wildcard_mistake(std::string_view pattern);

}  // namespace trainwarden::rules
