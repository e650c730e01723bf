// The digests and encodings that signatures and identifiers need, over OpenSSL. Strings hold bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::localaws {

std::string hex(std::string_view bytes);
// nullopt: not hexadecimal digits in pairs.
std::optional<std::string> unhex(std::string_view text);
std::string base64(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
std::string hmac_sha256(std::string_view key, std::string_view bytes);

// As in zip and Ethernet (reflected, polynomial 0x04C11DB7).
std::uint32_t crc32(std::string_view bytes);

std::string random_bytes(std::size_t count);
// A random (version 4) UUID, e.g. request and event ids.
std::string random_uuid();

}  // namespace trainwarden::localaws
