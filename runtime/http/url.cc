#include "runtime/http/url.h"

namespace trainwarden::http {
namespace {

bool letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

}  // namespace

bool valid_authority_and_path(std::string_view text) {
  // RFC 3986 2.2 and 2.3, without what begins a user, a query or a fragment.
  constexpr std::string_view kPunctuation = "-._~:/[]!$&'()*+,;=";
  if (text.empty() || text.front() == '/' || text.front() == ':') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !hex_digit(text[i + 1]) || !hex_digit(text[i + 2])) return false;
    } else if (!letter_or_digit(c) && kPunctuation.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

std::string without_secrets(std::string_view url) {
  // The last `@` ends the user, whatever an odd URL means by others.
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
