#include "handlers/rules/patterns/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";
constexpr std::size_t kIPv4 = 4;
constexpr std::size_t kIPv6 = 16;

using Bytes = std::vector<std::uint8_t>;

std::optional<unsigned> number(std::string_view text, int base, unsigned most) {
  unsigned out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc() || end != text.data() + text.size() || out > most) return std::nullopt;
  return out;
}

std::optional<Bytes> ipv4(std::string_view text) {
  constexpr std::size_t kLongest = 15;
  if (text.size() > kLongest) return std::nullopt;
  Bytes out;
  while (true) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const auto part = number(text.substr(0, dot), 10, 255);
    if (!part) return std::nullopt;
    out.push_back(static_cast<std::uint8_t>(*part));
    if (dot == text.size()) break;
    text.remove_prefix(dot + 1);
  }
  return out.size() == kIPv4 ? std::optional(out) : std::nullopt;
}

// Groups between colons; false if one of them is none.
bool groups(std::string_view text, Bytes& out) {
  if (text.empty()) return true;
  while (true) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto group = number(text.substr(0, colon), 16, 0xFFFF);
    if (!group || out.size() >= kIPv6) return false;
    out.push_back(static_cast<std::uint8_t>(*group >> 8U));
    out.push_back(static_cast<std::uint8_t>(*group & 0xFFU));
    if (colon == text.size()) return true;
    text.remove_prefix(colon + 1);
  }
}

std::optional<Bytes> ipv6(std::string_view text) {
  Bytes out;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    if (!groups(text, out) || out.size() != kIPv6) return std::nullopt;
  } else {
    Bytes tail;
    if (!groups(text.substr(0, gap), out) || !groups(text.substr(gap + 2), tail) ||
        out.size() + tail.size() > kIPv6 - 2) {
      return std::nullopt;
    }
    out.resize(kIPv6 - tail.size());
    out.insert(out.end(), tail.begin(), tail.end());
  }
  static constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  if (std::ranges::equal(std::span(out).first(kMapped.size()), kMapped)) {
    out.erase(out.begin(), out.begin() + kMapped.size());
  }
  return out;
}

std::optional<Bytes> parse(std::string_view text) {
  const bool colon = text.find(':') != std::string_view::npos;
  const auto allowed = [colon](char c) {
    return is_digit(c) ||
           (colon ? c == ':' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') : c == '.');
  };
  if (text.empty() || !std::ranges::all_of(text, allowed)) return std::nullopt;
  return colon ? ipv6(text) : ipv4(text);
}

std::string digits(const Bytes& bytes) {
  std::string out;
  for (std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xFU];
  }
  return out;
}

// As address_digits() writes them.
bool is_address_digit(char c) { return is_hex_digit(c) && !is_lower(c); }

std::unexpected<Error> expected(std::string_view what, std::string_view text) {
  return fail(ErrorCode::kInvalidPolicy, fmt::format("expected {}, found `{}`", what, text));
}

}  // namespace

std::optional<std::string> address_digits(std::string_view text) {
  const std::optional<Bytes> bytes = parse(text);
  return bytes ? std::optional(digits(*bytes)) : std::nullopt;
}

bool AddressRange::contains(std::string_view value) const {
  std::size_t fork = 0;
  while (fork < first.size() && first[fork] == last[fork]) ++fork;
  if (fork == first.size()) return false;
  if (value.size() <= fork || value.substr(0, fork) != std::string_view(first).substr(0, fork)) {
    return false;
  }
  const char c = value[fork];
  if (!is_address_digit(c)) return false;
  if (c > first[fork] && c < last[fork]) return true;
  if (c != first[fork] && c != last[fork]) return false;
  const bool low = c == first[fork];
  const std::string& bound = low ? first : last;
  const bool open = low ? open_first : open_last;
  // Along the bound: a digit further inside decides; so does the bound's end.
  for (std::size_t i = fork + 1; i < bound.size(); ++i) {
    if (i >= value.size() || !is_address_digit(value[i])) return false;
    if (value[i] != bound[i]) return low ? value[i] > bound[i] : value[i] < bound[i];
  }
  return !open;
}

std::optional<AddressRange> address_range(std::string_view text) {
  std::optional<std::string> address = address_digits(text);
  if (!address) return std::nullopt;
  AddressRange out{*address, *address};
  // The neighbour in the last digit makes it a range that holds one address only.
  const std::size_t digit = kDigits.find(address->back());
  if (digit + 1 == kDigits.size()) {
    out.first.back() = kDigits[digit - 1];
    out.open_first = true;
  } else {
    out.last.back() = kDigits[digit + 1];
    out.open_last = true;
  }
  return out;
}

Result<AddressRange> network_range(std::string_view text) {
  constexpr std::string_view kForm = "an address and a number of bits, such as \"10.0.0.0/8\"";
  std::string_view rest = text;
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return expected(kForm, text);
  std::string_view written = rest.substr(slash + 1);
  if (written.starts_with('+')) written.remove_prefix(1);
  constexpr unsigned kAnyBits = 0x7FFFFFFF;
  const auto bits = number(written, 10, kAnyBits);
  if (!bits) return expected(kForm, text);
  const std::optional<Bytes> address = parse(rest.substr(0, slash));
  if (!address) return expected("an IPv4 or IPv6 address before the slash", text);
  const std::size_t size = address->size() * 8;
  if (*bits >= size) {
    return expected(fmt::format("at most {} bits of an IPv{} address (for a single address write "
                                "it without a slash)",
                                size - 1, address->size() == kIPv4 ? 4 : 6),
                    text);
  }
  Bytes last = *address;
  for (std::size_t bit = *bits; bit < size; ++bit) {
    last[bit / 8] = static_cast<std::uint8_t>(last[bit / 8] | (0x80U >> (bit % 8)));
  }
  return AddressRange{digits(*address), digits(last)};
}

}  // namespace trainwarden::rules
