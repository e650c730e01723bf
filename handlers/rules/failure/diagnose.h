// Why a job failed, and whether running it again from its checkpoint can help: label and resume
// verdict by FailureReason and, where that does not tell, by the end of its logs. Structure is read
// before words: which lines report a failure (structures.h), what their exceptions are
// (exceptions.h), and last what their words mean (signatures.h). If nothing tells, the label is
// `unknown` and the verdict `once`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/findings.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct Diagnosis {
  FailureLabel label = FailureLabel::kUnknown;  // hardware, oom_gpu, user_code, …
  RunAgain resume = RunAgain::kOnce;            // yes, once, no
  std::string evidence;  // the line that names the cause, at most 200 bytes of it
};

// What FailureReason alone tells.
struct ReasonDiagnosis {
  Diagnosis diagnosis;
  bool conclusive;  // a log could not make it better
};

// How a diagnosis came about, for people.
struct Reading {
  FailureLabel label = FailureLabel::kUnknown;
  RunAgain resume = RunAgain::kOnce;
  std::string line;
  std::string_view structure;  // what the line was read as
  std::string_view id;         // of the signature, or the way the line was read
  std::string_view why;
  std::string_view text;  // of the signature
};

struct Question {
  std::string_view reason;                    // FailureReason
  std::span<const std::string_view> log;      // the last lines, the oldest first; any bytes
  std::span<const std::string_view> secrets;  // words that evidence must not show
  std::span<const OwnSignature> own;          // of the policy, before ours
};

// FailureReason alone.
ReasonDiagnosis diagnose_reason(const Question& question);
// Both.
Diagnosis diagnose_texts(const Question& question);
// The same, and how it came about: the weightiest first; what follows lost against it.
Diagnosis explain_texts(const Question& question, std::vector<Reading>& why);
ReasonDiagnosis diagnose_reason(std::string_view reason,
                                std::span<const std::string_view> secrets = {});
Diagnosis diagnose_texts(std::string_view reason, std::span<const std::string_view> log,
                         std::span<const std::string_view> secrets = {});

enum class Diagnosed : std::uint8_t {
  kNoFailure,   // the job has not failed, or not yet
  kDiagnosed,   // see the Diagnosis
  kAskTheLogs,  // it failed, and FailureReason does not tell why
};

// logs: the document of Source::kLogs, {"tail": [line, …]}, or what as_logs() made of an
// earlier diagnosis of this job; nullopt where it is not known. The values of HyperParameters and
// Environment are secrets.
Diagnosed diagnose(const TrainingJob& job, const std::optional<json::Value>& logs, Diagnosis& out,
                   std::span<const OwnSignature> own = {});

// An earlier diagnosis in place of the log that it was made of: {"verdict": {…}}.
json::Document as_logs(const Diagnosis& diagnosis);

}  // namespace trainwarden::rules
