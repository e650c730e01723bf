// `trainwarden explain`: what a policy would do about one event, because of which values, and what
// it would have to ask AWS for. It makes no calls: a fact that is not given is unknown, and is
// reported as needed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/facts/source.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

// The members hold the files' contents, not their paths.
struct ExplainInputs {
  std::string policy;
  std::string event = {};          // empty: derived from `job`
  std::optional<std::string> job;  // DescribeTrainingJob's answer
  std::optional<std::string> tags;
  std::optional<std::string> logs;   // end of its log: lines, oldest first
  std::optional<std::string> fleet;  // the members of `fleet` that matter
  sys_seconds now;
  bool json = false;
  Screen screen = {};
};

Printed explain(const ExplainInputs& inputs);

}  // namespace trainwarden::cli
