// Why a job failed, and whether running it again from its checkpoint can help: label and resume
// verdict by the words of FailureReason and, where those do not tell, of the end of its logs. The
// table of words is in failure_signatures_*.cc. What the words mean counts, the specific over the
// general and the first error over its consequences; if they tell nothing, the label is `unknown`
// and the verdict `once`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::rules {

struct Diagnosis {
  std::string_view label;   // hardware, oom_gpu, user_code, …
  std::string_view resume;  // yes, once, no
  std::string evidence;     // the words it rests on, at most 200 bytes of one line
};

// What a text tells.
struct Told {
  Diagnosis diagnosis;
  bool conclusive;  // a log could not make it better
};

// FailureReason alone. secrets: words that evidence must not show.
Told diagnose_reason(std::string_view reason, std::span<const std::string_view> secrets = {});
// Both; log: the last lines, the oldest first. Any bytes will do.
Diagnosis diagnose_texts(std::string_view reason, std::span<const std::string_view> log,
                         std::span<const std::string_view> secrets = {});

enum class Diagnosed : std::uint8_t {
  kNoFailure,   // the job has not failed, or not yet
  kTold,        // see the Diagnosis
  kAskTheLogs,  // it failed, and FailureReason does not tell why
};

// describe: DescribeTrainingJob's answer. logs: the document of Source::kLogs, {"tail": [line, …]};
// nullopt where it is not known. The values of HyperParameters and Environment are secrets.
Diagnosed diagnose(json::Value describe, const std::optional<json::Value>& logs, Diagnosis& out);

}  // namespace trainwarden::rules
