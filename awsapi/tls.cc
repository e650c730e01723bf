#include "awsapi/tls.h"

#include <fmt/core.h>

#include "runtime/http/versions.h"

namespace trainwarden::aws {

std::string_view amazon_roots() {
  static constexpr std::string_view kAmazonRoots =
#include "awsapi/roots.inc"
      ;
  return kAmazonRoots;
}

std::string_view late_amazon_roots() {
  static constexpr std::string_view kLateRoots =
#include "awsapi/late_roots.inc"
      ;
  return kLateRoots;
}

http::CurlOptions transport_options(const Environment& environment, std::string_view product) {
  http::CurlOptions options;
  options.user_agent = fmt::format("{} {}", product, http::product(http::library_versions()));
  if (const auto bundle = environment.get("AWS_CA_BUNDLE")) {
    options.ca_file = *bundle;
  } else if (const auto file = environment.get("SSL_CERT_FILE")) {
    options.ca_file = *file;
  } else {
    options.ca_pem = amazon_roots();
    options.late_ca_pem = late_amazon_roots();
    // Amazon Linux 2023, then Debian.
    options.fallback_ca_files = {"/etc/pki/tls/certs/ca-bundle.crt",
                                 "/etc/ssl/certs/ca-certificates.crt"};
  }
  return options;
}

}  // namespace trainwarden::aws
