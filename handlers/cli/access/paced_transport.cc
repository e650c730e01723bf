#include "handlers/cli/access/paced_transport.h"

#include <algorithm>

namespace trainwarden::cli {
namespace {

// A little more than a fifth of a second, since the service's second does not start with ours.
constexpr std::chrono::milliseconds kApart{210};

}  // namespace

std::string_view signed_for(const http::Request& request) {
  constexpr std::string_view kScopeEnd = "/aws4_request";
  for (const http::Header& header : request.headers) {
    if (header.name != "Authorization") continue;
    const std::string_view text = header.value;
    const std::string_view scope = text.substr(0, text.find(kScopeEnd));
    if (scope.size() < text.size()) return scope.substr(scope.rfind('/') + 1);
  }
  return {};
}

std::vector<Result<http::Response>> PacedTransport::send(std::span<const http::Request> requests,
                                                         Deadline deadline) {
  std::vector<Result<http::Response>> out;
  out.reserve(requests.size());
  for (const http::Request& request : requests) {
    wait_for_slot(std::string(signed_for(request)));
    out.push_back(http::send(inner_, request, deadline));
  }
  return out;
}

void PacedTransport::wait_for_slot(const std::string& service) {
  const auto now = clock_.steady_now();
  auto& next = next_[service];
  if (now < next) clock_.sleep_for(std::chrono::ceil<std::chrono::milliseconds>(next - now));
  next = clock_.steady_now() + kApart;
}

}  // namespace trainwarden::cli
