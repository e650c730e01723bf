// The embedded AWS's HTTP server: stopped at any moment, it ends.
#include "tests/localaws/http/http_server.h"

#include <gtest/gtest.h>

#include <thread>

namespace trainwarden::localaws::http_server_test {
namespace {

TEST(HttpServer, IsStoppedBeforeItRuns) {
  HttpServer server([](const HttpRequest&) { return HttpResponse{}; });
  ASSERT_TRUE(server.bind(0));
  server.stop();
  server.run();  // comes back
}

TEST(HttpServer, IsStoppedWhileItBegins) {
  for (int i = 0; i < 20; ++i) {
    HttpServer server([](const HttpRequest&) { return HttpResponse{}; });
    ASSERT_TRUE(server.bind(0));
    std::thread serves([&server] { server.run(); });
    server.stop();
    serves.join();
  }
}

}  // namespace
}  // namespace trainwarden::localaws::http_server_test
