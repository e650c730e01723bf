// What stands at fixed places of FailureReason: the kind of failure, and an exit code. What the
// text means is diagnose.h's.
#pragma once

#include <optional>
#include <string_view>

namespace trainwarden::rules {

// "AlgorithmError" of "AlgorithmError: ExecuteUserScriptError: …"; empty where the text begins with
// no such word.
std::string_view failure_kind(std::string_view reason);

// 137 of "… exit code 137"; the first where there are several.
std::optional<int> exit_code(std::string_view reason);

}  // namespace trainwarden::rules
