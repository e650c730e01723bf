// A stop with grace_seconds (policy.md A1): the first time that its rule holds, people are told
// when the stop comes; it is done by the first look after that time for which the rule still holds.
// Both are kept in the job's item, so that nobody is stopped unannounced, whoever dies in between.
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

// look: of the job, which runs, and for which the rule asks for that stop. id, item: the job's.
// nullopt where the stop is due now, or is not announced at all. The announcement is claimed here,
// and published with what else is told.
std::optional<ActionOutcome> see_to_grace(const Subject& subject, const SecondLook& look,
                                          const rules::Action& stop, const std::string& id,
                                          const rules::JobItem& item);

// Whether that stop is announced, and not due yet: a look that finds so stops nobody. False where
// the item cannot be read.
bool waits_for_grace(const rules::Sources& sources, const rules::Decision& decision,
                     const rules::Action& stop, const Apis& apis);

// The rules that announced a stop of that item's job, as this invocation saw it last.
std::vector<std::string> announced_by(const std::string& id, const Apis& apis);

// They do not hold any more: if they hold later, that is announced again.
Result<void> end_graces(const std::string& id, std::span<const std::string> rules,
                        const Apis& apis);

}  // namespace trainwarden::actions
