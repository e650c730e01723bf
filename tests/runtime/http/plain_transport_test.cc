#include "runtime/http/plain_transport.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <thread>

#include "tests/support/raw_server.h"

namespace trainwarden::http::plain_transport_test {
namespace {

using std::chrono::milliseconds;
using testing::RawServer;

Deadline within(milliseconds time) { return Deadline::at(Deadline::Clock::now() + time); }

Request post(const std::string& url, std::string body) {
  return {"POST", url, {}, std::move(body)};
}

// A server whose one connection is handled by the test.
class OneConnection {
 public:
  explicit OneConnection(std::function<void(int)> handle)
      : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 1);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, handle] {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      handle(connection);
      ::close(connection);
    });
  }
  OneConnection(const OneConnection&) = delete;
  OneConnection& operator=(const OneConnection&) = delete;
  ~OneConnection() {
    // On a busy machine a client's deadline may pass before it connects: nobody is awaited then.
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int listener_;
  int port_ = 0;
  std::thread thread_;
};

void read_all(int connection) {
  char chunk[4096];
  while (::recv(connection, chunk, sizeof chunk, 0) > 0) continue;
}

void say(int connection, const std::string& text) {
  ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

TEST(PlainTransport, SendsNothingThatIsNotAskedFor) {
  RawServer server({RawServer::ok("1"), RawServer::ok("2")});
  PlainTransport transport(system_clock(), "trainwarden/1");
  ASSERT_TRUE(send(transport, {"GET", server.url("/a"), {}, {}}, Deadline::never()));
  ASSERT_TRUE(send(transport, {"POST", server.url("/b"), {{"X", ""}}, "{}"}, Deadline::never()));
  const std::string host = host_header(server.url());
  EXPECT_EQ(server.requests().at(0),
            "GET /a HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: trainwarden/1\r\n\r\n");
  EXPECT_EQ(server.requests().at(1),
            "POST /b HTTP/1.1\r\nHost: " + host +
                "\r\nUser-Agent: trainwarden/1\r\nX: \r\nContent-Length: 2\r\n\r\n{}");
}

TEST(PlainTransport, TakesTheNameOfAHost) {
  RawServer server({RawServer::ok("1")});
  PlainTransport transport(system_clock());
  std::string url = server.url();
  url.replace(url.find("127.0.0.1"), 9, "localhost");
  const auto response = send(transport, {"GET", url, {}, {}}, within(milliseconds(5000)));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_TRUE(server.requests().at(0).find("\r\nHost: localhost:") != std::string::npos);
}

TEST(PlainTransport, RefusesWhatItCannotSpeak) {
  PlainTransport transport(system_clock());
  for (const char* url : {"https://127.0.0.1:1/", "127.0.0.1:1", "http://", ""}) {
    const auto response = send(transport, {"GET", url, {}, {}}, within(milliseconds(500)));
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().code, ErrorCode::kInvalidConfig) << url;
  }
}

TEST(PlainTransport, AGetGoesOutAgainWhereAKeptConnectionEndsInsteadOfAnAnswer) {
  RawServer server({RawServer::ok("1"), "", RawServer::ok("2")});
  PlainTransport transport(system_clock());
  ASSERT_TRUE(send(transport, {"GET", server.url(), {}, {}}, Deadline::never()));
  const auto second = send(transport, {"GET", server.url(), {}, {}}, Deadline::never());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->body, "2");
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(PlainTransport, APostDoesNotGoOutAgain) {
  RawServer server({RawServer::ok("1"), "", RawServer::ok("2")});
  PlainTransport transport(system_clock());
  ASSERT_TRUE(send(transport, post(server.url(), "a"), within(milliseconds(5000))));
  const auto second = send(transport, post(server.url(), "b"), within(milliseconds(5000)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConnection);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(PlainTransport, AnAnswerThatBeganIsNotAskedForAgain) {
  RawServer server({RawServer::ok("1"), "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9",
                    RawServer::ok("2")});
  PlainTransport transport(system_clock());
  ASSERT_TRUE(send(transport, {"GET", server.url(), {}, {}}, Deadline::never()));
  const auto second = send(transport, {"GET", server.url(), {}, {}}, Deadline::never());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConnection);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(PlainTransport, ANewConnectionThatEndsIsAnError) {
  RawServer server({"", RawServer::ok("2")});
  PlainTransport transport(system_clock());
  const auto first = send(transport, {"GET", server.url(), {}, {}}, Deadline::never());
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, ErrorCode::kConnection);
  EXPECT_EQ(send(transport, {"GET", server.url(), {}, {}}, Deadline::never())->body, "2");
}

TEST(PlainTransport, AnotherHostGetsAConnectionOfItsOwn) {
  RawServer one({RawServer::ok("one"), RawServer::ok("one")});
  RawServer two({RawServer::ok("two")});
  PlainTransport transport(system_clock());
  EXPECT_EQ(send(transport, {"GET", one.url(), {}, {}}, Deadline::never())->body, "one");
  EXPECT_EQ(send(transport, {"GET", two.url(), {}, {}}, Deadline::never())->body, "two");
}

// A Runtime API that refuses a large answer need not read it to its end.
TEST(PlainTransport, AnAnswerIsReadThatComesBeforeAllIsSent) {
  for (const bool stays : {true, false}) {
    OneConnection server([stays](int connection) {
      char byte = 0;
      ::recv(connection, &byte, 1, 0);
      say(connection, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
      if (stays) std::this_thread::sleep_for(milliseconds(300));
      read_all(connection);
    });
    PlainTransport transport(system_clock());
    const auto response =
        send(transport, post(server.url(), std::string(std::size_t{16} << 20U, 'x')),
             within(milliseconds(5000)));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 413);
  }
}

TEST(PlainTransport, AServerThatReadsNothingMeetsTheDeadline) {
  OneConnection server([](int connection) {
    std::this_thread::sleep_for(milliseconds(1000));
    read_all(connection);
  });
  PlainTransport transport(system_clock());
  // Made before its time begins: on a busy machine that takes a while.
  const Request request = post(server.url(), std::string(std::size_t{16} << 20U, 'x'));
  const auto before = Deadline::Clock::now();
  const auto response = send(transport, request, within(milliseconds(400)));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kTimeout);
  EXPECT_LT(Deadline::Clock::now() - before, milliseconds(900));
}

TEST(PlainTransport, ADripOfBytesMeetsTheDeadlineToo) {
  OneConnection server([](int connection) {
    for (int i = 0; i < 12; ++i) {
      say(connection, "H");
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  PlainTransport transport(system_clock());
  const auto before = Deadline::Clock::now();
  ASSERT_FALSE(send(transport, {"GET", server.url(), {}, {}}, within(milliseconds(200))));
  EXPECT_LT(Deadline::Clock::now() - before, milliseconds(500));
}

// How often this thread gave up its processor while it waited for an answer that takes `time`.
long waits_for_an_answer_after(milliseconds time) {
  OneConnection server([time](int connection) {
    std::this_thread::sleep_for(time);
    say(connection, RawServer::ok("1"));
    read_all(connection);
  });
  PlainTransport transport(system_clock());
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  EXPECT_TRUE(send(transport, {"GET", server.url(), {}, {}}, Deadline::never()));
  getrusage(RUSAGE_THREAD, &after);
  return after.ru_nvcsw - before.ru_nvcsw;
}

TEST(PlainTransport, WaitingWithoutADeadlineWakesNobody) {
  waits_for_an_answer_after(
      milliseconds(1));  // an emulator waits for its own locks, the first time
  EXPECT_LE(waits_for_an_answer_after(milliseconds(2200)), 2);  // one to connect, one to wait
}

}  // namespace
}  // namespace trainwarden::http::plain_transport_test
