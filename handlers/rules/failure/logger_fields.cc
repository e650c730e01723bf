#include "handlers/rules/failure/logger_fields.h"

#include <algorithm>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/level.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestField = 80;

std::string_view token_at(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  return end > kLongestField ? std::string_view() : text.substr(0, end);
}

bool begins_low(std::string_view word) {
  return !word.empty() && (word[0] == '_' || (is_letter(word[0]) && !is_capital(word[0])));
}

bool is_logger_name(std::string_view name) {
  return !name.empty() && (is_letter(name[0]) || name[0] == '_') &&
         std::ranges::all_of(name,
                             [](char c) { return is_word(c) || c == '.' || c == ':' || c == '-'; });
}

std::string_view last_part(std::string_view name) {
  const std::size_t at = name.find_last_of(".:");
  return at == name.npos ? name : name.substr(at + 1);
}

// What parts a field from the next: the length of `  - `, ` | `, ` -- `; 0 for none.
std::size_t mark_at(std::string_view text) {
  const std::size_t at = text.find_first_not_of(' ');
  if (at == 0 || at == text.npos) return 0;
  for (const std::string_view mark : {"- ", "| ", "-- "})
    if (text.substr(at).starts_with(mark)) return at + mark.size();
  return 0;
}

// `:33` behind the name of a source file or a function.
bool names_a_line(std::string_view place) {
  static constexpr auto kFiles =
      word_list(".py:", ".go:", ".cc:", ".cpp:", ".cu:", ".rs:", ".h:", ".scala:", ".java:");
  const std::size_t colon = place.rfind(':');
  if (colon == place.npos || colon + 1 == place.size() ||
      !std::ranges::all_of(place.substr(colon + 1), is_digit))
    return false;
  return has_one(place, kFiles) || place.substr(0, colon).contains(':');
}

}  // namespace

bool is_place(std::string_view inside) {
  if (inside.empty() || inside.size() > kLongestField || inside.contains(' ') ||
      !(is_letter(inside[0]) || inside[0] == '_' || inside[0] == '/'))
    return false;
  const std::size_t last = inside.rfind(':');
  // `launch.py:315:main`
  return names_a_line(inside) || (last != inside.npos && names_a_line(inside.substr(0, last)));
}

std::size_t field_after_level(std::string_view rest, bool parted) {
  if (rest.starts_with("| ") || rest.starts_with(">> ")) return rest.find(' ') + 1;
  const std::string_view token = token_at(rest);
  if (token.size() < 2) return 0;
  const bool ends = token.ends_with(':');
  // Most messages begin with a word that one blank and another word follow.
  const std::string_view next = rest.substr(token.size()).substr(0, 2);
  if (!ends && !is_digit(token.back()) && next.size() == 2 && is_letter(next[1])) return 0;
  const std::string_view name = ends ? token.substr(0, token.size() - 1) : token;
  const std::string_view after = rest.substr(token.size());
  const std::size_t mark = mark_at(after);
  const bool line_of_code =
      is_place(name) || (mark > 0 && !name.empty() && is_letter(name[0]) && name.contains(':') &&
                         std::ranges::all_of(last_part(name), is_digit));
  if (line_of_code) return token.size() + (mark > 0 ? mark : 0);
  if (!is_logger_name(name)) return 0;
  const std::size_t path = name.rfind("::");
  const std::size_t colon = name.rfind(':');
  if (colon != name.npos && (path == name.npos || colon != path + 1)) return 0;
  const bool dotted = name.contains('.') || path != name.npos || name == "__main__";
  if (mark > 0 && !ends && (dotted || (parted && begins_low(name)))) return token.size() + mark;
  // `torch.OutOfMemoryError: `, `cv2.error: ` and `socket.timeout: ` are what was said.
  static constexpr auto kRaised = word_list("rror", "xception", "timeout");
  const std::string_view last = last_part(name);
  // `org.apache.hadoop.ipc.Client: `, and no `org.apache.spark.SparkException: `
  static constexpr auto kOfJava = word_list("org.", "com.", "io.");
  if (ends && starts_with_one(name, kOfJava) && !has_one(name, kRaised)) return token.size();
  if (!dotted || !begins_low(last) || has_one(last, kRaised)) return 0;
  return ends || after.starts_with("  ") ? token.size() : 0;
}

bool is_of_spark(std::string_view line) {
  constexpr std::string_view kForm = "00/00/00 00:00:00 ";
  return line.size() > kForm.size() && line[2] == '/' && line[5] == '/' && line[8] == ' ' &&
         line[11] == ':' && line[17] == ' ';
}

std::size_t spark_s_class(std::string_view rest) {
  std::string_view token = token_at(rest);
  const std::size_t size = token.size();
  if (!token.ends_with(':')) return 0;
  token.remove_suffix(1);
  const bool is_class = token.contains('.') || (!token.empty() && is_capital(token[0]));
  return is_class && is_logger_name(token) ? size : 0;
}

// ` (2022-07-12 04:17:53,762) - …`
static bool begins_with_a_time(std::string_view behind) {
  return behind.size() > 2 && behind.starts_with(" (") && is_digit(behind[2]);
}

std::size_t name_before_level(std::string_view rest) {
  if (!begins_low(rest) && !rest.starts_with('[')) return 0;
  std::string_view token = token_at(rest);
  const std::size_t size = token.size();
  if (size < 2) return 0;
  // Most lines that begin with a word go on in small letters.
  const std::string_view next = rest.substr(size).substr(0, 2);
  if (next.size() < 2 || is_small(next[1]) || is_digit(next[1])) return 0;
  const bool colon = token.ends_with(':');
  if (colon) token.remove_suffix(1);
  if (token.starts_with('[') && token.ends_with(']')) token = token.substr(1, token.size() - 2);
  if (!is_logger_name(token) || !begins_low(token)) return 0;
  std::string_view after = rest.substr(size);
  const std::size_t mark = mark_at(after);
  after.remove_prefix(mark);
  while (after.starts_with(' ')) after.remove_prefix(1);
  const std::string_view word = after.substr(
      0, static_cast<std::size_t>(std::ranges::find_if_not(after, is_word) - after.begin()));
  if (word.size() < 4 || !is_capital(word[0]) || !is_capital(word[1]) || !level_of(word)) return 0;
  const std::string_view behind = after.substr(word.size());
  const bool ends = behind.starts_with(": ") || mark_at(behind) > 0 || begins_with_a_time(behind) ||
                    ((colon || mark > 0) && behind.starts_with(' '));
  return ends ? rest.size() - after.size() : 0;
}

std::size_t keys_before_message(std::string_view rest, std::string_view& level) {
  static constexpr auto kKeys =
      word_list("time=", "ts=", "level=", "caller=", "logger=", "source=", "component=");
  constexpr std::size_t kLongestKey = 10;
  if (!begins_low(rest) || !rest.substr(0, kLongestKey).contains('=')) return 0;
  std::size_t at = 0;
  std::string_view found;
  while (starts_with_one(rest.substr(at), kKeys)) {
    const std::size_t begin = rest.find('=', at) + 1;
    const bool quoted = rest.substr(begin).starts_with('"');
    const std::size_t end = quoted ? rest.find('"', begin + 1) : rest.find(' ', begin);
    if (end == rest.npos || end - begin > kLongestField) return 0;
    if (rest.substr(at).starts_with("level=")) found = rest.substr(begin, end - begin);
    at = rest.find_first_not_of(' ', end + 1);
    if (at == rest.npos) return 0;
  }
  constexpr std::string_view kMessage = "msg=\"";
  if (found.empty() || !rest.substr(at).starts_with(kMessage)) return 0;
  level = found;
  return at + kMessage.size();
}

}  // namespace trainwarden::rules
