// Roots that are tried late, against a server whose certificate another root issued.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "runtime/http/curl_transport.h"
#include "tests/localaws/http/http_server.h"

namespace trainwarden::localaws::late_roots_test {
namespace {

class Server {
 public:
  explicit Server(const Certificates& identity)
      : server_([this](const HttpRequest&) { return answer(); }, &identity),
        port_(server_.bind(0).value()),
        thread_([this] { server_.run(); }) {}
  ~Server() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "https://localhost:" + std::to_string(port_) + "/"; }

  std::atomic<int> requests = 0;

 private:
  HttpResponse answer() {
    ++requests;
    HttpResponse response;
    response.body = "here";
    return response;
  }

  HttpServer server_;
  int port_;
  std::thread thread_;
};

class LateRoots : public ::testing::Test {
 protected:
  // The answer's body, or what is wrong.
  std::string get(http::CurlTransport& transport, const Server& server) {
    const auto until = Deadline::at(Deadline::Clock::now() + std::chrono::seconds(20));
    const auto response = http::send(transport, {"GET", server.url(), {}, {}}, until);
    return response ? response->body : std::string(name(response.error().code));
  }

  Certificates known_ = make_certificates().value();
  Certificates late_ = make_certificates().value();
  Certificates foreign_ = make_certificates().value();
};

TEST_F(LateRoots, AreTriedWhereTheFirstDoNotKnowTheIssuer) {
  http::CurlOptions options;
  options.ca_pem = known_.root;
  options.late_ca_pem = late_.root;
  http::CurlTransport transport(options, system_clock());
  Server known(known_);
  Server late(late_);
  EXPECT_EQ(get(transport, known), "here");
  EXPECT_EQ(get(transport, late), "here");
  EXPECT_EQ(get(transport, late), "here");
  EXPECT_EQ(get(transport, known), "here");
  EXPECT_EQ(late.requests, 2);
  EXPECT_EQ(known.requests, 2);
}

TEST_F(LateRoots, AreNeededByTheFirstServerOfAll) {
  http::CurlOptions options;
  options.ca_pem = known_.root;
  const std::string both = foreign_.root + late_.root;
  options.late_ca_pem = both;
  http::CurlTransport transport(options, system_clock());
  Server late(late_);
  EXPECT_EQ(get(transport, late), "here");
  EXPECT_EQ(late.requests, 1);
}

TEST_F(LateRoots, TrustNobodyElse) {
  http::CurlOptions options;
  options.ca_pem = known_.root;
  options.late_ca_pem = late_.root;
  http::CurlTransport transport(options, system_clock());
  Server foreign(foreign_);
  Server late(late_);
  EXPECT_EQ(get(transport, foreign), name(ErrorCode::kTls));
  EXPECT_EQ(foreign.requests, 0);
  EXPECT_EQ(get(transport, late), "here");
  EXPECT_EQ(get(transport, foreign), name(ErrorCode::kTls));
}

TEST_F(LateRoots, ComeBeforeTheFileOfTheSystem) {
  const auto file = TemporaryFile::write(foreign_.root);
  ASSERT_TRUE(file);
  http::CurlOptions options;
  options.ca_pem = known_.root;
  options.late_ca_pem = late_.root;
  options.fallback_ca_files = {"/nowhere/roots.pem", file->path()};
  http::CurlTransport transport(options, system_clock());
  Server late(late_);
  Server foreign(foreign_);
  EXPECT_EQ(get(transport, late), "here");
  EXPECT_EQ(get(transport, foreign), "here");
}

TEST_F(LateRoots, RootsThatAreNoneTrustNobody) {
  http::CurlOptions options;
  options.ca_pem = "no certificate\n";
  http::CurlTransport transport(options, system_clock());
  Server known(known_);
  EXPECT_EQ(get(transport, known), name(ErrorCode::kTls));
  EXPECT_EQ(known.requests, 0);
}

}  // namespace
}  // namespace trainwarden::localaws::late_roots_test
