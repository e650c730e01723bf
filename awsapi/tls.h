// Whom to trust: the Amazon roots are built in, so that no certificate file is read at start.
#pragma once

#include <string_view>

#include "runtime/base/environment.h"
#include "runtime/http/curl_transport.h"

namespace trainwarden::aws {

// PEM of Amazon Root CA 1 and Starfield Services Root CA G2, which AWS's endpoints chain to today:
// https://www.amazontrust.com/repository/
std::string_view amazon_roots();
// PEM of Amazon Root CA 2 to 4, which they may chain to: parsing a root takes 0.1 ms.
std::string_view late_amazon_roots();

// AWS_CA_BUNDLE, then SSL_CERT_FILE, replace the built-in roots; else, where no built-in root knows
// an issuer, the system's bundle is tried (private endpoints, other partitions, inspecting
// proxies). The User-Agent is the product, as in "trainwarden/1.2.3", and the libraries' versions.
http::CurlOptions transport_options(const Environment& environment,
                                    std::string_view product = "trainwarden");

}  // namespace trainwarden::aws
