// What stands at fixed places of FailureReason: the kind of failure that SageMaker itself names,
// and an exit code.
#pragma once

#include <optional>
#include <string_view>

#include "handlers/rules/failure/findings.h"

namespace trainwarden::rules {

// "AlgorithmError" of "AlgorithmError: ExecuteUserScriptError: …"; empty where the text begins with
// no such word.
std::string_view failure_kind(std::string_view reason);

// 137 of "… exit code 137"; the first where there are several.
std::optional<int> exit_code(std::string_view reason);

// What SageMaker itself says by the word that FailureReason begins with, where what was found in
// its text says less.
std::optional<Finding> by_kind(std::string_view reason, const std::optional<Finding>& found);

// "InternalServerError: We encountered an internal error. Please try again." and no more: a cause
// that the logs name explains it.
bool only_the_platforms_word(std::string_view reason, const std::optional<Finding>& found);

}  // namespace trainwarden::rules
