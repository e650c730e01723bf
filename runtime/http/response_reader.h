// Reads one answer of HTTP/1.1 (RFC 9112), strictly: what two readers could take for two different
// answers is refused, as is a line that does not end with CR LF.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/http/transport.h"

namespace trainwarden::http {

class ResponseReader {
 public:
  // Puts at least one byte and at most `size` of them at `to`; 0 is the connection's end.
  using Receive = std::function<Result<std::size_t>(char* to, std::size_t size)>;

  ResponseReader(std::size_t max_body, Receive receive)
      : max_body_(max_body), receive_(std::move(receive)) {}

  // kBadResponse for what is no answer or too large, kConnection where it is cut short. Call once.
  Result<Response> read();
  // Whether a byte came.
  bool has_begun() const { return has_begun_; }
  // After a whole answer: whether the connection takes another request.
  bool keeps_connection() const { return keeps_connection_ && begin_ == end_; }

 private:
  Result<Response> read_head();
  Result<void> read_body(Response& response);
  Result<void> read_chunks(std::string& body);
  Result<std::string_view> line();  // without its end; valid until the next call
  Result<void> take(std::size_t bytes, std::string& body);
  Result<std::size_t> receive(char* to, std::size_t size);

  std::size_t max_body_;
  Receive receive_;
  bool has_begun_ = false;
  bool keeps_connection_ = true;
  std::size_t begin_ = 0;  // of what was received and not yet read
  std::size_t end_ = 0;
  std::array<char, 16384> buffer_;  // the longest line
};

}  // namespace trainwarden::http
