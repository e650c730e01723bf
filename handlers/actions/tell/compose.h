// Composes the notices of a stop, restart or release before it is done, and of a restart's end.
#pragma once

#include <optional>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/resume.h"

namespace trainwarden::actions {

// Of a job that is about to be stopped, for good (kStopped) or to be run again (kRestarted), or
// whose warm pool is about to be let go (kReleased): to be claimed before that is asked for, since
// afterwards the rule no longer matches. sources: of the look. resume: what its copy goes on from.
std::vector<Prepared> prepare_for_act(const Subject& subject, const rules::Decision& decision,
                                      const rules::Sources& sources, rules::NoticeOutcome outcome,
                                      const std::optional<rules::Resume>& resume = {});

// Of a job whose stop is announced for that time (A1): the environment's people hear of it where
// the rule tells nobody.
std::vector<Prepared> prepare_warning(const Subject& subject, const rules::Decision& decision,
                                      const rules::Sources& sources, const rules::Reason& later);

// The same for a tuner, which is about to be stopped with all that it runs.
std::vector<Prepared> prepare_for_tuner(const Subject& subject, const rules::Decision& decision,
                                        const rules::Sources& sources,
                                        const rules::StoppedTuner& tuner);

// The result of a restart's pending copy. It goes where the rule that asks for it now notifies. If
// asked is nullptr, it goes where the rule that began it notifies, else to the environment's topic;
// nowhere if that rule only observes by now. sources: Describe's, or none if the job is gone.
std::vector<Prepared> prepare_end(const Subject& subject, const rules::Sources& sources,
                                  const rules::RestartRecord& restart, const rules::Decision* asked,
                                  rules::NoticeOutcome outcome, const ActionOutcome& end);

// Replaces the notice that the job is being stopped for a restart, if that was not sent before the
// copy was made.
std::vector<Prepared> prepare_late(const Subject& subject, const rules::Sources& sources,
                                   const rules::RestartRecord& restart, const ActionOutcome& end);

}  // namespace trainwarden::actions
