// How long a job's logs have been silent. Where CloudWatch Logs can be asked for a job's last line,
// that is known to the second. Elsewhere it can only say whether the job wrote a line since some
// instant. So it is asked at the seconds at which a condition of the policy changes its answer, and
// the result is a lower bound that no condition can tell from the exact number.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::string_view kSilentSeconds = "silent_seconds";
// A log group may keep its events for no longer than this. Expired lines must not count as silence.
inline constexpr std::chrono::hours kLongestSilence{24};

// Reports a test that asks for anything but a number of seconds, or for more than kLongestSilence.
// Warns of a threshold so short that the usual delay of log lines passes it.
void review_silence(const Test& test, const JsonPath& where, Diagnostics& diagnostics);

// From how many whole seconds of silence on the test passes for good (`>=`, `>`), or fails for good
// (`<`, `<=`, a range, a number); nullopt if it does not. Only what rests on that is about a job
// that fell silent (P7).
std::optional<std::chrono::seconds> silence_that_passes(const Test& test);
std::optional<std::chrono::seconds> silence_that_fails(const Test& test);

// The whole seconds from which on a test that review_silence accepted has another answer than
// before. The first is 0 unless only a long silence passes: then no job is too young for it.
std::vector<std::chrono::seconds> silences_asked(const Test& test);

// Whether the job wrote a line within that time, by that document of Source::kSilence.
bool is_writing(json::Value silence, std::chrono::seconds within);

}  // namespace trainwarden::rules
