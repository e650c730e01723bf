#include "handlers/rules/failure/json_line.h"

#include <algorithm>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/prefix.h"
#include "handlers/rules/failure/word_lists.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {
namespace {

std::optional<std::string_view> member_of(json::Value line, Words names) {
  for (const std::string_view name : names)
    if (const auto value = line.find_present(name); value && value->is_string())
      return value->as_string();
  return std::nullopt;
}

bool has_one_of(json::Value line, Words names) {
  for (const std::string_view name : names)
    if (line.find_present(name)) return true;
  return false;
}

// Node's pino has numbers: 30 is INFO, 40 WARN, 50 ERROR.
std::optional<std::string_view> pino_s_level(json::Value line) {
  const auto level = line.find_present("level");
  const auto number = level ? level->as_integer() : std::nullopt;
  if (!number) return std::nullopt;
  return *number >= 50 ? "ERROR: " : *number >= 40 ? "WARN: " : "INFO: ";
}

// "ERROR: " of `error`; empty for what is no level of a logger.
std::string level_before(std::string_view level) {
  static constexpr auto kLevels = word_list("TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING",
                                            "ERROR", "CRITICAL", "FATAL");
  std::string upper(level);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return is_one(upper, kLevels) ? upper + ": " : std::string();
}

}  // namespace

std::optional<std::string> said_in_json(std::string_view line) {
  static constexpr auto kTexts = word_list("message", "msg", "log", "textPayload", "event", "body");
  static constexpr auto kLevels =
      word_list("levelname", "level", "severity", "log_level", "log.level", "severity_text", "lvl");
  static constexpr auto kNames = word_list("name");
  static constexpr auto kTimes =
      word_list("stream", "time", "timestamp", "asctime", "ts", "@timestamp");
  static constexpr auto kErrors = word_list("error", "err");
  static constexpr auto kStacks = word_list("stack", "message");  // of pino's error
  static constexpr auto kTracebacks =
      word_list("exc_info", "exception", "stack_trace", "traceback");
  while (line.ends_with('\n') || line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  // What a transport put before it stays there.
  constexpr std::size_t kLongestPrefix = 200;
  if (!line.ends_with('}')) return std::nullopt;
  const std::size_t begin = line.substr(0, kLongestPrefix).find("{\"");
  if (begin == line.npos || (begin > 0 && prefix_of(line).length < begin - 1)) return std::nullopt;
  const auto document = json::Document::parse(line.substr(begin));
  if (!document || !document->root().is_object()) return std::nullopt;
  // Loguru puts what it has beside the text in a record of its own.
  const auto record = document->root().find_present("record");
  const json::Value root = record && record->is_object() ? *record : document->root();
  const auto text = member_of(root, kTexts);
  auto level = member_of(root, kLevels);
  if (const auto named = root.find_present("level"); named && named->is_object())
    level = member_of(*named, kNames);
  const auto number = pino_s_level(root);
  if (!text || !(level || number || has_one_of(root, kTimes))) return std::nullopt;
  // Karpenter's controllers tell at INFO what they do to machines: a scheduler's report.
  if (const auto logger = root.find_present("logger");
      logger && logger->is_string() && logger->as_string().starts_with("controller"))
    return std::nullopt;
  const std::string before = number  ? std::string(*number)
                             : level ? level_before(*level)
                                     : std::string();
  std::string out = std::string(line.substr(0, begin)) + before;
  std::string said(*text);
  if (const auto error = member_of(root, kErrors); error && !error->empty())
    said.append(": ").append(*error);
  if (const auto traceback = member_of(root, kTracebacks)) said.append("\n").append(*traceback);
  if (const auto error = root.find_present("err"); error && error->is_object())
    if (const auto stack = member_of(*error, kStacks)) said.append("\n").append(*stack);
  // What is said quietly is quiet in all of its lines.
  const bool quiet = before.starts_with('T') || before.starts_with('D') ||
                     before.starts_with('I') || before.starts_with('N');
  for (const char c : said) {
    out += c;
    if (c == '\n' && quiet) out += before;
  }
  return out;
}

}  // namespace trainwarden::rules
