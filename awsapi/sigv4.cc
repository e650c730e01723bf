#include "awsapi/sigv4.h"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "awsapi/uri.h"
#include "runtime/base/ascii.h"

namespace trainwarden::aws {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::size_t kDate = 8;  // characters of "20150830"
constexpr std::array<std::string_view, 7> kUnsigned{
    "authorization",     "connection", "expect",         "te",
    "transfer-encoding", "user-agent", "x-amzn-trace-id"};

using Digest = SigningKey;

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};  // NOLINT
}

// OpenSSL's one-shot functions look the algorithm up at each call, which takes ten times as long
// as hashing what a request has.
class Sha256 {
 public:
  Digest of(std::initializer_list<std::string_view> parts) {
    Digest digest{};
    EVP_DigestInit_ex(context_.get(), algorithm_.get(), nullptr);
    for (const std::string_view part : parts)
      EVP_DigestUpdate(context_.get(), part.data(), part.size());
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    return digest;
  }

 private:
  struct Free {
    void operator()(EVP_MD* algorithm) const noexcept { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD, Free> algorithm_{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

Digest sha256(std::initializer_list<std::string_view> parts) {
  static thread_local Sha256 hash;
  return hash.of(parts);
}

std::string hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0x0fU];
  }
  return out;
}

// RFC 2104.
Digest hmac(std::string_view key, std::string_view message) {
  constexpr std::size_t kBlock = 64;
  constexpr char kInner = 0x36;
  constexpr char kOuter = 0x5c;
  const Digest short_key = key.size() > kBlock ? sha256({key}) : Digest{};
  if (key.size() > kBlock) key = bytes_of(short_key);
  std::array<char, kBlock> inner{};
  std::array<char, kBlock> outer{};
  inner.fill(kInner);
  outer.fill(kOuter);
  for (std::size_t i = 0; i < key.size(); ++i) {
    inner.at(i) = static_cast<char>(inner.at(i) ^ key[i]);
    outer.at(i) = static_cast<char>(outer.at(i) ^ key[i]);
  }
  const Digest hashed = sha256({{inner.data(), inner.size()}, message});
  return sha256({{outer.data(), outer.size()}, bytes_of(hashed)});
}

// Without white space at the ends, and with runs of it (a folded header's line ends too) as one
// space.
std::string trim_all(std::string_view value) {
  std::string out;
  bool gap = false;
  for (const char c : value) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      gap = !out.empty();
      continue;
    }
    if (gap) out += ' ';
    gap = false;
    out += c;
  }
  return out;
}

struct CanonicalHeader {
  std::string name;
  std::string value;
};

// Sorted by name; values of one name joined with ',' in order of arrival.
std::vector<CanonicalHeader> canonical_headers(const http::Headers& headers) {
  std::vector<CanonicalHeader> out;
  for (const http::Header& header : headers) {
    std::string name = lower_case(header.name);
    if (std::ranges::find(kUnsigned, name) != kUnsigned.end()) continue;
    const auto twin = std::ranges::find(out, name, &CanonicalHeader::name);
    if (twin == out.end())
      out.push_back({std::move(name), trim_all(header.value)});
    else
      twin->value.append(",").append(trim_all(header.value));
  }
  std::ranges::sort(out, {}, &CanonicalHeader::name);
  return out;
}

std::string join_names(const std::vector<CanonicalHeader>& headers) {
  std::string names;
  for (const auto& header : headers) {
    if (!names.empty()) names += ';';
    names += header.name;
  }
  return names;
}

}  // namespace

std::string sha256_hex(std::string_view data) { return hex(sha256({data})); }

std::string signed_headers(const http::Headers& headers) {
  return join_names(canonical_headers(headers));
}

std::string canonical_request(const http::Request& request, std::string_view body_sha256,
                              const SigningOptions& options) {
  const std::string_view target = http::target(request.url);
  const std::size_t query_at = target.find('?');
  const std::string_view path = target.substr(0, query_at);
  const std::string_view query =
      query_at == std::string_view::npos ? std::string_view() : target.substr(query_at + 1);

  const auto headers = canonical_headers(request.headers);
  std::string out = request.method;
  out += '\n';
  const std::string sent = options.normalize_path ? normalize_path(path) : std::string(path);
  out += options.encode_path ? uri_encode(sent, KeepSlash::kYes) : sent;
  out += '\n';
  out += canonical_query(query);
  out += '\n';
  for (const auto& [name, value] : headers) out.append(name).append(":").append(value).append("\n");
  out += '\n';
  out += join_names(headers);
  out += '\n';
  out += body_sha256;
  return out;
}

std::string credential_scope(const Scope& scope, sys_seconds now) {
  return fmt::format("{}/{}/{}/aws4_request", iso8601_basic(now).substr(0, kDate), scope.region,
                     scope.service);
}

std::string string_to_sign(std::string_view canonical, const Scope& scope, sys_seconds now) {
  return fmt::format("{}\n{}\n{}\n{}", kAlgorithm, iso8601_basic(now), credential_scope(scope, now),
                     sha256_hex(canonical));
}

SigningKey signing_key(const Secret& secret_access_key, const Scope& scope, std::string_view date) {
  std::string secret("AWS4");
  secret += secret_access_key.reveal();
  const Digest date_key = hmac(secret, date);
  const Digest region_key = hmac(bytes_of(date_key), scope.region);
  const Digest service_key = hmac(bytes_of(region_key), scope.service);
  return hmac(bytes_of(service_key), "aws4_request");
}

const SigningKey& SigningKeys::get(const Credentials& credentials, const Scope& scope,
                                   std::string_view date) {
  if (date != date_ || credentials.access_key_id != access_key_id_) {
    keys_.clear();
    access_key_id_ = credentials.access_key_id;
    date_ = date;
  }
  for (const auto& [of, key] : keys_)
    if (of == scope) return key;
  return keys_.emplace_back(scope, signing_key(credentials.secret_access_key, scope, date)).second;
}

std::string signature(const SigningKey& key, std::string_view to_sign) {
  return hex(hmac(bytes_of(key), to_sign));
}

std::string signature(const Secret& secret_access_key, const Scope& scope, sys_seconds now,
                      std::string_view to_sign) {
  return signature(signing_key(secret_access_key, scope, iso8601_basic(now).substr(0, kDate)),
                   to_sign);
}

http::Request sign(http::Request request, const Credentials& credentials, const Scope& scope,
                   sys_seconds now, const SigningOptions& options, SigningKeys* keys) {
  SigningKeys fresh;
  const std::string body_sha256 = sha256_hex(request.body);
  const auto has_host = [](const http::Header& header) {
    return lower_case(header.name) == "host";
  };
  if (std::ranges::none_of(request.headers, has_host))
    request.headers.push_back({"Host", http::host_header(request.url)});
  request.headers.push_back({"X-Amz-Date", iso8601_basic(now)});
  if (options.sign_body_header) request.headers.push_back({"X-Amz-Content-Sha256", body_sha256});
  const http::Header token{"X-Amz-Security-Token", std::string(credentials.session_token.reveal())};
  if (!token.value.empty() && options.sign_session_token) request.headers.push_back(token);

  const std::string to_sign =
      string_to_sign(canonical_request(request, body_sha256, options), scope, now);
  const SigningKey& key = (keys != nullptr ? *keys : fresh)
                              .get(credentials, scope, iso8601_basic(now).substr(0, kDate));
  request.headers.push_back(
      {"Authorization",
       fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                   credentials.access_key_id, credential_scope(scope, now),
                   signed_headers(request.headers), signature(key, to_sign))});
  if (!token.value.empty() && !options.sign_session_token) request.headers.push_back(token);
  return request;
}

}  // namespace trainwarden::aws
