// Which curl and which TLS library answer in this process, by their own word.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::http {

struct LibraryVersions {
  std::string_view curl;  // "8.14.1"
  std::string_view tls;   // "OpenSSL/3.5.7"
};

// Initialises neither of them.
LibraryVersions library_versions();

// As in a User-Agent: "curl/8.14.1 OpenSSL/3.5.7".
std::string product(const LibraryVersions& versions);

}  // namespace trainwarden::http
