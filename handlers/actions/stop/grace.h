// A stop with grace_seconds (policy.md A1). The first time that its rule holds, people are notified
// of when the stop comes. The first look after that time stops the job if the rule still holds. The
// job's item keeps both the announced time and the claim of the notice, so that no job is stopped
// unannounced, even if a function dies in between. It also keeps when a look last found that the
// rule held: an announcement that none confirms lapses.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/rules/state/job_item.h"

namespace trainwarden::actions {

// look: at the running job for which the rule asks for `stop`. id, item: of the job. nullopt if the
// stop is due now, or needs no announcement. The announcement is claimed here, and published with
// the job's other notices.
std::optional<ActionOutcome> handle_grace(const Subject& subject, const Rechecked& rechecked,
                                          const rules::Action& stop, const std::string& id,
                                          const rules::JobItem& item);

// Whether the stop was announced and is not due yet, so that the job would not be stopped now.
// False if the item cannot be read.
bool waits_for_grace(const rules::Sources& sources, const rules::Decision& decision,
                     const rules::Action& stop, const Apis& apis);

// Confirms the announcements of rules that were found to hold, and takes back those of rules that
// no longer do: if such a rule holds again later, its stop is announced again. Makes no call if
// there is nothing to write. item: of the job, as this invocation last saw it.
Result<void> review_graces(const std::string& id, const rules::JobItem& item,
                           std::span<const std::string> held, std::span<const std::string> over,
                           const Apis& apis);

}  // namespace trainwarden::actions
