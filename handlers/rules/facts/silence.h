// How long a job's logs have been silent: the one fact that cannot be looked up. CloudWatch Logs
// can say whether a job wrote a line since some instant, but not when it wrote its last one. So it
// is queried at the thresholds in the policy. The result is a lower bound that is exact at each of
// them: `silent_seconds` is at least a threshold if and only if the whole seconds of silence are.
// Conditions that such a bound cannot answer (`<`, `=`, anything-but, exists) are refused.
#pragma once

#include <chrono>
#include <string_view>

#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::string_view kSilentSeconds = "silent_seconds";
// A log group may keep its events for no longer than this. Expired lines must not count as silence.
inline constexpr std::chrono::hours kLongestSilence{24};

// Reports a test that a lower bound cannot answer, or whose threshold exceeds kLongestSilence.
// Warns of a threshold so short that the usual delay of log lines passes it.
void review_silence(const Test& test, const JsonPath& where, Diagnostics& diagnostics);

// The fewest whole seconds of silence that pass a test which review_silence accepted.
std::chrono::seconds silence_asked(const Test& test);

// Whether the job wrote a line within the shortest threshold, by that document of Source::kSilence.
bool is_writing(json::Value silence);

}  // namespace trainwarden::rules
