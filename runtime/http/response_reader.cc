#include "runtime/http/response_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/base/ascii.h"

namespace trainwarden::http {
namespace {

constexpr std::size_t kMaxHead = std::size_t{64} << 10U;
constexpr int kMaxInterim = 8;

std::unexpected<Error> bad(std::string_view expected, std::string_view found) {
  constexpr std::size_t kShown = 40;
  return fail(ErrorCode::kBadResponse,
              fmt::format("expected {}, found `{}`", expected, found.substr(0, kShown)));
}

std::optional<std::size_t> number(std::string_view digits, int base) {
  std::size_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, base);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::string_view unpadded(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<Response> ResponseReader::read() {
  for (int interim = 0; interim <= kMaxInterim; ++interim) {
    TRY(Response response, read_head());
    if (response.status == 101) break;  // another protocol, for which nobody asked
    if (response.status < 200) continue;
    CHECK_OK(read_body(response));
    return response;
  }
  return bad("an answer", "interim ones only");
}

Result<Response> ResponseReader::read_head() {
  Response response;
  response.headers.reserve(12);
  TRY(std::string_view text, line());
  const bool is_http = text.starts_with("HTTP/1.1 ") || text.starts_with("HTTP/1.0 ");
  const auto status = number(is_http ? text.substr(9, 3) : "", 10);
  if (!status || *status < 100 || *status > 599 || (text.size() > 12 && text[12] != ' '))
    return bad("an answer of HTTP/1.1", text);
  response.status = static_cast<int>(*status);
  keeps_connection_ = text[7] == '1';
  for (std::size_t bytes = 0;;) {
    TRY(text, line());
    if (text.empty()) return response;
    bytes += text.size() + 2;
    if (bytes > kMaxHead) return bad("a head of at most 64 KiB", "more");
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() ||
        !std::ranges::all_of(name, [](char c) { return c > ' '; }))
      return bad("headers of a name, a colon and a value", "something else");
    response.headers.push_back({std::string(name), std::string(unpadded(text.substr(colon + 1)))});
  }
}

Result<void> ResponseReader::read_body(Response& response) {
  const std::string* length = nullptr;
  const std::string* coding = nullptr;
  for (const auto& [name, value] : response.headers) {
    // Any value that contains `close` counts: one more connection costs little.
    if (equal_ignoring_case(name, "Connection") &&
        !std::ranges::search(value, std::string_view("close"), {}, to_lower).empty())
      keeps_connection_ = false;
    const bool is_length = equal_ignoring_case(name, "Content-Length");
    if (!is_length && !equal_ignoring_case(name, "Transfer-Encoding")) continue;
    if (length != nullptr || coding != nullptr)
      return bad("one Content-Length or Transfer-Encoding", "two");
    (is_length ? length : coding) = &value;
  }
  if (response.status == 204 || response.status == 304) return {};
  if (coding != nullptr) {
    if (!equal_ignoring_case(*coding, "chunked")) return bad("Transfer-Encoding: chunked", *coding);
    return read_chunks(response.body);
  }
  if (length != nullptr) {
    const auto bytes = number(*length, 10);
    return bytes ? take(*bytes, response.body) : bad("a Content-Length in digits", *length);
  }
  for (keeps_connection_ = false;;) {  // the connection's end is the body's
    CHECK_OK(take(end_ - begin_, response.body));
    TRY(end_, receive(buffer_.data(), buffer_.size()));
    begin_ = 0;
    if (end_ == 0) return {};
  }
}

Result<void> ResponseReader::read_chunks(std::string& body) {
  for (std::size_t trailer = 0;;) {
    TRY(std::string_view text, line());
    const auto bytes = number(unpadded(text.substr(0, text.find(';'))), 16);
    if (!bytes) return bad("a chunk's size in hexadecimal digits", text);
    if (*bytes > 0) CHECK_OK(take(*bytes, body));
    do {  // behind a chunk stands an empty line, behind the last one perhaps fields before it
      TRY(text, line());
      trailer += text.size();
      if (!text.empty() && (*bytes > 0 || trailer > kMaxHead))
        return bad("a chunk as long as its size", "a longer one");
    } while (!text.empty());
    if (*bytes == 0) return {};
  }
}

Result<std::string_view> ResponseReader::line() {
  for (std::size_t seen = begin_;;) {
    const std::string_view held(buffer_.data(), end_);
    if (const std::size_t at = held.find('\n', seen); at != std::string_view::npos) {
      const std::string_view whole = held.substr(begin_, at - begin_);
      begin_ = at + 1;
      // A NUL or a CR alone ends a line for some readers.
      if (!whole.ends_with('\r') || whole.find('\r') + 1 < whole.size() ||
          whole.find('\0') != std::string_view::npos)
        return bad("lines that end with CR LF", "another");
      return whole.substr(0, whole.size() - 1);
    }
    seen = end_ - begin_;
    std::memmove(buffer_.data(), buffer_.data() + begin_, seen);
    begin_ = 0;
    end_ = seen;
    if (end_ == buffer_.size()) return bad("lines of at most 16 KiB", "a longer one");
    TRY(const std::size_t more, receive(buffer_.data() + end_, buffer_.size() - end_));
    if (more == 0) return fail(ErrorCode::kConnection, "the connection was closed");
    end_ += more;
  }
}

Result<void> ResponseReader::take(std::size_t bytes, std::string& body) {
  if (bytes > max_body_ - body.size())
    return fail(ErrorCode::kTooLarge,
                fmt::format("expected an answer of at most {} bytes, found more", max_body_));
  const std::size_t held = std::min(bytes, end_ - begin_);
  body.append(buffer_.data() + std::exchange(begin_, begin_ + held), held);
  for (bytes -= held; bytes > 0;) {
    const std::size_t had = body.size();
    Result<std::size_t> more = 0;
    body.resize_and_overwrite(had + bytes, [&](char* to, std::size_t) {
      more = receive(to + had, bytes);
      return had + more.value_or(0);
    });
    if (!more) return fail(std::move(more).error());
    if (*more == 0) return fail(ErrorCode::kConnection, "the connection was closed in an answer");
    bytes -= *more;
  }
  return {};
}

Result<std::size_t> ResponseReader::receive(char* to, std::size_t size) {
  auto bytes = receive_(to, size);
  has_begun_ = has_begun_ || bytes.value_or(0) > 0;
  return bytes;
}

}  // namespace trainwarden::http
