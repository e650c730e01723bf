#include "handlers/rules/failure/signatures.h"

#include <algorithm>
#include <cstdint>

#include "handlers/rules/failure/bigrams.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kAnchor = 3;
constexpr unsigned char kEndsAnywhere = 128;

std::size_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

std::size_t bucket_at(std::string_view text, std::size_t i) {
  const auto anchor = static_cast<std::uint32_t>(byte_at(text, i) << 16U |
                                                 byte_at(text, i + 1) << 8U | byte_at(text, i + 2));
  return (anchor * 2654435761U) >> 21U;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

// A word may begin here: behind no letter or digit, or as the humps of a name do. A number begins
// behind no digit and no point of another.
bool begins_word(std::string_view said, std::size_t at) {
  if (at == 0 || !is_word(said[at])) return true;
  const char before = said[at - 1];
  if (is_digit(said[at]))
    return !is_word(before) && !(before == '.' && at > 1 && is_digit(said[at - 2]));
  return !is_word(before) || (is_upper(said[at]) && !is_upper(before)) || is_digit(before);
}

// A word may end here: before no letter or digit, before a hump, or with a plural's s.
bool ends_word(std::string_view said, std::size_t end) {
  if (end == 0 || end >= said.size() || !is_word(said[end - 1])) return true;
  const char next = said[end];
  if (is_digit(said[end - 1]))
    return !is_word(next) && !(next == '.' && end + 1 < said.size() && is_digit(said[end + 1]));
  if (!is_letter(next) || (is_upper(next) && !is_upper(said[end - 1]))) return true;
  return (next == 's' || next == 'S') && (end + 1 >= said.size() || !is_letter(said[end + 1]));
}

// Whether the parts of a text stand in lower from at on, each not far from the one before.
bool stands_at(std::string_view parts, bool ends_anywhere, std::string_view said,
               std::string_view lower, std::size_t at) {
  constexpr std::size_t kFar = 160;
  std::size_t star = std::min(parts.find('*'), parts.size());
  if (!lower.substr(at).starts_with(parts.substr(0, star))) return false;
  std::size_t end = at + star;
  while (star < parts.size()) {
    parts.remove_prefix(star + 1);
    star = std::min(parts.find('*'), parts.size());
    const std::string_view part = parts.substr(0, star);
    const bool last = star == parts.size();
    const std::size_t limit = end + kFar + part.size();
    std::size_t found = lower.substr(0, limit).find(part, end);
    while (last && !ends_anywhere && found != std::string_view::npos &&
           !ends_word(said, found + part.size()))
      found = lower.substr(0, limit).find(part, found + 1);
    if (found == std::string_view::npos) return false;
    end = found + part.size();
    if (last) return true;
  }
  return ends_anywhere || ends_word(said, end);
}

bool means_another_thing(std::string_view unless, std::string_view lower, const Bigrams& pairs) {
  while (!unless.empty()) {
    const std::size_t end = std::min(unless.find('\x1f'), unless.size());
    const std::string_view words = unless.substr(0, end);
    if (pairs.may_have(words) && lower.contains(words)) return true;
    unless.remove_prefix(std::min(end + 1, unless.size()));
  }
  return false;
}

}  // namespace

namespace {

// One text of the tables.
struct Text {
  std::size_t signature;
  bool ends_anywhere;
  std::string_view parts;
};

Text take_text(std::string_view& block) {
  const auto low = static_cast<unsigned char>(block[0]);
  const auto high = static_cast<unsigned char>(block[1]);
  const auto size = static_cast<unsigned char>(block[2]);
  const Text out{low + (std::size_t{high & 127U} << 8U), (high & kEndsAnywhere) != 0,
                 block.substr(3, size)};
  block.remove_prefix(std::size_t{3} + size);
  return out;
}

std::string_view last_part(std::string_view parts) {
  const std::size_t star = parts.rfind('*');
  return star == std::string_view::npos ? parts : parts.substr(star + 1);
}

void add_hit(const Text& text, std::size_t at, std::string_view lower, const Bigrams& pairs,
             std::vector<SignatureHit>& hits) {
  const auto known = std::ranges::find(hits, text.signature, &SignatureHit::signature);
  if (known != hits.end()) {
    if (known->text.size() < text.parts.size()) known->text = text.parts;
    return;
  }
  if (!means_another_thing(kTables.signatures[text.signature].unless, lower, pairs))
    hits.push_back({text.signature, at, text.parts});
}

}  // namespace

std::vector<SignatureHit> find_signatures(std::string_view said, std::string_view lower) {
  std::vector<SignatureHit> hits;
  const Bigrams pairs(lower);
  const char* const text = lower.data();
  for (std::size_t at = 0; at + kAnchor <= lower.size(); ++at) {
    if (text[at] == ' ' || !begins_word(said, at)) continue;
    const std::size_t bucket = bucket_at(lower, at);
    const std::size_t begin = kTables.begins[bucket];
    const std::size_t end = kTables.begins[bucket + 1];
    if (begin == end) continue;
    std::string_view texts = kTables.texts.substr(begin, end - begin);
    while (!texts.empty()) {
      const Text one = take_text(texts);
      const char* const parts = one.parts.data();
      if (parts[0] == text[at] && parts[1] == text[at + 1] && parts[2] == text[at + 2] &&
          (one.parts.size() == kAnchor || at + kAnchor == lower.size() ||
           parts[3] == text[at + 3] || parts[3] == '*') &&
          pairs.may_have(last_part(one.parts)) &&
          stands_at(one.parts, one.ends_anywhere, said, lower, at))
        add_hit(one, at, lower, pairs, hits);
    }
  }
  for (std::string_view texts = kTables.inner; !texts.empty();) {
    const Text one = take_text(texts);
    const std::string_view first = one.parts.substr(0, one.parts.find('*'));
    if (!pairs.may_have(first)) continue;
    for (std::size_t at = lower.find(first); at != std::string_view::npos;
         at = lower.find(first, at + 1)) {
      if (!stands_at(one.parts, one.ends_anywhere, said, lower, at)) continue;
      add_hit(one, at, lower, pairs, hits);
      break;
    }
  }
  return hits;
}

std::string signature_text(std::string_view written) {
  std::string out;
  for (const char c : written) {
    if (c == '*')
      while (out.ends_with(' ')) out.pop_back();
    if (c == ' ' && (out.empty() || out.ends_with('*') || out.ends_with(' '))) continue;
    out += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::size_t find_text(std::string_view text, std::string_view said, std::string_view lower) {
  const bool begins_anywhere = text.starts_with('~');
  const bool ends_anywhere = text.ends_with('~');
  text = text.substr(begins_anywhere ? 1 : 0);
  if (ends_anywhere && !text.empty()) text.remove_suffix(1);
  for (std::size_t at = 0; at < lower.size(); ++at)
    if ((begins_anywhere || begins_word(said, at)) &&
        stands_at(text, ends_anywhere, said, lower, at))
      return at;
  return std::string_view::npos;
}

}  // namespace trainwarden::rules
