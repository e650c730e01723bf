// Connections through an HTTP proxy, as HTTPS_PROXY and NO_PROXY name it: the proxy is asked to
// CONNECT to the host, and what it then passes on is the TLS between the host and us. libcurl is
// built without proxies, so that nothing in its environment can take a function's calls away from
// AWS; a program that wants one gives this to its CurlTransport.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/http/connector.h"

namespace trainwarden::http {

class ProxyTunnel final : public Connector {
 public:
  // https_proxy, else HTTPS_PROXY: http://[user:password@]host[:port], or without the scheme. Null
  // where neither is set. no_proxy, else NO_PROXY: names that stand for themselves and for what
  // ends with a dot and them, addresses, IPv4 networks (10.0.0.0/8), each with a port or none; `*`
  // for all; between commas or blanks. kInvalidConfig, naming the variable.
  static Result<std::shared_ptr<const ProxyTunnel>> from(const Environment& environment);

  // Those by https, but for NO_PROXY's.
  bool serves(std::string_view origin) const override;
  Result<int> open(std::string_view origin) const override;

 private:
  ProxyTunnel() = default;

  std::string variable_;
  std::string host_;
  std::string port_;
  std::string authorization_;  // may be secret
  std::vector<std::string> exceptions_;
};

}  // namespace trainwarden::http
