#include "runtime/http/transport.h"

#include <utility>

#include "runtime/base/ascii.h"

namespace trainwarden::http {
namespace {

std::size_t authority_begin(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  return scheme_end == std::string_view::npos ? std::string_view::npos : scheme_end + 3;
}

}  // namespace

std::optional<std::string_view> Response::header(std::string_view name) const {
  for (const Header& header : headers)
    if (header.name.size() == name.size() &&
        (header.name == name || equal_ignoring_case(header.name, name)))  // most are spelt alike
      return header.value;
  return std::nullopt;
}

Result<Response> send(Transport& transport, const Request& request, Deadline deadline) {
  auto results = transport.send(std::span(&request, 1), deadline);
  return std::move(results.front());
}

std::string host_header(std::string_view url) {
  const std::size_t begin = authority_begin(url);
  if (begin == std::string_view::npos) return {};
  std::string_view authority = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  const std::string_view default_port = url.starts_with("https:") ? ":443" : ":80";
  if (authority.ends_with(default_port)) authority.remove_suffix(default_port.size());
  return std::string(authority);
}

std::string_view target(std::string_view url) {
  const std::size_t begin = authority_begin(url);
  if (begin == std::string_view::npos) return "/";
  const std::size_t path = url.find('/', begin);
  return path == std::string_view::npos ? "/" : url.substr(path);
}

}  // namespace trainwarden::http
