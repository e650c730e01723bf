// HTTP as the rest of localaws sees it: plain values. Only http_server.cc knows the library
// beneath.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::localaws {

struct Header {
  std::string name;
  std::string value;
};
using Headers = std::vector<Header>;

struct HttpRequest {
  std::string method;
  std::string target;  // path and query as they came, not decoded
  Headers headers;
  std::string body;
  sys_millis received;
  int peer_port = 0;    // of the client's end
  int local_port = 0;   // of ours
  bool secure = false;  // came by https
  // Whether the peer hung up meanwhile; asked while an answer is long in coming. May be empty.
  std::function<bool()> gone;

  std::string_view path() const;
  std::string_view query() const;  // without the "?"
  // The first header of that name, in any case.
  std::optional<std::string_view> header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  Headers headers;
  std::string body;
  bool cut = false;  // send half of the body, then hang up
};

// ASCII, without regard to the locale.
bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string lower(std::string_view text);

}  // namespace trainwarden::localaws
