#include "handlers/cli/access/container_credentials.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "handlers/actions/setup/policy_source.h"
#include "runtime/http/url.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

constexpr std::string_view kRelativeUri = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr std::string_view kFullUri = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr std::string_view kEcsHost = "http://169.254.170.2";
constexpr std::chrono::seconds kHostTime{5};
constexpr int kHostAttempts = 3;

struct HostOfCredentials {
  std::string_view variable;
  std::string url;
};

// The host of a URL: "localhost" of "http://localhost:1338/path"; an IPv6 address with its
// brackets. Empty if there may be user information before the host, which makes the real host
// another one than it seems: [::1]@example.com.
std::string_view host_of(std::string_view url) {
  std::string_view rest = url.substr(url.find("://") + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  if (rest.find_first_of("@\\") != std::string_view::npos) return {};
  if (rest.starts_with('[')) return rest.substr(0, rest.find(']') + 1);
  return rest.substr(0, rest.rfind(':'));
}

// Four numbers, the first of which is 127.
bool is_loopback(std::string_view host) {
  return host.starts_with("127.") && std::ranges::count(host, '.') == 3 &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Hosts that may be asked without TLS: this machine, and the addresses of ECS and EKS.
bool is_near(std::string_view host) {
  constexpr std::array<std::string_view, 5> kNear = {"localhost", "[::1]", "169.254.170.2",
                                                     "169.254.170.23", "[fd00:ec2::23]"};
  return is_loopback(host) || std::ranges::find(kNear, host) != kNear.end();
}

Result<std::optional<HostOfCredentials>> host_of_credentials(const Environment& environment) {
  if (const auto path = environment.get(kRelativeUri)) {
    if (!path->starts_with('/'))
      return malformed_variable(kRelativeUri, "a path such as /v2/credentials/ID", *path);
    return HostOfCredentials{kRelativeUri, fmt::format("{}{}", kEcsHost, *path)};
  }
  const auto url = environment.get(kFullUri);
  if (!url) return std::nullopt;
  const bool plain = url->starts_with("http://");
  if (!plain && !url->starts_with("https://"))
    return malformed_variable(kFullUri, "a URL such as http://localhost:1338/credentials",
                              http::without_secrets(*url));
  if (plain && !is_near(host_of(*url)))
    return malformed_variable(kFullUri,
                              "https, or a host of this machine's own: credentials go over no "
                              "network in the clear",
                              http::without_secrets(*url));
  return HostOfCredentials{kFullUri, std::string(*url)};
}

Result<std::string> authorization(const Environment& environment) {
  constexpr std::string_view kFile = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
  constexpr std::string_view kToken = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
  std::string token(environment.get(kToken).value_or(""));
  std::string_view from = kToken;
  if (const auto path = environment.get(kFile)) {
    auto text = actions::read_file(std::string(*path));
    if (!text) return fail(std::move(text).error().in(kFile));
    token = *std::move(text);
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
    from = kFile;
  }
  // A control character could end the header that carries the token, and no token has any other.
  if (std::ranges::any_of(token, [](char c) { return c < ' ' || c > '~'; }))
    return fail(ErrorCode::kInvalidConfig,
                fmt::format("{}: expected one line of visible ASCII characters, found something "
                            "else",
                            from));
  return token;
}

Result<http::Response> ask_host(const http::Request& request, http::Transport& transport,
                                Clock& clock) {
  for (int attempt = 1;; ++attempt) {
    auto response = http::send(transport, request, Deadline::at(clock.steady_now() + kHostTime));
    const bool again = !response || response->status >= 500;
    if (!again || attempt == kHostAttempts) return response;
    clock.sleep_for(std::chrono::milliseconds(100));
  }
}

Result<std::string> text_in(json::Value object, std::string_view name, std::string_view where) {
  const auto value = object.find_present(name);
  if (!value) return std::string();
  if (value->is_string()) return std::string(value->as_string());
  return fail(ErrorCode::kBadResponse, fmt::format("{}: `{}`: expected a string, found {}", where,
                                                   name, json::describe(value->type())));
}

}  // namespace

Result<FetchedCredentials> read_credentials(std::string_view where, std::string_view text) {
  const auto document = json::Document::parse(text);
  // A parser's error message could quote a part of the secret.
  if (!document || !document->root().is_object())
    return fail(
        ErrorCode::kBadResponse,
        fmt::format("{}: expected a JSON object with AccessKeyId and SecretAccessKey, found "
                    "something else",
                    where));
  const json::Value root = document->root();
  TRY(std::string id, text_in(root, "AccessKeyId", where));
  TRY(std::string key, text_in(root, "SecretAccessKey", where));
  TRY(std::string token, text_in(root, "SessionToken", where));
  if (token.empty()) {
    TRY(token, text_in(root, "Token", where));
  }
  TRY(const std::string expiration, text_in(root, "Expiration", where));
  TRY(aws::Credentials credentials,
      aws::checked_credentials(where, std::move(id), std::move(key), std::move(token)));
  FetchedCredentials out{std::move(credentials), {}};
  if (!expiration.empty()) {
    auto expires = parse_rfc3339(expiration);
    if (!expires)
      return fail(ErrorCode::kBadResponse,
                  fmt::format("{}: `Expiration`: {}", where, expires.error().message));
    out.expires = *expires;
  }
  return out;
}

Result<std::optional<FetchedCredentials>> fetch_container_credentials(
    const Environment& environment, http::Transport& transport, Clock& clock) {
  TRY(const auto host, host_of_credentials(environment));
  if (!host) return std::nullopt;
  TRY(const std::string token, authorization(environment));
  http::Request request{"GET", host->url, {{"Accept", "application/json"}}, ""};
  if (!token.empty()) request.headers.push_back({"Authorization", token});
  auto response = ask_host(request, transport, clock);
  if (!response) return fail(std::move(response).error().in(host->variable));
  constexpr int kOk = 200;
  if (response->status != kOk)
    return fail(ErrorCode::kAccessDenied,
                fmt::format("{}: the host of the container answered HTTP {}", host->variable,
                            response->status));
  TRY(FetchedCredentials fetched, read_credentials(host->variable, response->body));
  return fetched;
}

}  // namespace trainwarden::cli
