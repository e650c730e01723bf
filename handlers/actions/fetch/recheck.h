// The one look before acting (policy.md A1): everything a decision rests on is read again, from
// Describe and ListTags themselves, and the rule is decided again on nothing else. What the event
// said plays no part, so a late or doubled event cannot stop a job that is in order by now.
// Where an alarm asked for it, the job must still be in a Training segment that the alarm can
// speak of (W4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "handlers/actions/context/job.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/reason.h"

namespace trainwarden::actions {

// A match that rests on an absent tag counts only from this age of the job on: tags arrive late,
// even those given with CreateTrainingJob.
inline constexpr std::chrono::seconds kTagsSettled{15};

struct Rechecked {
  // The decision as it stands now; nullopt where the rule no longer holds.
  std::optional<rules::Decision> decision;
  std::optional<rules::Reason> reason;  // there where decision is not
  std::string arn;                      // Describe's
  // What the job may still cost up to its MaxRuntime; absent without a price for its machines.
  std::optional<double> avoidable_usd;
  std::optional<double> pool_usd = {};  // what its warm pool may still cost; likewise
  // All that was read; nullopt where the job is gone.
  std::optional<rules::Sources> sources = {};
};

// Of a job that is younger than this, a missing tag tells nothing. One second more than A1 asks
// for: CreationTime may have been cut to whole seconds.
inline constexpr std::chrono::seconds kSettledAge = kTagsSettled + std::chrono::seconds(1);

// Waits until a job created then is that old. kDeadline where that leaves no time to act.
Result<void> wait_until_settled(sys_seconds created, const Apis& apis);

// Waits for kTagsSettled where the match rests on an absent tag. kUnavailable: a source could not
// be read; kDeadline: there is no time left to wait. In both cases nothing may be done.
Result<Rechecked> recheck(const Subject& subject, const rules::Decision& decision);

}  // namespace trainwarden::actions
