// What FailureReason tells of a job that failed. It names the kind of failure reliably, and the
// cause only sometimes: the rest is in the logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::rules {

// "AlgorithmError" of "AlgorithmError: ExecuteUserScriptError: …"; empty where the text begins with
// no such word.
std::string_view failure_kind(std::string_view reason);

// 137 of "… exit code 137"; the first where there are several.
std::optional<int> exit_code(std::string_view reason);

struct Diagnosis {
  std::string_view label;   // capacity, service, timeout
  std::string_view resume;  // yes, once, no
  std::string evidence;     // the words it rests on
};

enum class Diagnosed : std::uint8_t {
  kNoFailure,   // the job has not failed, or not yet
  kTold,        // see the Diagnosis
  kAskTheLogs,  // it failed, and FailureReason does not tell why
};

// describe: DescribeTrainingJob's answer.
Diagnosed diagnose(json::Value describe, Diagnosis& out);

}  // namespace trainwarden::rules
