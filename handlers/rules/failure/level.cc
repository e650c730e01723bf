#include "handlers/rules/failure/level.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "handlers/rules/failure/characters.h"
#include "handlers/rules/failure/heads.h"
#include "handlers/rules/failure/process_names.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {

std::optional<Level> level_of(std::string_view word) {
  struct Name {
    consteval Name(std::string_view name, Level level)
        : head(head_of_few(name.data(), name.size())), level(level) {}
    std::uint64_t head;
    Level level;
  };
  static constexpr auto kNames = std::to_array<Name>(
      {{"INFO", Level::kQuiet},      {"Info", Level::kQuiet},      {"info", Level::kQuiet},
       {"NOTICE", Level::kQuiet},    {"DEBUG", Level::kQuiet},     {"Debug", Level::kQuiet},
       {"TRACE", Level::kQuiet},     {"VERBOSE", Level::kQuiet},   {"WARNING", Level::kWarning},
       {"Warning", Level::kWarning}, {"warning", Level::kWarning}, {"WARN", Level::kWarning},
       {"ERROR", Level::kError},     {"Error", Level::kError},     {"error", Level::kError},
       {"SEVERE", Level::kError},    {"CRITICAL", Level::kError},  {"FATAL", Level::kError},
       {"INF", Level::kQuiet},       {"DBG", Level::kQuiet},       {"WRN", Level::kWarning},
       {"ERR", Level::kError},       {"FTL", Level::kError}});
  if (word.size() < 3 || word.size() > sizeof(std::uint64_t)) return std::nullopt;
  const std::uint64_t head = head_of(word.data(), word.size());
  for (const Name& name : kNames)
    if (name.head == head) return name.level;
  return std::nullopt;
}

std::optional<Level> level_of_letter(char letter) {
  switch (letter) {
    case 'I':
    case 'D':
    case 'V':
      return Level::kQuiet;
    case 'W':
      return Level::kWarning;
    case 'E':
    case 'F':
      return Level::kError;
    default:
      return std::nullopt;
  }
}

std::optional<Level> level_in_bracket(std::string_view inside) {
  for (std::size_t at = 0; at < inside.size();) {
    const std::string_view word = word_at(inside.substr(at));
    if (!word.empty()) {
      // `[error    ]`, too.
      const bool alone = at == 0 && inside.find_first_not_of(' ', word.size()) == inside.npos;
      if (is_capital(word[0]) || alone)
        if (const auto level = level_of(word)) return level;
      // `[NeMo E 2024-05-01 10:00:00 train:33]`
      const std::string_view next = inside.substr(at + word.size());
      if (at > 0 && word.size() == 1 && next.size() > 1 && is_digit(next[1]))
        if (const auto level = level_of_letter(word[0])) return level;
    }
    at += word.size() + 1;
  }
  // `[E 2024-…`, `[E ProcessGroupNCCL.cpp:458]`, `[E321 02:07:08.40 ProcessGroupNCCL.cpp:607]`
  if (inside.size() > 2 && (inside[1] == ' ' || inside[1] == ':' || is_digit(inside[1])) &&
      inside.contains(':'))
    return level_of_letter(inside[0]);
  return std::nullopt;
}

}  // namespace trainwarden::rules
