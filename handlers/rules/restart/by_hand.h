// The objections to a restart that a person requests (policy.md A2). Any guard refuses a rule's
// restart. A person's is refused only if it would cost data, or if there is nothing to run again;
// all other objections are warnings, and the person decides. The caller checks other jobs (such as
// a later job on the same checkpoint), and refuses by itself.
#pragma once

#include <optional>
#include <vector>

#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/restart/guards.h"

namespace trainwarden::rules {

struct ByHand {
  std::optional<Reason> refusal = {};
  std::vector<Reason> doubts = {};
};

// parent: null if it is not needed (needs_parent) or gone. Who stopped the job is read from its
// tags: kRuleStopped with the rule as name, otherwise kStoppedOnPurpose.
ByHand judge_by_hand(const RestartCase& found, const Restart& options, const TrainingJob* parent);

// The earliest time at which a copy of the job can have been created: the job's end. Later changes
// of its description, such as a new tag, do not move it.
std::optional<sys_seconds> earliest_copy(const TrainingJob& original);

}  // namespace trainwarden::rules
