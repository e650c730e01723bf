// localaws: an embedded AWS for tests, demos and trying a policy. See README.md.
#include <fmt/core.h>
#include <nss.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/base/environment.h"
#include "runtime/base/time.h"
#include "tests/localaws/http_server.h"
#include "tests/localaws/options.h"
#include "tests/localaws/world.h"

namespace trainwarden::localaws {
namespace {

constexpr std::chrono::milliseconds kTick{20};

int usage_error(const Error& error) {
  fmt::print(stderr, "localaws: {}\n\n{}", error.message, usage());
  return 2;
}

// All threads block these; one waits for them. SIGPIPE must not end the server.
sigset_t block_signals() {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void announce(int port, const Options& options, const Environment& environment) {
  fmt::print("localaws: ready at http://127.0.0.1:{} (region {}, account {}, credentials {})\n",
             port, options.region, options.account,
             environment.get("AWS_ACCESS_KEY_ID") ? "from the environment" : "test / test");
  std::fflush(stdout);
}

int serve(const Options& options, const Environment& environment) {
  auto credentials = credentials_from(environment);
  if (!credentials) return usage_error(credentials.error());
  const sigset_t signals = block_signals();
  World world(options, std::move(*credentials), system_clock());
  if (auto opened = world.open_record(); !opened) return usage_error(opened.error());
  HttpServer server([&world](const HttpRequest& request) { return world.handle(request); });
  const auto port = server.bind(options.port);
  if (!port) {
    fmt::print(stderr, "localaws: {}\n", port.error().message);
    return 1;
  }
  world.start_functions(*port, environment);
  std::jthread listener([&server] { server.run(); });
  announce(*port, options, environment);

  // This thread is the one that starts children: they die with it (PR_SET_PDEATHSIG).
  const timespec pause{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(kTick).count()};
  while (::sigtimedwait(&signals, nullptr, &pause) < 0) world.tick();
  world.stop();
  server.stop();
  return 0;
}

}  // namespace
}  // namespace trainwarden::localaws

int main(int argc, char** argv) {
  // A static program must not load the name service modules of another C library.
  __nss_configure_lookup("hosts", "files dns");
  using namespace trainwarden::localaws;
  const auto options = parse_options({argv + 1, argv + argc});
  if (!options) return usage_error(options.error());
  if (options->help) {
    fmt::print("{}", usage());
    return 0;
  }
  return serve(*options, trainwarden::Environment(environ));
}
