// HTTP as values: a Transport sends requests and answers with responses. An HTTP error status is a
// Response; only the lack of one is an Error (kConnection, kTimeout, kTls, kDeadline,
// kBadResponse).
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::http {

struct Header {
  std::string name;
  std::string value;
  bool operator==(const Header&) const = default;
};

using Headers = std::vector<Header>;

struct Request {
  std::string method;  // GET or POST
  std::string url;     // absolute, http or https
  Headers headers;     // no Host, Content-Length: the transport's own
  std::string body;
};

struct Response {
  int status = 0;
  Headers headers;
  std::string body;

  // The first header of that name, without regard to case.
  std::optional<std::string_view> header(std::string_view name) const;
};

// The one seam at which tests replace the network.
struct Transport {
  virtual ~Transport() = default;
  // Independent requests go out together; the results keep their order.
  virtual std::vector<Result<Response>> send(std::span<const Request> requests,
                                             Deadline deadline) = 0;
};

// One request.
Result<Response> send(Transport& transport, const Request& request, Deadline deadline);

// "host:port" as the Host header has it: without the scheme's default port; empty for a bad URL.
std::string host_header(std::string_view url);
// Path and query, at least "/".
std::string_view target(std::string_view url);

}  // namespace trainwarden::http
