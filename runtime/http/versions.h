// Which curl and which TLS library answer in this process. By their headers, which stand beside the
// archives that are linked: each start logs them, and to ask the libraries would load their pages.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::http {

struct LibraryVersions {
  std::string_view curl;  // "8.14.1"
  std::string_view tls;   // "OpenSSL/3.5.7"
};

LibraryVersions library_versions();

// As in a User-Agent: "curl/8.14.1 OpenSSL/3.5.7".
std::string product(const LibraryVersions& versions);

}  // namespace trainwarden::http
