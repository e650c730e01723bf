#include "runtime/http/plain_transport.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>
#include <utility>

#include "runtime/base/errno_text.h"
#include "runtime/http/resolver.h"
#include "runtime/http/response_reader.h"

namespace trainwarden::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout{3000};

std::string head_of(const Request& request, std::string_view host, std::string_view user_agent) {
  std::string head;
  head.reserve(512);
  head.append(request.method).append(" ").append(target(request.url)).append(" HTTP/1.1\r\n");
  const auto field = [&head](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  field("Host", host);
  if (!user_agent.empty()) field("User-Agent", user_agent);
  for (const Header& header : request.headers) field(header.name, header.value);
  if (request.method == "POST")
    field("Content-Length", fmt::format_int(request.body.size()).c_str());
  return head.append("\r\n");
}

}  // namespace

PlainTransport::PlainTransport(Clock& clock, std::string user_agent, std::size_t max_response_bytes)
    : clock_(clock), user_agent_(std::move(user_agent)), max_response_bytes_(max_response_bytes) {}

PlainTransport::~PlainTransport() { close(); }

void PlainTransport::close() {
  if (const int socket = std::exchange(socket_, -1); socket >= 0) ::close(socket);
}

Error PlainTransport::error(std::string_view doing, int code) const {
  const bool late = code == ETIMEDOUT || code == EINPROGRESS;
  return {late ? ErrorCode::kTimeout : ErrorCode::kConnection,
          fmt::format("{}: {}", doing, errno_text(late ? ETIMEDOUT : code))};
}

std::vector<Result<Response>> PlainTransport::send(std::span<const Request> requests,
                                                   Deadline deadline) {
  deadline_ = deadline;
  std::vector<Result<Response>> results;
  results.reserve(requests.size());
  for (const Request& request : requests) {
    results.push_back(send_one(request));
    auto& result = results.back();
    if (result) continue;
    close();
    result = fail(std::move(result).error().in("http://" + host_header(request.url)));
  }
  return results;
}

Result<Response> PlainTransport::send_one(const Request& request) {
  const std::string host = host_header(request.url);
  if (!request.url.starts_with("http://") || host.empty())
    return fail(ErrorCode::kInvalidConfig, "expected a URL that begins with http://, found none");
  if (!deadline_.is_never() && deadline_.left(clock_.steady_now()) <= milliseconds(0))
    return fail(ErrorCode::kDeadline, "no time is left to send the request");
  const std::string head = head_of(request, host, user_agent_);
  const bool is_get = request.method == "GET";
  // A GET can be repeated, so it is sent without a look at the connection.
  bool is_kept = socket_ >= 0 && host == host_ && (is_get || is_silent());
  for (;; is_kept = false) {
    if (!is_kept) {
      host_ = host;
      CHECK_OK(connect());
    }
    ResponseReader reader(max_response_bytes_,
                          [this](char* to, std::size_t size) { return receive(to, size); });
    const auto written = write(head, request.body);
    // A request that could not be sent completely may have been answered all the same, as being too
    // large.
    const bool may_be_answered = written || !deadline_.is_never();
    auto response = may_be_answered ? reader.read() : fail(written.error());
    if (!response && !written) response = fail(written.error());
    if (!response || !written || !reader.keeps_connection()) close();
    if (response || !is_kept || !is_get || reader.has_begun() ||
        response.error().code != ErrorCode::kConnection)
      return response;
  }
}

// Whether the kept connection is still open, and nothing unexpected has arrived on it.
bool PlainTransport::is_silent() const {
  char byte = 0;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

Result<void> PlainTransport::connect() {
  close();
  const std::size_t colon = host_.ends_with(']') ? std::string::npos : host_.rfind(':');
  std::string name = host_.substr(0, colon);
  const std::string port = colon == std::string::npos ? "80" : host_.substr(colon + 1);
  sockaddr_in v4{};
  if (inet_pton(AF_INET, name.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(std::strtoul(port.c_str(), nullptr, 10)));
    return connect_to(reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  }
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  set_up_resolver();
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = getaddrinfo(name.c_str(), port.c_str(), &wanted, &found);
  if (failure != 0)
    return fail(ErrorCode::kConnection,
                fmt::format("the host's address is not known: {}", gai_strerror(failure)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
  Result<void> connected;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    connected = connect_to(one->ai_addr, one->ai_addrlen);
    if (connected) break;
  }
  return connected;
}

Result<void> PlainTransport::connect_to(const sockaddr* address, socklen_t size) {
  close();
  socket_ = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const milliseconds limit = std::min(kConnectTimeout, deadline_.left(clock_.steady_now()));
  // Zero would mean no limit. Only connect() uses this time-out, since sending does not block.
  const timeval patience{limit.count() / 1000, limit.count() % 1000 * 1000 + 1};
  const int one = 1;
  if (socket_ < 0 ||
      setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
      setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0 ||
      ::connect(socket_, address, size) != 0)
    return fail(error("failed to connect", errno));
  return {};
}

Result<void> PlainTransport::write(std::string_view head, std::string_view body) {
  while (!head.empty() || !body.empty()) {
    // sendmsg() does not change the data, but its struct has no const.
    std::array<iovec, 2> parts{{{const_cast<char*>(head.data()), head.size()},    // NOLINT
                                {const_cast<char*>(body.data()), body.size()}}};  // NOLINT
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) {
      TRY(const short ready, wait_for(POLLIN | POLLOUT));
      if ((ready & POLLOUT) == 0) return fail(error("answered before all was sent", ECONNRESET));
    } else if (sent < 0) {
      return fail(error("failed to send", errno));
    } else {
      const std::size_t of_head = std::min(head.size(), static_cast<std::size_t>(sent));
      head.remove_prefix(of_head);
      body.remove_prefix(static_cast<std::size_t>(sent) - of_head);
    }
  }
  return {};
}

Result<std::size_t> PlainTransport::receive(char* to, std::size_t size) {
  for (;;) {
    if (!deadline_.is_never()) CHECK_OK(wait_for(POLLIN));
    const ssize_t bytes = recv(socket_, to, size, deadline_.is_never() ? 0 : MSG_DONTWAIT);
    if (bytes >= 0) return static_cast<std::size_t>(bytes);
    if (errno != EINTR && errno != EAGAIN) return fail(error("failed to receive", errno));
  }
}

// Waits until the socket is ready for one of the events, and returns those.
Result<short> PlainTransport::wait_for(short events) {
  for (;;) {
    const auto left = deadline_.left(clock_.steady_now()).count();
    pollfd ready{socket_, events, 0};
    const int count = poll(
        &ready, 1, deadline_.is_never() ? -1 : static_cast<int>(std::min<long>(left, INT_MAX)));
    if (count > 0) return ready.revents;
    if (count == 0) return fail(error("no answer", ETIMEDOUT));
    if (errno != EINTR) return fail(error("failed to wait", errno));
  }
}

}  // namespace trainwarden::http
