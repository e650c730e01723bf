// How long a job's logs are silent: the one fact that nobody can look up. CloudWatch Logs tells
// whether a job wrote a line since some instant, not when it wrote its last one. So it is asked at
// the thresholds that a policy names, and what comes out is a lower bound that is right at each of
// them: `silent_seconds` is at least a threshold if, and only if, the whole seconds of silence are.
// Conditions that such a bound cannot answer (`<`, `=`, anything-but, exists) are refused.
#pragma once

#include <chrono>
#include <string_view>

#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::string_view kSilentSeconds = "silent_seconds";
// A log group may keep its events for no longer than that: what is gone by then was not silence.
inline constexpr std::chrono::hours kLongestSilence{24};

// Complains about a test that a lower bound cannot answer, or not for so long; warns of one that
// lines which are under way pass.
void review_silence(const Test& test, const JsonPath& where, Diagnostics& diagnostics);

// The least whole seconds of silence that pass a test which review_silence let pass.
std::chrono::seconds silence_asked(const Test& test);

// Whether a job with that document of Source::kSilence wrote within the shortest silence asked for.
bool is_writing(json::Value silence);

}  // namespace trainwarden::rules
