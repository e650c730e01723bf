#include "runtime/http/url.h"

#include <algorithm>

#include "runtime/base/ascii.h"

namespace trainwarden::http {
namespace {

// RFC 3986 3.2.2 and 3.2.3: a name, an IPv4 address, or an IPv6 address in brackets; then a port.
bool valid_host_and_port(std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || end == 1) return false;
    for (const char c : text.substr(1, end - 1))
      if (!is_hex_digit(c) && c != ':' && c != '.') return false;
    port = text.substr(end + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    if (end == 0 || text.substr(0, end).find_first_of("[]") != std::string_view::npos) return false;
    port = text.substr(end);
  }
  if (port.empty()) return true;
  if (port.front() != ':') return false;
  constexpr unsigned kMaxPort = 65535;
  unsigned number = 0;
  for (const char c : port.substr(1)) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<unsigned>(c - '0');
    if (number > kMaxPort) return false;
  }
  return port.size() > 1 && number > 0;
}

}  // namespace

bool valid_authority_and_path(std::string_view text) {
  // RFC 3986 2.2 and 2.3, without what begins a user, a query or a fragment.
  constexpr std::string_view kPunctuation = "-._~:/[]!$&'()*+,;=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !is_hex_digit(text[i + 1]) || !is_hex_digit(text[i + 2]))
        return false;
    } else if (!is_alphanumeric(c) && kPunctuation.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return valid_host_and_port(text.substr(0, text.find('/')));
}

std::string without_secrets(std::string_view url) {
  // The last `@` ends the user part, although other readers of an odd URL may disagree.
  const std::size_t at = url.rfind('@');
  const bool user = at != std::string_view::npos;
  const std::size_t scheme = url.find("://");
  const bool web = scheme != std::string_view::npos && (!user || scheme < at);
  const std::size_t begin = web ? scheme + 3 : 0;
  const std::string_view rest = url.substr(user ? at : begin);
  const std::size_t cut = rest.find_first_of("?#");
  std::string out(url.substr(0, begin));
  if (user) out += "***";
  out += rest.substr(0, cut);
  if (cut != std::string_view::npos) out.append(1, rest[cut]).append("***");
  return out;
}

}  // namespace trainwarden::http
