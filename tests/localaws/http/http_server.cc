#define CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_HEADER_MAX_LENGTH (256 * 1024)  // X-Ray causes need 64 KiB
#define CPPHTTPLIB_MAX_LINE_LENGTH (256 * 1024)
#define CPPHTTPLIB_FORM_URL_ENCODED_PAYLOAD_MAX_LENGTH (16 * 1024 * 1024)
#define CPPHTTPLIB_LISTEN_BACKLOG 128
#define CPPHTTPLIB_TCP_NODELAY true
#define CPPHTTPLIB_USE_POLL
#include "tests/localaws/http/http_server.h"

#include <fmt/core.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <httplib.h>
#pragma GCC diagnostic pop

namespace trainwarden::localaws {
namespace {

constexpr std::size_t kThreads = 128;
constexpr std::size_t kMaxBody = 32UL * 1024 * 1024;
constexpr int kIdleSeconds = 20;

// What the library adds to the headers that came.
constexpr std::array<std::string_view, 4> kPseudoHeaders = {"REMOTE_ADDR", "REMOTE_PORT",
                                                            "LOCAL_ADDR", "LOCAL_PORT"};

HttpRequest convert(const httplib::Request& from, bool secure) {
  HttpRequest to{
      .method = from.method,
      .target = from.target,
      .headers = {},
      .body = from.body,
      .received = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()),
      .peer_port = from.remote_port,
      .local_port = from.local_port,
      .secure = secure,
      .gone = from.is_connection_closed};
  for (const auto& [name, value] : from.headers) {
    bool pseudo = false;
    for (const std::string_view other : kPseudoHeaders) pseudo = pseudo || name == other;
    if (!pseudo) to.headers.push_back({name, value});
  }
  return to;
}

void answer(HttpResponse&& from, httplib::Response& to) {
  to.status = from.status;
  std::string type = "application/octet-stream";
  for (const Header& header : from.headers) {
    if (equal_ignoring_case(header.name, "Content-Type"))
      type = header.value;
    else
      to.set_header(header.name, header.value);
  }
  if (!from.cut) {
    to.set_content(std::move(from.body), type);
    return;
  }
  const std::size_t size = from.body.size() + 1;  // more is promised than comes
  to.set_content_provider(
      size, type, [body = std::move(from.body)](std::size_t, std::size_t, httplib::DataSink& sink) {
        sink.write(body.data(), body.size() / 2);
        return false;
      });
}

// The server takes its own references to certificate and key.
std::unique_ptr<httplib::Server> make_server(const Certificates* identity) {
  if (identity == nullptr) return std::make_unique<httplib::Server>();
  BIO* const host = BIO_new_mem_buf(identity->host.data(), static_cast<int>(identity->host.size()));
  BIO* const secret =
      BIO_new_mem_buf(identity->host_key.data(), static_cast<int>(identity->host_key.size()));
  X509* const certificate = PEM_read_bio_X509(host, nullptr, nullptr, nullptr);
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(secret, nullptr, nullptr, nullptr);
  auto server = std::make_unique<httplib::SSLServer>(certificate, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  BIO_free(host);
  BIO_free(secret);
  return server;
}

}  // namespace

struct HttpServer::Impl {
  enum class State : std::uint8_t { kBound, kRuns, kStopped };

  std::unique_ptr<httplib::Server> server;
  std::atomic<State> state = State::kBound;
};

HttpServer::HttpServer(Handler handler, const Certificates* identity)
    : impl_(std::make_unique<Impl>(make_server(identity))) {
  httplib::Server& server = *impl_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(std::numeric_limits<std::size_t>::max());
  server.set_keep_alive_timeout(kIdleSeconds);
  server.set_payload_max_length(kMaxBody);
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;  // not SO_REUSEPORT, which would let two servers share the port
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const auto serve = [handler = std::move(handler), secure = identity != nullptr](
                         const httplib::Request& request, httplib::Response& response) {
    answer(handler(convert(request, secure)), response);
  };
  server.Get(".*", serve);
  server.Post(".*", serve);
  server.Put(".*", serve);
  server.Delete(".*", serve);
}

HttpServer::~HttpServer() = default;

Result<int> HttpServer::bind(int port) {
  errno = 0;
  if (port == 0) {
    port = impl_->server->bind_to_any_port("127.0.0.1");
    if (port > 0) return port;
  } else if (impl_->server->bind_to_port("127.0.0.1", port)) {
    return port;
  }
  return fail(ErrorCode::kInvalidConfig,
              fmt::format("cannot listen on 127.0.0.1:{}: {}", port, std::strerror(errno)));
}

void HttpServer::run() {
  Impl::State state = Impl::State::kBound;
  if (!impl_->state.compare_exchange_strong(state, Impl::State::kRuns)) return;
  impl_->server->listen_after_bind();
  impl_->state = Impl::State::kStopped;
}

void HttpServer::stop() {
  Impl::State state = Impl::State::kBound;
  if (impl_->state.compare_exchange_strong(state, Impl::State::kStopped)) return;
  // The library forgets a stop that comes before it accepts.
  while (impl_->state == Impl::State::kRuns && !impl_->server->is_running())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  impl_->server->stop();
}

}  // namespace trainwarden::localaws
