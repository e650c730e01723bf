#include "tests/localaws/service/xml_text.h"

namespace trainwarden::localaws {

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\r')
      out += "&#xD;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n')
      out += c;
    else
      out += '?';  // XML 1.0 has no way to write it
  }
  return out;
}

}  // namespace trainwarden::localaws
