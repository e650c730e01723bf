// Carries out decisions. Each mode has its own executor: observe mode is a separate executor, not
// enforce mode without its last step (policy.md P3, P4).
#pragma once

#include <optional>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/action_result.h"

namespace trainwarden::actions {

// Every action of every decision gets an outcome, in the order of its decision's actions; one that
// fails does not keep the others from being carried out. Tags come first, whatever the rule; people
// are told last, when it is known what came of the rest; what a rule tells that does no more is
// looked at and claimed first of all, where another rule may end its match. hold: where it is
// there, what comes of every stop and restart, which are then not done; nobody is told of them, and
// all else goes on. What launched the job is stopped before the job alone (P4). A sweep's limit
// (Why::kStopsPerSweep) holds only what no measurement has confirmed, and that comes last (P7).
// copy_may_come: a rule that restarts the job cannot be decided on yet, so that its warm pool is
// kept for the copy (A7).
std::vector<DecisionOutcome> execute(const Subject& subject, std::vector<rules::Decision> decisions,
                                     const std::optional<rules::ActionResult>& hold = {},
                                     bool copy_may_come = false);

}  // namespace trainwarden::actions
