#include "awsapi/uri.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/ascii.h"

namespace trainwarden::aws {
namespace {

bool unreserved(char c) {
  return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// The pieces between separators; at least one.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string uri_encode(std::string_view text, KeepSlash keep_slash) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (unreserved(c) || (c == '/' && keep_slash == KeepSlash::kYes)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0x0fU];
  }
  return out;
}

std::string uri_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
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

std::string normalize_path(std::string_view path) {
  std::vector<std::string_view> kept;
  const auto segments = split(path, '/');
  for (const std::string_view segment : segments) {
    if (segment.empty() || segment == ".") continue;
    if (segment != "..")
      kept.push_back(segment);
    else if (!kept.empty())
      kept.pop_back();
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  const std::string_view last = segments.back();
  if (out.empty() || last.empty() || last == ".") out += '/';
  return out;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const std::string_view piece : split(query, '&')) {
    if (piece.empty()) continue;
    const std::size_t equals = piece.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1);
    parameters.emplace_back(uri_encode(uri_decode(piece.substr(0, equals)), KeepSlash::kNo),
                            uri_encode(uri_decode(value), KeepSlash::kNo));
  }
  std::ranges::sort(parameters);
  std::string out;
  for (const auto& [name, value] : parameters) {
    if (!out.empty()) out += '&';
    out.append(name).append("=").append(value);
  }
  return out;
}

}  // namespace trainwarden::aws
