// Carries out decisions. Each mode has its own executor: observe mode is a separate executor, not
// enforce mode without its last step (policy.md P3, P4).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/action_result.h"

namespace trainwarden::actions {

// Every action of every decision gets an outcome, in the order of its decision's actions. An action
// that fails does not keep the others from being carried out. Tags are written first, whatever the
// rule, and notices are sent last, when the results of the other actions are known. If a rule only
// notifies and another rule may end its match, its notice is claimed before anything else is done.
// The tuner that launched the job is stopped before the job alone (P4).
// hold: if set, stops and restarts are not carried out and have this result. Nobody is notified of
// them; everything else goes on. A sweep's limit (Why::kStopsPerSweep) holds back only what no
// measurement has confirmed, by rules other than those that it lets pass, and that comes last (P7).
// passes: these rules, as indices in the policy.
// copy_may_come: a rule that restarts the job cannot be decided on yet, so the job's warm pool is
// kept for the copy (A7).
std::vector<DecisionOutcome> execute(const Subject& subject, std::vector<rules::Decision> decisions,
                                     const std::optional<rules::ActionResult>& hold = {},
                                     bool copy_may_come = false,
                                     const std::set<std::size_t>& passes = {});

}  // namespace trainwarden::actions
