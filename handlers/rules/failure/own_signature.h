// A signature that a team wrote itself, in the `failures` of its policy. It counts before ours, and
// like ours only on lines that may bear a verdict.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace trainwarden::rules {

struct OwnSignature {
  std::string text;         // as in signatures.json: `*` for anything in between; lower case
  std::string_view label;   // one of kFailureLabels
  std::string_view resume;  // one of kResumeVerdicts
  std::string why;
};

// What a diagnosis can say.
inline constexpr auto kFailureLabels = std::to_array<std::string_view>(
    {"service", "capacity", "hardware", "network", "oom_gpu", "oom_host", "disk", "data",
     "permission", "quota", "config", "user_code", "timeout", "interrupted", "unknown"});
inline constexpr auto kResumeVerdicts = std::to_array<std::string_view>({"yes", "once", "no"});

}  // namespace trainwarden::rules
