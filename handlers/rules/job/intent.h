// The intent to run a job again once it has ended (policy.md A2): what a restart writes into a tag
// of the running job before it stops it, and what the job's end is held against. Only an intent
// that reads exactly as one of ours, for a job that was stopped right after it was written, is
// honoured; everything else is void and leads to nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

struct Intent {
  std::int64_t generation = 0;  // of the copy
  sys_seconds at;               // when it was written
  std::optional<bool> spot;     // as the job had it, where absent
  std::vector<std::string> instance_types;

  bool operator==(const Intent&) const = default;
};

// What stands in place of an intent that came to nothing.
inline constexpr std::string_view kVoidIntent = "void";

// "v1 gen=2 at=1783000213 spot=false types=ml.p4d.24xlarge/ml.p5.48xlarge"; nullopt where a tag
// cannot hold it.
std::optional<std::string> format_intent(const Intent& intent);
// nullopt for what is not of that form, whatever is wrong with it.
std::optional<Intent> parse_intent(std::string_view text);

// The intent in the job's tags that neither led to a copy nor came to nothing; empty where there is
// none. Of any form: it may be one that cannot be read.
std::string_view unfinished_intent(const JobTags& tags);

// The stop follows the intent at once; this much later it was somebody else's.
inline constexpr std::chrono::minutes kIntentHolds{10};
// How far the clock that wrote the intent may be ahead of SageMaker's.
inline constexpr std::chrono::seconds kClocksApart{2};
// An intent that is no older needs no newer one before the stop: that stop may be under way.
inline constexpr std::chrono::minutes kIntentFresh{5};

// For a job that is Stopped or Failed: why the intent in its tags is not what ended it; nullopt
// where it is to be honoured.
std::optional<Reason> why_void(std::string_view text, const TrainingJob& job, const JobTags& tags);

}  // namespace trainwarden::rules
