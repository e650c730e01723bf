#include "tests/localaws/http/sigv4_canonical.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/base/ascii.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws {
namespace {

bool unreserved(char c) {
  return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

std::string percent_encode(std::string_view text, bool keep_slash) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (unreserved(c) || (keep_slash && c == '/')) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && is_hex_digit(text[i + 1]) &&
        is_hex_digit(text[i + 2])) {
      out += static_cast<char>(hex_value(text[i + 1]) << 4U | hex_value(text[i + 2]));
      i += 2;
      continue;
    }
    out += text[i];
  }
  return out;
}

// Removes empty and "." segments and resolves ".." (RFC 3986, 5.2.4, and double slashes too).
std::string normalize(std::string_view path) {
  std::vector<std::string_view> kept;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (!segment.empty() && segment != ".") {
      kept.push_back(segment);
    }
    begin = end + 1;
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  if (out.empty() || path.ends_with('/')) out += '/';
  return out;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    pairs.emplace_back(percent_encode(percent_decode(pair.substr(0, equals)), false),
                       percent_encode(percent_decode(value), false));
  }
  std::sort(pairs.begin(), pairs.end());
  std::string out;
  for (const auto& [key, value] : pairs) {
    if (!out.empty()) out += '&';
    out.append(key).append("=").append(value);
  }
  return out;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Trimmed, and every run of white space (a folded line included) one space.
std::string canonical_value(std::string_view value) {
  std::string out;
  bool pending = false;
  for (const char c : value) {
    if (is_space(c)) {
      pending = !out.empty();
      continue;
    }
    if (std::exchange(pending, false)) out += ' ';
    out += c;
  }
  return out;
}

}  // namespace

std::string CredentialScope::text() const {
  return date + "/" + region + "/" + service + "/aws4_request";
}

std::string canonical_request(const SigningInput& input) {
  std::string out(input.method);
  const std::string path = input.normalize_path ? normalize(input.path) : std::string(input.path);
  const std::string encoded = input.encode_path ? percent_encode(path, true) : path;
  out.append("\n").append(encoded.empty() ? "/" : encoded);
  out.append("\n").append(canonical_query(input.query)).append("\n");
  std::string names;
  for (const std::string& name : input.signed_names) {
    std::string values;
    bool first = true;
    for (const Header& header : input.headers) {
      if (!equal_ignoring_case(header.name, name)) continue;
      if (!std::exchange(first, false)) values += ',';
      values += canonical_value(header.value);
    }
    out.append(name).append(":").append(values).append("\n");
    if (!names.empty()) names += ';';
    names += name;
  }
  out.append("\n").append(names).append("\n").append(input.payload_sha256);
  return out;
}

std::string string_to_sign(std::string_view timestamp, const CredentialScope& scope,
                           std::string_view canonical_request) {
  std::string out = "AWS4-HMAC-SHA256\n";
  out.append(timestamp).append("\n").append(scope.text()).append("\n");
  return out.append(sha256_hex(canonical_request));
}

std::string signature(std::string_view secret_key, const CredentialScope& scope,
                      std::string_view string_to_sign) {
  std::string key = hmac_sha256("AWS4" + std::string(secret_key), scope.date);
  key = hmac_sha256(key, scope.region);
  key = hmac_sha256(key, scope.service);
  key = hmac_sha256(key, "aws4_request");
  return hex(hmac_sha256(key, string_to_sign));
}

}  // namespace trainwarden::localaws
