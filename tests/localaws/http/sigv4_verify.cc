#include "tests/localaws/http/sigv4_verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "tests/localaws/http/sigv4_canonical.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws {
namespace {

using std::chrono::minutes;

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr minutes kSkew{5};
constexpr std::string_view kMismatch =
    "The request signature we calculated does not match the signature you provided. Check your AWS "
    "Secret Access Key and signing method. Consult the service documentation for details.";

AwsError incomplete(std::string message) {
  return {400, "IncompleteSignatureException", std::move(message)};
}
AwsError invalid_signature(std::string message) {
  return {400, "InvalidSignatureException", std::move(message)};
}
AwsError unrecognized() {
  return {400, "UnrecognizedClientException",
          "The security token included in the request is invalid."};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = text.find(separator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Authorization {
  std::string credential;
  std::string signed_headers;
  std::string signature;
};

// "AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…"
Answer<Authorization> parse_authorization(std::string_view text) {
  if (!text.starts_with(kAlgorithm) || text.substr(kAlgorithm.size()).find_first_not_of(' ') == 0)
    return std::unexpected(incomplete(
        fmt::format("Unsupported AWS 'algorithm': '{}'.", text.substr(0, text.find(' ')))));
  Authorization out;
  for (const std::string& part : split(text.substr(kAlgorithm.size()), ',')) {
    const std::string_view pair = trim(part);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos)
      return std::unexpected(incomplete(fmt::format(
          "'{}' not a valid key=value pair (missing equal-sign) in Authorization header: '{}'.",
          pair, text)));
    const std::string_view key = pair.substr(0, equals);
    const std::string value(pair.substr(equals + 1));
    if (key == "Credential") out.credential = value;
    if (key == "SignedHeaders") out.signed_headers = value;
    if (key == "Signature") out.signature = value;
  }
  return out;
}

// All that lacks is told at once.
std::string what_lacks(const Authorization& authorization, bool has_date) {
  std::string out;
  if (authorization.credential.empty())
    out += "Authorization header requires 'Credential' parameter. ";
  if (authorization.signature.empty())
    out += "Authorization header requires 'Signature' parameter. ";
  if (authorization.signed_headers.empty())
    out += "Authorization header requires 'SignedHeaders' parameter. ";
  if (!has_date)
    out += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  return out;
}

std::optional<sys_seconds> parse_timestamp(std::string_view t) {
  if (t.size() != 16 || t[8] != 'T' || t[15] != 'Z') return std::nullopt;
  const auto parsed =
      parse_rfc3339(fmt::format("{}-{}-{}T{}:{}:{}Z", t.substr(0, 4), t.substr(4, 2),
                                t.substr(6, 2), t.substr(9, 2), t.substr(11, 2), t.substr(13, 2)));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<AwsError> check_time(std::string_view stamp, sys_seconds signed_at, sys_seconds now) {
  if (signed_at < now - kSkew)
    return invalid_signature(
        fmt::format("Signature expired: {} is now earlier than {} ({} - 5 min.)", stamp,
                    iso8601_basic(now - kSkew), iso8601_basic(now)));
  if (signed_at > now + kSkew)
    return invalid_signature(
        fmt::format("Signature not yet current: {} is still later than {} ({} + 5 min.)", stamp,
                    iso8601_basic(now + kSkew), iso8601_basic(now)));
  return std::nullopt;
}

// The parts after the access key: date, region, service and the terminator.
std::optional<AwsError> check_scope(const std::vector<std::string>& parts, std::string_view stamp,
                                    const Expected& expected) {
  std::string wrong;
  if (parts[2] != expected.region)
    wrong += fmt::format("Credential should be scoped to a valid region, not '{}'. ", parts[2]);
  if (parts[3] != expected.service)
    wrong +=
        fmt::format("Credential should be scoped to correct service: '{}'. ", expected.service);
  if (parts[4] != "aws4_request")
    wrong += fmt::format(
        "Credential should be scoped with a valid terminator: 'aws4_request', not '{}'. ",
        parts[4]);
  if (parts[1] != stamp.substr(0, 8))
    wrong += fmt::format(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        "'{}' != '{}', from '{}'. ",
        parts[1], stamp.substr(0, 8), stamp);
  if (wrong.empty()) return std::nullopt;
  return invalid_signature(std::move(wrong));
}

std::optional<AwsError> check_names(const HttpRequest& request,
                                    const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), "host") == names.end())
    return invalid_signature(
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  for (const std::string& name : names)
    if (!request.header(name))
      return invalid_signature(fmt::format(
          "'{}' is named as a SignedHeader, but it does not exist in the HTTP request.", name));
  return std::nullopt;
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

std::optional<AwsError> verify_signature(const HttpRequest& request, const Credentials& credentials,
                                         const Expected& expected) {
  const auto header = request.header("Authorization");
  if (!header || header->empty())
    return AwsError{400, "MissingAuthenticationTokenException", "Missing Authentication Token"};
  const Answer<Authorization> authorization = parse_authorization(*header);
  if (!authorization) return authorization.error();
  const auto stamp = request.header("X-Amz-Date");
  if (std::string lacks = what_lacks(*authorization, stamp.has_value()); !lacks.empty())
    return incomplete(std::move(lacks));

  const std::vector<std::string> credential = split(authorization->credential, '/');
  if (credential.size() != 5)
    return incomplete(
        fmt::format("Credential must have exactly 5 slash-delimited elements, e.g. "
                    "keyid/date/region/service/term, got '{}'.",
                    authorization->credential));
  const auto signed_at = parse_timestamp(*stamp);
  if (!signed_at)
    return incomplete(
        fmt::format("Date must be in ISO-8601 'basic format'. Got '{}'. See "
                    "http://en.wikipedia.org/wiki/ISO_8601.",
                    *stamp));
  std::vector<std::string> names = split(authorization->signed_headers, ';');
  if (auto wrong = check_names(request, names)) return wrong;
  if (auto wrong = check_scope(credential, *stamp, expected)) return wrong;
  if (auto wrong = check_time(*stamp, *signed_at, expected.now)) return wrong;
  if (credential[0] != credentials.access_key_id) return unrecognized();
  const std::string_view token = request.header("X-Amz-Security-Token").value_or("");
  if (!same(token, credentials.session_token.reveal())) return unrecognized();

  // S3 takes a body in parts, or unsigned, where the header says so; and no request without it.
  const bool s3 = expected.service == "s3";
  const auto claimed = request.header("X-Amz-Content-Sha256");
  if (s3 && !claimed)
    return AwsError{400, "InvalidRequest",
                    "Missing required header for this request: x-amz-content-sha256"};
  const bool told = s3 && (claimed->starts_with("STREAMING-") || *claimed == "UNSIGNED-PAYLOAD");
  const std::string payload = told ? std::string(*claimed) : sha256_hex(request.body);
  if (claimed && *claimed != payload) return invalid_signature(std::string(kMismatch));
  const CredentialScope scope{credential[1], credential[2], credential[3]};
  const SigningInput input{.method = request.method,
                           .path = request.path(),
                           .query = request.query(),
                           .headers = request.headers,
                           .signed_names = names,
                           .payload_sha256 = payload,
                           .normalize_path = !s3,
                           .encode_path = !s3};
  const std::string text = string_to_sign(*stamp, scope, canonical_request(input));
  if (!same(signature(credentials.secret_access_key.reveal(), scope, text),
            authorization->signature))
    return invalid_signature(std::string(kMismatch));
  return std::nullopt;
}

}  // namespace trainwarden::localaws
