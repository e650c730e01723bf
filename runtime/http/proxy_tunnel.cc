#include "runtime/http/proxy_tunnel.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "runtime/base/ascii.h"
#include "runtime/base/errno_text.h"
#include "runtime/http/resolver.h"
#include "runtime/http/url.h"

namespace trainwarden::http {
namespace {

constexpr timeval kPatience{10,
                            0};  // for each step: a proxy connects to the host before it answers

struct HostPort {
  std::string host;  // in lower case, an IPv6 address without its brackets
  std::string port;
};

HostPort split(std::string_view text, std::string_view port) {
  std::string_view host = text;
  const std::size_t colon = text.rfind(':');
  const bool is_v6 = text.starts_with('[');
  if (colon != std::string_view::npos && (!is_v6 || text[colon - 1] == ']') &&
      (is_v6 || text.find(':') == colon)) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  HostPort out{std::string(host), std::string(port)};
  std::ranges::transform(out.host, out.host.begin(), to_lower);
  return out;
}

HostPort host_of_origin(std::string_view origin) {
  return split(origin.substr(origin.find("://") + 3), "443");
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kLetters[three >> (18U - 6U * j) & 63U] : '=';
  }
  return out;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const std::string_view hex = text.substr(i + 1, 2);
    if (text[i] == '%' && hex.size() == 2 &&
        std::from_chars(hex.data(), hex.data() + 2, byte, 16).ptr == hex.data() + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Whether an IPv4 address lies in a network such as 10.0.0.0/8.
bool is_within(const std::string& host, std::string_view network) {
  const std::size_t slash = network.find('/');
  in_addr address{};
  in_addr begin{};
  unsigned bits = 0;
  const char* const end = network.data() + network.size();
  if (inet_pton(AF_INET, host.c_str(), &address) != 1 ||
      inet_pton(AF_INET, std::string(network.substr(0, slash)).c_str(), &begin) != 1 ||
      std::from_chars(network.data() + slash + 1, end, bits).ptr != end || bits > 32)
    return false;
  const std::uint32_t mask = bits == 0 ? 0 : ~std::uint32_t{0} << (32U - bits);
  return ((ntohl(address.s_addr) ^ ntohl(begin.s_addr)) & mask) == 0;
}

bool excepts(std::string_view exception, const HostPort& target) {
  if (exception == "*") return true;
  if (exception.find('/') != std::string_view::npos) return is_within(target.host, exception);
  if (exception.starts_with("*.")) exception.remove_prefix(1);
  if (exception.starts_with('.')) exception.remove_prefix(1);
  const HostPort named = split(exception, target.port);
  if (named.host.empty() || named.port != target.port) return false;
  return target.host == named.host || target.host.ends_with("." + named.host);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", \t"), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

std::string why(int code) {
  return errno_text(code == EAGAIN || code == EINPROGRESS ? ETIMEDOUT : code);
}

bool connects(const Socket& socket, const addrinfo& to) {
  return socket.descriptor() >= 0 &&
         setsockopt(socket.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience) ==
             0 &&
         setsockopt(socket.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience) ==
             0 &&
         ::connect(socket.descriptor(), to.ai_addr, to.ai_addrlen) == 0;
}

Result<int> open_connection(const std::string& host, const std::string& port) {
  set_up_resolver();
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failure = getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); failure != 0)
    return fail(ErrorCode::kConnection,
                fmt::format("its address is not known: {}", gai_strerror(failure)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connects(socket, *one)) return socket.release();
  }
  return fail(ErrorCode::kConnection, fmt::format("failed to connect: {}", why(errno)));
}

Result<void> send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0)
      return fail(ErrorCode::kConnection, fmt::format("failed to send: {}", why(errno)));
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

// The head of the answer and nothing behind it, which is the host's.
Result<std::string> read_answer(int socket) {
  constexpr std::size_t kMost = 16384;
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    char byte = 0;
    const ssize_t got = recv(socket, &byte, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorCode::kConnection, fmt::format("no answer: {}", why(errno)));
    if (got == 0) return fail(ErrorCode::kConnection, "it closed the connection");
    head += byte;
    if (head.size() > kMost) return fail(ErrorCode::kBadResponse, "its answer has no end");
  }
  return head;
}

// "407 Proxy Authentication Required", of "HTTP/1.1 407 …".
Result<std::string> status_of(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\r'));
  const std::size_t blank = line.find(' ');
  if (!line.starts_with("HTTP/1.") || blank == std::string_view::npos)
    return fail(ErrorCode::kBadResponse, "it does not speak HTTP");
  constexpr std::size_t kShown = 80;
  return std::string(line.substr(blank + 1, kShown));
}

}  // namespace

Result<std::shared_ptr<const ProxyTunnel>> ProxyTunnel::from(const Environment& environment) {
  std::shared_ptr<ProxyTunnel> out(new ProxyTunnel());
  std::optional<std::string_view> url;
  for (const char* const name : {"https_proxy", "HTTPS_PROXY"}) {
    if (url) break;
    url = environment.get(name);
    out->variable_ = name;
  }
  if (!url) return nullptr;
  constexpr std::string_view kScheme = "http://";
  std::string_view rest = *url;
  if (rest.starts_with(kScheme)) rest.remove_prefix(kScheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const bool is_other = rest.find("://") != std::string_view::npos;  // socks5://, https://
  const std::size_t at = rest.rfind('@');
  if (at != std::string_view::npos) {
    out->authorization_ = base64(percent_decoded(rest.substr(0, at)));
    rest.remove_prefix(at + 1);
  }
  if (is_other || rest.find('/') != std::string_view::npos || !valid_authority_and_path(rest))
    return malformed_variable(out->variable_,
                              "a proxy such as http://user:password@host:3128, to which the "
                              "connection is in the clear; TLS reaches through it to AWS",
                              without_secrets(*url));
  HostPort proxy = split(rest, "80");
  out->host_ = std::move(proxy.host);
  out->port_ = std::move(proxy.port);
  auto exceptions = environment.get("no_proxy");
  if (!exceptions) exceptions = environment.get("NO_PROXY");
  out->exceptions_ = words_of(exceptions.value_or(""));
  return std::shared_ptr<const ProxyTunnel>(std::move(out));
}

bool ProxyTunnel::serves(std::string_view origin) const {
  if (!origin.starts_with("https://")) return false;
  const HostPort target = host_of_origin(origin);
  return std::ranges::none_of(
      exceptions_, [&](const std::string& exception) { return excepts(exception, target); });
}

Result<int> ProxyTunnel::open(std::string_view origin) const {
  const std::string about =
      fmt::format("the proxy http://{}:{}, which {} names", host_, port_, variable_);
  const auto in_context = [&](Error error) { return fail(std::move(error).in(about)); };
  auto connected = open_connection(host_, port_);
  if (!connected) return in_context(connected.error());
  Socket socket(*connected);
  const HostPort target = host_of_origin(origin);
  const bool is_v6 = target.host.find(':') != std::string::npos;
  const std::string authority = is_v6 ? fmt::format("[{}]:{}", target.host, target.port)
                                      : fmt::format("{}:{}", target.host, target.port);
  std::string request = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", authority);
  if (!authorization_.empty())
    request += fmt::format("Proxy-Authorization: Basic {}\r\n", authorization_);
  if (auto sent = send_all(socket.descriptor(), request + "\r\n"); !sent)
    return in_context(sent.error());
  const auto head = read_answer(socket.descriptor());
  if (!head) return in_context(head.error());
  const auto status = status_of(*head);
  if (!status) return in_context(status.error());
  if (!status->starts_with('2'))
    return in_context({ErrorCode::kConnection,
                       fmt::format("it refused to connect to {}: HTTP {}", authority, *status)});
  return socket.release();
}

}  // namespace trainwarden::http
