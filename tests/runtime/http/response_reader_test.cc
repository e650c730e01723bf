#include "runtime/http/response_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace trainwarden::http::response_reader_test {
namespace {

using namespace std::string_literals;

constexpr std::size_t kMost = 1000;

struct Read {
  Result<Response> response;
  bool keeps_connection;
  bool has_begun;
};

// What a reader makes of the bytes, which come in pieces of at most so many.
Read read(std::string_view bytes, std::size_t piece) {
  ResponseReader reader(kMost, [&](char* to, std::size_t size) -> Result<std::size_t> {
    const std::size_t count = std::min({size, piece, bytes.size()});
    std::memcpy(to, bytes.data(), count);
    bytes.remove_prefix(count);
    return count;
  });
  auto response = reader.read();
  return {std::move(response), reader.keeps_connection() && bytes.empty(), reader.has_begun()};
}

TEST(ResponseReader, ReadsWhatIsAnAnswer) {
  const struct {
    std::string bytes;
    int status;
    std::string body;
    bool keeps_connection;
  } cases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true},
      {"HTTP/1.1 202\r\ncontent-length:0\r\n\r\n", 202, "", true},
      {"HTTP/1.1 200 \r\nContent-Length: \t 2 \t\r\n\r\nok", 200, "ok", true},
      {"HTTP/1.1 204 No Content\r\n\r\n", 204, "", true},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", 304, "", true},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200,
       "abcde", true},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0A ;x=\"y\"\r\n0123456789\r\n000\r\n"
       "Trailer: 1\r\nAnother: 2\r\n\r\n",
       200, "0123456789", true},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\r\n\r\n0\r\n\r\n", 200, "\r\n",
       true},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nContent-Length: 9\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
       200, "x", true},
      {"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 413, "x",
       false},
      {"HTTP/1.1 200 OK\r\nConnection: Upgrade, Close\r\nContent-Length: 1\r\n\r\nx", 200, "x",
       false},
      {"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
      {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
      {"HTTP/1.1 200 OK\r\n\r\nup to the end", 200, "up to the end", false},
      {"HTTP/1.1 200 OK\r\n\r\n", 200, "", false},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokmore", 200, "ok", false},
  };
  for (const auto& [bytes, status, body, keeps_connection] : cases)
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
      const Read got = read(bytes, piece);
      ASSERT_TRUE(got.response) << bytes << ": " << got.response.error().message;
      EXPECT_EQ(got.response->status, status) << bytes;
      EXPECT_EQ(got.response->body, body) << bytes;
      EXPECT_EQ(got.keeps_connection, keeps_connection) << bytes;
      EXPECT_TRUE(got.has_begun);
    }
}

TEST(ResponseReader, KeepsTheHeadersOfTheAnswerAlone) {
  const Read got = read(
      "HTTP/1.1 103 Hints\r\nX: no\r\n\r\n"
      "HTTP/1.1 200 OK\r\nA: \r\nb:\tc: d \r\nContent-Length: 0\r\n\r\n",
      5);
  ASSERT_TRUE(got.response);
  EXPECT_EQ(got.response->headers, (Headers{{"A", ""}, {"b", "c: d"}, {"Content-Length", "0"}}));
}

std::string with(std::string_view fields, std::string_view body = "") {
  return "HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n\r\n" + std::string(body);
}

std::string chunked(std::string_view body) { return with("Transfer-Encoding: chunked", body); }

TEST(ResponseReader, RefusesWhatHasTwoMeaningsOrNone) {
  std::string interim;
  for (int i = 0; i < 20; ++i) interim += "HTTP/1.1 102 Processing\r\n\r\n";
  std::string long_head;
  for (int i = 0; i < 7000; ++i) long_head += "Name: val\r\n";
  const std::string cases[] = {
      with("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
      with("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"),
      with("Content-Length: 1\r\nContent-Length: 1", "x"),
      with("Content-Length: 1\r\ncontent-length: 2", "xy"),
      with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
      with("Content-Length: 1, 1", "x"),
      with("Content-Length: +1", "x"),
      with("Content-Length: -1", "x"),
      with("Content-Length: 0x1", "x"),
      with("Content-Length: 1 1", "x"),
      with("Content-Length:", ""),
      with("Content-Length: 18446744073709551616", ""),
      with("Transfer-Encoding: gzip", "x"),
      with("Transfer-Encoding: gzip, chunked", "0\r\n\r\n"),
      with("Transfer-Encoding:", "0\r\n\r\n"),
      chunked("10000000000000000\r\nx\r\n0\r\n\r\n"),
      chunked("ffffffffffffffff\r\nx\r\n0\r\n\r\n"),
      chunked("1\r\nx\r\nffffffffffffffff\r\nx\r\n0\r\n\r\n"),
      chunked("-1\r\nx\r\n0\r\n\r\n"),
      chunked("+1\r\nx\r\n0\r\n\r\n"),
      chunked("0x1\r\nx\r\n0\r\n\r\n"),
      chunked("\r\nx\r\n0\r\n\r\n"),
      chunked(";x\r\nx\r\n0\r\n\r\n"),
      chunked("g\r\nx\r\n0\r\n\r\n"),
      chunked("1 1\r\nx\r\n0\r\n\r\n"),
      chunked("1\r\nxy\r\n0\r\n\r\n"),
      chunked("1\nx\r\n0\r\n\r\n"),
      with("no colon"),
      with("A: 1\r\n folded", ""),
      with(" A: 1", ""),
      with("A : 1", ""),
      with(": 1", ""),
      with("A: 1\rB: 2", ""),
      with("A: 1\0"s, ""),
      with("A: 1\nB: 2", ""),
      "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n",
      with("A: " + std::string(20000, 'x')),
      with(long_head + "Content-Length: 0"),
      interim + with("Content-Length: 0"),
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.2 200 OK\r\n\r\n",
      "HTTP/1.1 099 No\r\n\r\n",
      "HTTP/1.1 600 No\r\n\r\n",
      "HTTP/1.1 20\r\n\r\n",
      "HTTP/1.1 2000\r\n\r\n",
      "HTTP/1.1 20x OK\r\n\r\n",
      "HTTP/1.1  200 OK\r\n\r\n",
      "HTTP/1.1 +20 OK\r\n\r\n",
      "http/1.1 200 OK\r\n\r\n",
      "SSH-2.0-OpenSSH_9.2\r\n",
      "\r\n",
      "{\"message\":\"no\"}\n",
  };
  for (const std::string& bytes : cases)
    for (const std::size_t piece : {std::size_t{1}, bytes.size()}) {
      const Read got = read(bytes, piece);
      ASSERT_FALSE(got.response) << bytes.substr(0, 200);
      // A length beyond all numbers is too large, whatever else it is.
      const ErrorCode code = got.response.error().code;
      EXPECT_TRUE(code == ErrorCode::kBadResponse || code == ErrorCode::kTooLarge)
          << bytes.substr(0, 200);
      EXPECT_TRUE(got.response.error().message.starts_with("expected ")) << bytes.substr(0, 200);
    }
}

TEST(ResponseReader, RefusesMoreThanItTakes) {
  const std::string cases[] = {
      with("Content-Length: 1001", std::string(1001, 'x')),
      chunked("1f5\r\n" + std::string(501, 'x') + "\r\n1f5\r\n" + std::string(501, 'x') + "\r\n"),
  };
  for (const std::string& bytes : cases)
    for (const std::size_t piece : {std::size_t{1}, bytes.size()}) {
      const Read got = read(bytes, piece);
      ASSERT_FALSE(got.response) << bytes.substr(0, 200);
      EXPECT_EQ(got.response.error().code, ErrorCode::kTooLarge) << bytes.substr(0, 200);
    }
}

TEST(ResponseReader, NothingOfHeadersIsQuoted) {
  const Read got = read(with("A: 1\r\nhunter2"), 9);
  ASSERT_FALSE(got.response);
  EXPECT_EQ(got.response.error().message.find("hunter2"), std::string::npos);
}

TEST(ResponseReader, AnAnswerThatIsCutShortIsALostConnection) {
  for (const std::string& whole :
       {with("Content-Length: 5", "abcde"), chunked("3\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n"),
        "HTTP/1.1 100 Continue\r\n\r\n" + with("Content-Length: 1", "x")}) {
    ASSERT_TRUE(read(whole, 1).response);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Read got = read(std::string_view(whole).substr(0, size), 4);
      ASSERT_FALSE(got.response) << whole.substr(0, size);
      EXPECT_EQ(got.response.error().code, ErrorCode::kConnection) << whole.substr(0, size);
      EXPECT_EQ(got.has_begun, size > 0);
    }
  }
}

}  // namespace
}  // namespace trainwarden::http::response_reader_test
