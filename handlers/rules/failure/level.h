// How loudly a logger speaks, as the levels of its lines tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainwarden::rules {

enum class Level : std::uint8_t { kNone, kQuiet, kWarning, kError };

// `INFO`, `Warning`, `error`
std::optional<Level> level_of(std::string_view word);
// `E0401`, and in brackets `E 2024` or `E ProcessGroup…`: the letters of glog.
std::optional<Level> level_of_letter(char letter);
// Of what stands in a bracket: `[error    ]`, `[INFO|trainer.py:2926]`, `[NeMo E 2024-…`.
std::optional<Level> level_in_bracket(std::string_view inside);

}  // namespace trainwarden::rules
