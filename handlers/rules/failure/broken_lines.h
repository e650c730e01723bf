// What became of lines on their way: colours whose escape character was written out, and several
// lines that were run together into one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// Whether a line may have such colours: anywhere, or at its beginning without an escape character.
bool has_written_colours(std::string_view line);
std::string without_written_colours(std::string_view line);

// Whether a line holds several: a traceback, or what a process said before it ended with what ended
// it.
bool lost_its_breaks(std::string_view line);

// The text with a line feed before each mark that begins a line of a log, as of a FailureReason. In
// the latter an exception that follows what was only logged begins a line, too: the program's last.
enum class Broken : std::uint8_t { kLog, kReason };
std::string broken_up(std::string_view reason, Broken what);

}  // namespace trainwarden::rules
