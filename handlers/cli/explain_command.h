// `trainwarden explain`: what a policy would do about one event, because of which values, and what
// it would have to ask AWS for. Offline: what is not given is unknown and reported as needed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "handlers/cli/text.h"
#include "handlers/rules/facts/source.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

// Texts, not paths.
struct ExplainInputs {
  std::string policy;
  std::string event = {};          // empty: what `job` says of itself
  std::optional<std::string> job;  // DescribeTrainingJob's answer
  std::optional<std::string> tags;
  std::optional<std::string> logs;   // the end of its log: lines, the oldest first
  std::optional<std::string> fleet;  // the members of `fleet` that matter
  sys_seconds now;
  bool json = false;
  Screen screen = {};
};

Printed explain(const ExplainInputs& inputs);

// The change of state that brought the job where its description says that it is.
rules::JobEvent event_of_job(const rules::TrainingJob& job);

}  // namespace trainwarden::cli
