#include "handlers/rules/failure/level.h"

#include <array>
#include <cstdint>

#include "handlers/rules/failure/heads.h"

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

}  // namespace trainwarden::rules
