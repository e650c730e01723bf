// localaws: an embedded AWS for tests, demos and trying a policy. See README.md.
#include <fmt/core.h>
#include <limits.h>
#include <nss.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/base/environment.h"
#include "runtime/base/print.h"
#include "runtime/base/time.h"
#include "tests/localaws/emulator.h"
#include "tests/localaws/http/certificate.h"
#include "tests/localaws/http/http_server.h"
#include "tests/localaws/options.h"
#include "tests/localaws/sns/readable.h"

namespace trainwarden::localaws {
namespace {

constexpr std::chrono::milliseconds kTick{20};

int usage_error(const Error& error) {
  print(stderr, fmt::format("localaws: {}\n\n{}", error.message, usage()));
  return 2;
}

// All threads block these; one waits for them.
sigset_t block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void announce(const Places& places, const Options& options, const Environment& environment) {
  const bool tls = options.tls;
  print(
      stdout,
      fmt::format(
          "localaws: ready at {}://127.0.0.1:{} (region {}, account {}, credentials {}{})\n",
          tls ? "https" : "http", places.port, options.region, options.account,
          environment.get("AWS_ACCESS_KEY_ID") ? "from the environment" : "test / test",
          tls ? fmt::format(", root certificate {}, control and Runtime API at http://127.0.0.1:{}",
                            places.root_certificate, places.plain_port)
              : ""));
  std::fflush(stdout);
}

// A pipe that nobody reads must not hold up the server: what does not fit into it is left out.
void show(const Message& message) {
  const std::string all = readable(message);
  std::string_view text = all;
  while (!text.empty()) {
    pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&out, 1, 0) < 1 || (out.revents & POLLOUT) == 0) return;
    const ssize_t written =
        ::write(STDOUT_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// In the clear there is no AWS where it is to be reached by https.
HttpResponse in_the_clear(Emulator& emulator, const HttpRequest& request) {
  if (request.path().starts_with("/_localaws")) return emulator.handle(request);
  return {.status = 403,
          .headers = {{"Content-Type", "application/json"}},
          .body = R"({"message":"AWS is at the https port"})"};
}

// The servers, and what they need to live.
struct Servers {
  std::optional<TemporaryFile> root;
  std::unique_ptr<HttpServer> aws;
  std::unique_ptr<HttpServer> plain;  // with TLS only
  Places places;

  static Result<Servers> start(Emulator& emulator, const Options& options) {
    const auto handle = [&emulator](const HttpRequest& request) {
      return emulator.handle(request);
    };
    Servers out;
    if (!options.tls) {
      out.aws = std::make_unique<HttpServer>(handle);
      TRY(out.places.port, out.aws->bind(options.port));
      out.places.plain_port = out.places.port;
      return out;
    }
    TRY(const Certificates certificates, make_certificates());
    TRY(TemporaryFile root, TemporaryFile::write(certificates.root));
    out.root.emplace(std::move(root));
    out.places.root_certificate = out.root->path();
    out.aws = std::make_unique<HttpServer>(handle, &certificates);
    TRY(out.places.port, out.aws->bind(options.port));
    out.plain = std::make_unique<HttpServer>(
        [&emulator](const HttpRequest& request) { return in_the_clear(emulator, request); });
    TRY(out.places.plain_port, out.plain->bind(0));
    return out;
  }
};

int serve(const Options& options, const Environment& environment) {
  auto credentials = credentials_from(environment);
  if (!credentials) return usage_error(credentials.error());
  const sigset_t signals = block_signals();
  Emulator emulator(options, std::move(*credentials), system_clock());
  if (auto opened = emulator.open_record(); !opened) return usage_error(opened.error());
  if (!options.quiet) emulator.show_messages(show);
  auto servers = Servers::start(emulator, options);
  if (!servers) {
    print(stderr, fmt::format("localaws: {}\n", servers.error().message));
    return 1;
  }
  emulator.start_functions(servers->places, environment);
  std::vector<std::jthread> listeners;
  for (HttpServer* server : {servers->aws.get(), servers->plain.get()})
    if (server != nullptr) listeners.emplace_back([server] { server->run(); });
  announce(servers->places, options, environment);

  // This thread is the one that starts children: they die with it (PR_SET_PDEATHSIG).
  const timespec pause{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(kTick).count()};
  while (::sigtimedwait(&signals, nullptr, &pause) < 0) emulator.tick();
  emulator.stop();
  servers->aws->stop();
  if (servers->plain) servers->plain->stop();
  return 0;
}

}  // namespace
}  // namespace trainwarden::localaws

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);  // neither a client nor a reader that has gone ends the server
  // A static program must not load the name service modules of another C library.
  __nss_configure_lookup("hosts", "files dns");
  using namespace trainwarden::localaws;
  const auto options = parse_options({argv + 1, argv + argc});
  if (!options) return usage_error(options.error());
  if (options->help) {
    trainwarden::print(stdout, usage());
    return 0;
  }
  return serve(*options, trainwarden::Environment(environ));
}
