// The Transport over libcurl. Handles and connections are kept and reused per origin; libcurl
// is initialised with the first request, TLS with the first https request. A kept connection that
// turns out to be dead before a byte of the answer came (Lambda froze the process in between) is
// replaced, and the request sent on a new one. Of requests that go out together each has a
// connection, unless those that are open answer more quickly than another opens: then it waits for
// one of them, at most as long as that takes. Not thread-safe: one per process is the intended use.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/connector.h"
#include "runtime/http/transport.h"

namespace trainwarden::http {

struct CurlOptions {
  // Trusted roots: a PEM file, or else PEM text that outlives the transport.
  std::string ca_file;
  std::string_view ca_pem;
  // PEM text as well: roots that are trusted as soon as those above do not know an issuer.
  std::string_view late_ca_pem;
  // Tried once more with these files where none of the roots above knows the issuer; the first that
  // exists counts. Meant for interception proxies and partitions with other roots.
  std::vector<std::string> fallback_ca_files;
  std::chrono::milliseconds connect_timeout{3000};
  // For one attempt, besides the deadline. A call with Deadline::never() has no limit at all.
  std::chrono::milliseconds attempt_timeout{20000};
  std::size_t max_response_bytes = std::size_t{16} << 20U;
  std::string user_agent;
  // Opens the connections of the origins that it serves; null: curl opens all.
  std::shared_ptr<const Connector> connector = {};
};

class CurlTransport final : public Transport {
 public:
  CurlTransport(CurlOptions options, Clock& clock);
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  std::vector<Result<Response>> send(std::span<const Request> requests, Deadline deadline) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace trainwarden::http
