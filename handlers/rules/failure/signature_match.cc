#include "handlers/rules/failure/signature_match.h"

#include <algorithm>

#include "handlers/rules/failure/characters.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

bool in_word(char c) { return is_letter(c) || is_digit(c); }

// Whether a text without its `~` stands in the line from at on.
bool stands_at(std::string_view parts, bool ends_anywhere, std::string_view said,
               std::string_view lower, std::size_t at) {
  const std::size_t star = parts.find('*');
  std::string_view begin = parts.substr(0, star);
  const bool is_word = begin.ends_with(' ');
  if (is_word) begin.remove_suffix(1);
  if (!lower.substr(at).starts_with(begin)) return false;
  const std::size_t end = at + begin.size();
  if (star == parts.npos) return ends_anywhere || ends_word(said, end);
  if (is_word && !ends_word(said, end)) return false;
  std::size_t from = 0;
  return parts_end(parts.substr(star + 1), ends_anywhere, said, lower, end, from) != parts.npos;
}

}  // namespace

bool begins_word(std::string_view said, std::size_t at) {
  if (at == 0 || !in_word(said[at])) return true;
  const char before = said[at - 1];
  if (is_digit(said[at]))
    return !in_word(before) && !(before == '.' && at > 1 && is_digit(said[at - 2]));
  return !in_word(before) || (is_capital(said[at]) && !is_capital(before)) || is_digit(before);
}

bool ends_word(std::string_view said, std::size_t end) {
  if (end == 0 || end >= said.size() || !in_word(said[end - 1])) return true;
  const char next = said[end];
  if (is_digit(said[end - 1]))
    return !in_word(next) && !(next == '.' && end + 1 < said.size() && is_digit(said[end + 1]));
  if (!is_letter(next) || (is_capital(next) && !is_capital(said[end - 1]))) return true;
  return (next == 's' || next == 'S') && (end + 1 >= said.size() || !is_letter(said[end + 1]));
}

std::size_t parts_end(std::string_view parts, bool ends_anywhere, std::string_view said,
                      std::string_view lower, std::size_t end, std::size_t& from) {
  constexpr std::size_t kFar = 160;
  bool first = true;
  while (true) {
    const std::size_t star = std::min(parts.find('*'), parts.size());
    const std::string_view part = parts.substr(0, star);
    const bool last = star == parts.size();
    const std::string_view near = lower.substr(0, end + kFar + part.size());
    std::size_t found = near.find(part, first ? std::max(from, end) : end);
    if (first) from = found == near.npos ? std::max(from, end + kFar + 1) : found;
    first = false;
    while (last && !ends_anywhere && found != near.npos && !ends_word(said, found + part.size()))
      found = near.find(part, found + 1);
    if (found == near.npos || last) return found == near.npos ? found : found + part.size();
    end = found + part.size();
    parts.remove_prefix(star + 1);
  }
}

bool begins_somewhere(std::string_view words, std::string_view said, std::string_view lower) {
  for (std::size_t at = lower.find(words); at != lower.npos; at = lower.find(words, at + 1))
    if (begins_word(said, at)) return true;
  return false;
}

std::string signature_text(std::string_view written) {
  std::string out;
  for (const char c : written) {
    if (c == ' ' && (out.empty() || out.ends_with('*') || out.ends_with(' '))) continue;
    out += to_lower(c);
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
