#include "runtime/http/curl_transport.h"

#include <gtest/gtest.h>

#include <memory>

#include "runtime/http/plain_transport.h"
#include "tests/support/raw_server.h"

namespace trainwarden::http::curl_transport_test {
namespace {

using std::chrono::milliseconds;
using testing::RawServer;

Deadline soon() { return Deadline::at(Deadline::Clock::now() + std::chrono::seconds(5)); }

class CurlTransportTest : public ::testing::Test {
 protected:
  CurlTransport make(CurlOptions options = {}) { return {std::move(options), system_clock()}; }
};

// What holds for every transport of HTTP; the parameter says which one.
class TransportTest : public ::testing::TestWithParam<const char*> {
 protected:
  Transport& make(std::size_t max_response_bytes = std::size_t{16} << 20U) {
    CurlOptions options;
    options.max_response_bytes = max_response_bytes;
    if (GetParam() == std::string_view("curl"))
      made_.push_back(std::make_unique<CurlTransport>(std::move(options), system_clock()));
    else
      made_.push_back(std::make_unique<PlainTransport>(system_clock(), "", max_response_bytes));
    return *made_.back();
  }

 private:
  std::vector<std::unique_ptr<Transport>> made_;
};

INSTANTIATE_TEST_SUITE_P(, TransportTest, ::testing::Values("curl", "plain"),
                         [](const auto& which) { return std::string(which.param); });

TEST_P(TransportTest, GivesStatusHeadersAndBody) {
  RawServer server(
      {"HTTP/1.1 404 Not Found\r\nX-Amzn-RequestId:  r-1 \r\nContent-Length: 2\r\n\r\nno"});
  Transport& transport = make();
  const auto response =
      send(transport, {"GET", server.url("/a?b=c"), {{"X-Test", "1"}}, {}}, soon());
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "no");
  EXPECT_EQ(response->header("x-amzn-requestid"), "r-1");
  EXPECT_EQ(response->header("absent"), std::nullopt);
  const std::string request = server.requests().at(0);
  EXPECT_TRUE(request.starts_with("GET /a?b=c HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("X-Test: 1\r\n"), std::string::npos);
}

TEST_P(TransportTest, PostsExactlyTheGivenHeaders) {
  RawServer server({RawServer::ok("{}")});
  Transport& transport = make();
  ASSERT_TRUE(
      send(transport,
           {"POST", server.url(), {{"Content-Type", "application/x-amz-json-1.1"}}, "{\"a\":1}"},
           soon()));
  const std::string request = server.requests().at(0);
  EXPECT_NE(request.find("Content-Type: application/x-amz-json-1.1\r\n"), std::string::npos);
  EXPECT_NE(request.find("Content-Length: 7\r\n"), std::string::npos);
  EXPECT_EQ(request.find("Expect:"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}"));
}

TEST_P(TransportTest, ReusesAConnectionAndForgetsTheLastRequest) {
  RawServer server({RawServer::ok("1"), RawServer::ok("2"), RawServer::ok("3")});
  Transport& transport = make();
  ASSERT_TRUE(send(transport,
                   {"POST", server.url("/one"), {{"Content-Type", "text/plain"}}, "body"}, soon()));
  ASSERT_TRUE(send(transport, {"GET", server.url("/two"), {}, {}}, soon()));
  EXPECT_EQ(send(transport, {"POST", server.url("/three"), {}, ""}, soon())->body, "3");
  EXPECT_EQ(server.connections(), 1);
  const auto requests = server.requests();
  EXPECT_TRUE(requests.at(1).starts_with("GET /two "));
  EXPECT_EQ(requests.at(1).find("Content-Type"), std::string::npos);
  EXPECT_NE(requests.at(2).find("Content-Length: 0\r\n"), std::string::npos);
}

TEST_P(TransportTest, ReplacesAConnectionThatDiedWhileIdle) {
  RawServer server(
      {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1Connection: close", RawServer::ok("2")});
  Transport& transport = make();
  ASSERT_TRUE(send(transport, {"GET", server.url(), {}, {}}, soon()));
  const auto second = send(transport, {"GET", server.url(), {}, {}}, soon());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->body, "2");
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(TransportTest, ReplacesADeadConnectionUnderAPostToo) {
  RawServer server(
      {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1Connection: close", RawServer::ok("2")});
  Transport& transport = make();
  const Request post{"POST", server.url(), {{"Content-Type", "text/plain"}}, "body"};
  ASSERT_TRUE(send(transport, post, soon()));
  const auto second = send(transport, post, soon());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->body, "2");
}

TEST_P(TransportTest, ReadsChunkedBodies) {
  RawServer server(
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"});
  Transport& transport = make();
  EXPECT_EQ(send(transport, {"GET", server.url(), {}, {}}, soon())->body, "abcde");
}

TEST_P(TransportTest, SendsIndependentRequestsAndKeepsTheirOrder) {
  RawServer one({RawServer::ok("one")});
  RawServer two({RawServer::ok("two")});
  Transport& transport = make();
  const std::vector<Request> requests{{"GET", one.url(), {}, {}},
                                      {"GET", "http://127.0.0.1:1/", {}, {}},
                                      {"GET", two.url(), {}, {}}};
  const auto results = transport.send(requests, soon());
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0]->body, "one");
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error().code, ErrorCode::kConnection);
  EXPECT_EQ(results[2]->body, "two");
}

TEST_F(CurlTransportTest, OneRequestAndSeveralGoOverTheSameConnections) {
  RawServer one({RawServer::ok("1"), RawServer::ok("2"), RawServer::ok("3")});
  RawServer two({RawServer::ok("1"), RawServer::ok("2")});
  CurlTransport transport = make();
  const Request to_one{"GET", one.url(), {}, {}};
  const Request to_two{"GET", two.url(), {}, {}};
  ASSERT_TRUE(send(transport, to_one, soon()));
  for (const auto& result : transport.send(std::vector{to_one, to_two}, soon()))
    EXPECT_TRUE(result) << result.error().message;
  ASSERT_TRUE(send(transport, to_one, soon()));
  ASSERT_TRUE(send(transport, to_two, soon()));
  EXPECT_EQ(one.connections(), 1);
  EXPECT_EQ(two.connections(), 1);
}

TEST_P(TransportTest, ARefusedConnectionIsAConnectionError) {
  Transport& transport = make();
  const auto response = send(transport, {"GET", "http://127.0.0.1:1/", {}, {}}, soon());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kConnection);
  EXPECT_TRUE(response.error().message.starts_with("http://127.0.0.1:1: "))
      << response.error().message;
}

TEST_P(TransportTest, AnUnknownHostIsAConnectionErrorThatNamesIt) {
  Transport& transport = make();
  const auto response = send(transport, {"GET", "http://nowhere.invalid/", {}, {}}, soon());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kConnection);
  EXPECT_NE(response.error().message.find("nowhere.invalid"), std::string::npos);
}

TEST_P(TransportTest, SilenceEndsAtTheDeadline) {
  RawServer server({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"});
  Transport& transport = make();
  const auto before = Deadline::Clock::now();
  const auto response =
      send(transport, {"GET", server.url(), {}, {}}, Deadline::at(before + milliseconds(300)));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kTimeout);
  EXPECT_GE(Deadline::Clock::now() - before, milliseconds(250));
}

TEST_P(TransportTest, NothingIsSentAfterTheDeadline) {
  RawServer server({});
  Transport& transport = make();
  const auto response =
      send(transport, {"GET", server.url(), {}, {}}, Deadline::at(Deadline::Clock::now()));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kDeadline);
  EXPECT_EQ(server.connections(), 0);
}

TEST_P(TransportTest, ATruncatedBodyIsAnError) {
  RawServer server({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nConnection: close"});
  Transport& transport = make();
  EXPECT_FALSE(send(transport, {"GET", server.url(), {}, {}}, soon()));
}

TEST_P(TransportTest, AnAnswerBeyondTheLimitIsRefused) {
  RawServer server({RawServer::ok(std::string(2000, 'x'))});
  Transport& transport = make(1000);
  const auto response = send(transport, {"GET", server.url(), {}, {}}, soon());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(response.error().message.find("1000 bytes"), std::string::npos);
}

TEST_P(TransportTest, WhatIsNotHttpIsAnError) {
  RawServer server({"SSH-2.0-OpenSSH_9.2\r\nConnection: close"});
  Transport& transport = make();
  EXPECT_FALSE(send(transport, {"GET", server.url(), {}, {}}, soon()));
}

TEST_F(CurlTransportTest, PlainHttpBehindAnHttpsUrlIsATlsError) {
  RawServer server({"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"});
  CurlTransport transport = make();
  const auto response = send(transport, {"GET", "https" + server.url().substr(4), {}, {}},
                             Deadline::at(Deadline::Clock::now() + milliseconds(500)));
  ASSERT_FALSE(response);
}

TEST(HttpUrl, GivesTheHostHeaderWithoutDefaultPorts) {
  EXPECT_EQ(host_header("https://a.example/x"), "a.example");
  EXPECT_EQ(host_header("https://a.example:443/"), "a.example");
  EXPECT_EQ(host_header("http://127.0.0.1:4566/x"), "127.0.0.1:4566");
  EXPECT_EQ(host_header("http://a:80?q"), "a");
  EXPECT_EQ(host_header("http://[::1]:8080/"), "[::1]:8080");
}

TEST(HttpUrl, GivesTheTarget) {
  EXPECT_EQ(target("https://a.example"), "/");
  EXPECT_EQ(target("https://a.example/b/c?d=/e"), "/b/c?d=/e");
}

}  // namespace
}  // namespace trainwarden::http::curl_transport_test
