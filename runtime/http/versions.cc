#include "runtime/http/versions.h"

#include <curl/curl.h>
#include <fmt/core.h>

namespace trainwarden::http {

LibraryVersions library_versions() {
  const curl_version_info_data* const info = curl_version_info(CURLVERSION_NOW);
  return {info->version, info->ssl_version};
}

std::string product(const LibraryVersions& versions) {
  return fmt::format("curl/{} {}", versions.curl, versions.tls);
}

}  // namespace trainwarden::http
