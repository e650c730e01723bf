// What speaks against a job that a person wants to run again (policy.md A2). Rules are refused by
// any guard. A person is refused only what would cost data, or where there is nothing to run again;
// all else is told, and the person decides. What only a look at other jobs can tell (a later job on
// the same checkpoint) is asked by the caller, and refuses.
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

// parent: null where it is not needed (needs_parent) or gone. Of a stop the job's tags tell what
// there is to tell: kRuleStopped with the rule as name, else kStoppedOnPurpose.
ByHand judge_by_hand(const RestartCase& found, const Restart& options, const TrainingJob* parent);

// The earliest that a copy of the job can have been created: not before the job had ended. Later
// changes of the job's description, such as a tag, do not move it.
std::optional<sys_seconds> earliest_copy(const TrainingJob& original);

}  // namespace trainwarden::rules
