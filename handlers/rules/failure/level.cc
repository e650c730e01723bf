#include "handlers/rules/failure/level.h"

#include <algorithm>
#include <array>

namespace trainwarden::rules {

std::optional<Level> level_of(std::string_view word) {
  struct Name {
    std::string_view name;
    Level level;
  };
  static constexpr auto kNames = std::to_array<Name>({{"INFO", Level::kQuiet},
                                                      {"Info", Level::kQuiet},
                                                      {"info", Level::kQuiet},
                                                      {"NOTICE", Level::kQuiet},
                                                      {"DEBUG", Level::kQuiet},
                                                      {"Debug", Level::kQuiet},
                                                      {"TRACE", Level::kQuiet},
                                                      {"VERBOSE", Level::kQuiet},
                                                      {"WARNING", Level::kWarning},
                                                      {"Warning", Level::kWarning},
                                                      {"warning", Level::kWarning},
                                                      {"WARN", Level::kWarning},
                                                      {"ERROR", Level::kError},
                                                      {"Error", Level::kError},
                                                      {"error", Level::kError},
                                                      {"SEVERE", Level::kError},
                                                      {"CRITICAL", Level::kError},
                                                      {"FATAL", Level::kError}});
  const auto found = std::ranges::find_if(kNames, [word](const Name& name) {
    return name.name.size() == word.size() && name.name == word;
  });
  if (found == kNames.end()) return std::nullopt;
  return found->level;
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
