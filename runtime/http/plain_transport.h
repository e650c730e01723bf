// The Transport for the Lambda Runtime API: HTTP/1.1 without TLS, over one connection that is kept,
// one request after the other. libcurl, which takes ten times the instructions, and OpenSSL with it
// then start with the first call to AWS. Not thread-safe: one per process is the intended use.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/transport.h"

namespace trainwarden::http {

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(Clock& clock, std::string user_agent = {},
                          std::size_t max_response_bytes = std::size_t{16} << 20U);
  ~PlainTransport() override;
  PlainTransport(const PlainTransport&) = delete;
  PlainTransport& operator=(const PlainTransport&) = delete;

  // A request that waits for an answer without a deadline sleeps until it comes. A GET is sent once
  // more where a kept connection ends before a byte of the answer; a POST, of which nobody knows
  // then what became of it, is not.
  std::vector<Result<Response>> send(std::span<const Request> requests, Deadline deadline) override;

 private:
  Result<Response> send_one(const Request& request);
  Result<void> connect();
  Result<void> connect_to(const sockaddr* address, socklen_t size);
  Result<void> write(std::string_view head, std::string_view body);
  Result<std::size_t> receive(char* to, std::size_t size);
  Result<short> wait_for(short events);
  bool is_silent() const;
  Error error(std::string_view doing, int code) const;
  void close();

  Clock& clock_;
  std::string user_agent_;
  std::size_t max_response_bytes_;
  Deadline deadline_ = Deadline::never();  // of the request at hand
  std::string host_;                       // that the connection leads to
  int socket_ = -1;
};

}  // namespace trainwarden::http
