#include "runtime/http/versions.h"

#include <curl/curlver.h>
#include <fmt/core.h>
#include <openssl/opensslv.h>

namespace trainwarden::http {

LibraryVersions library_versions() { return {LIBCURL_VERSION, "OpenSSL/" OPENSSL_VERSION_STR}; }

std::string product(const LibraryVersions& versions) {
  return fmt::format("curl/{} {}", versions.curl, versions.tls);
}

}  // namespace trainwarden::http
