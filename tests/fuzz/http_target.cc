#include <algorithm>
#include <cstring>

#include "runtime/http/response_reader.h"
#include "tests/fuzz/targets.h"

namespace trainwarden::fuzz {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20U;

Result<http::Response> read_in_pieces(std::string_view bytes, std::size_t piece) {
  http::ResponseReader reader(kMost, [&](char* to, std::size_t size) -> Result<std::size_t> {
    const std::size_t count = std::min({size, piece, bytes.size()});
    if (count > 0) std::memcpy(to, bytes.data(), count);
    bytes.remove_prefix(count);
    return count;
  });
  return reader.read();
}

}  // namespace

void http_response(std::string_view bytes) {
  const auto whole = read_in_pieces(bytes, bytes.size());
  for (const std::size_t piece : {1U, 13U}) {
    const auto split = read_in_pieces(bytes, piece);
    require(whole.has_value() == split.has_value(), "pieces mean what the whole means");
    if (!whole) {
      require(whole.error().code == split.error().code, "pieces are refused as the whole is");
      continue;
    }
    require(whole->status == split->status && whole->headers == split->headers &&
                whole->body == split->body,
            "pieces mean what the whole means");
  }
  if (!whole) {
    require(!whole.error().message.empty(), "what is refused says why");
    return;
  }
  require(whole->status >= 200 && whole->status <= 599, "an answer has a final status");
  require(whole->body.size() <= std::min(kMost, bytes.size()), "a body is what was sent, at most");
  for (const auto& [name, value] : whole->headers) {
    require(!name.empty() && name.find_first_of(" \t:") == std::string::npos,
            "a header has a name");
    require((name + value).find_first_of(std::string_view("\0\r\n", 3)) == std::string::npos,
            "a header is one line");
  }
}

}  // namespace trainwarden::fuzz
