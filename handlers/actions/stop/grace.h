// A stop with grace_seconds (policy.md A1). The first time that its rule holds, people are notified
// of when the stop comes. The first look after that time stops the job if the rule still holds. The
// job's item keeps both the announced time and the claim of the notice, so that no job is stopped
// unannounced, even if a function dies in between. It also keeps when a look last found that the
// rule held: an announcement that none confirms lapses.
#pragma once

#include <cstdint>
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

// What a sweep makes of an announced stop before it acts (policy.md P7).
enum class GraceStage : std::uint8_t {
  kNotAnnounced,  // or announced under another text of the rule, or the item cannot be read
  kWaits,         // announced, and not due yet: the job would not be stopped now
  kCounted,       // announced under the rule as it is, and due: it counted then
};
// id: of the job's item, which is read at most once for all of the job's rules.
GraceStage grace_stage(const std::string& id, const rules::Decision& decision,
                       const rules::Policy& policy, const Apis& apis);

// Confirms the announcements of rules that were found to hold, and takes back those of rules that
// no longer do: if such a rule holds again later, its stop is announced again. Makes no call if
// there is nothing to write. item: of the job, as this invocation last saw it.
Result<void> review_graces(const std::string& id, const rules::JobItem& item,
                           std::span<const std::string> held, std::span<const std::string> over,
                           const Apis& apis);

}  // namespace trainwarden::actions
