#include "tests/localaws/http/http_message.h"

#include <algorithm>

namespace trainwarden::localaws {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view HttpRequest::path() const {
  std::string_view all = target;
  return all.substr(0, all.find('?'));
}

std::string_view HttpRequest::query() const {
  std::string_view all = target;
  const auto mark = all.find('?');
  return mark == std::string_view::npos ? std::string_view() : all.substr(mark + 1);
}

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  for (const Header& header : headers)
    if (equal_ignoring_case(header.name, name)) return header.value;
  return std::nullopt;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

}  // namespace trainwarden::localaws
