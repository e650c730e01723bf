// Facts that a person who wrote a job down does not give, although AWS reports them for every such
// job (policy.md T3). A rule that needs one is not decided, in a case of `test` and by `explain`
// with files alike. The engine alone would take such a fact for absent, because it assumes that a
// description is all that AWS said.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "handlers/rules/decide/truth.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// The members of a description that are not null, and those of its structures:
// "StoppingCondition", "StoppingCondition.MaxRuntimeInSeconds". Empty lists are left out.
using GivenMembers = std::set<std::string, std::less<>>;
GivenMembers given_members(json::Value job);

struct GivenFacts {
  const rules::Sources& sources;
  std::optional<sys_seconds> now;
  // The job comes from an export, so it is AWS's own answer: what the description lacks, AWS did
  // not report. But an export keeps only the hyperparameters and variables that its policy names.
  bool exported = false;
  const GivenMembers& members;  // of the job as it is written down
  bool name_is_given = false;
};

// Whether the rule holds by the facts that are given and, if it is not decided, which are missing:
// "`now` is not given". kUnavailable for every rule that is not decided.
struct GivenVerdict {
  rules::Truth verdict = rules::Truth::kFalse;
  std::set<std::string> missing = {};
  bool is_exempted = false;  // by the policy's own `unless`
};

GivenVerdict given_verdict(const GivenFacts& given, const rules::Rule& rule,
                           const rules::Facts& facts);

// The missing facts on which the confirmation of the job's alarms depends (W4). Without them,
// nothing that an alarm's message asks for is decided.
std::set<std::string> missing_for_alarms(const GivenFacts& given);

}  // namespace trainwarden::cli
