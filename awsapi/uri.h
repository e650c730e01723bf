// URI encoding as Signature Version 4 defines it (RFC 3986's unreserved characters stay).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainwarden::aws {

enum class KeepSlash : std::uint8_t { kNo, kYes };

// Every byte but A-Z a-z 0-9 - . _ ~ (and '/', if kept) becomes %XX.
std::string uri_encode(std::string_view text, KeepSlash keep_slash);
// %XX becomes a byte; what is no escape stays.
std::string uri_decode(std::string_view text);
// RFC 3986 5.2.4 with slashes merged; a closing slash stays.
std::string normalize_path(std::string_view path);
// Decoded, encoded, sorted by name, then by value.
std::string canonical_query(std::string_view query);

}  // namespace trainwarden::aws
