// What a job's end brings: the copy that is owed, or its end with a reason. What is owed is carried
// out while the item is due, by the job's event and by every sweep, and ends kCopiedWithin after
// the job did: a quota that is raised a month later, or a table that is restored, makes no jobs.
//
// The order of a copy: settle; the guards; copy/<name>; claim_copy; the guards once more, and
// may_create on the item as it is then, directly before each CreateTrainingJob; copy_made. Whatever
// ends it is written together with the claim of the notice that tells of it (notice_claims.h), so
// that nothing is closed in silence by a function that dies.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/job_look.h"
#include "handlers/rules/state/stored.h"

namespace trainwarden::rules {

// A restart whose stop nobody wrote down counts if the job's Stopping began so soon after it was
// begun. Until then its function may be about to write the answer.
inline constexpr std::chrono::seconds kStopFollowsWithin{15};

struct Settlement {
  enum class Kind : std::uint8_t {
    kNothingOwed,
    kNotYet,    // the job has not ended, or is to wait: until
    kMakeCopy,  // go on with it: the guards come first
    kClose,     // with this reason, and tell
  };

  Kind kind = Kind::kNothingOwed;
  std::optional<sys_seconds> until = {};
  Closed why = Closed::kOverdue;

  bool operator==(const Settlement&) const = default;
};

// What is to be done about what the item owes. Reads only.
Settlement settle(const JobItem& item, const JobLook& job, sys_seconds now);

// Ends what is owed; nothing else is touched. For reasons of the job's end: what a restart's own
// stop came to is restart_not_done's. False where nothing is owed any more.
Step<JobItem, bool> close_copy(JobItem item, Closed why, sys_seconds now);

// A rule asks for the copy of a job that had ended: remembered, so that whoever finds the item in
// the index knows what to make. waits: from when on, where machines are waited for (A4).
enum class OrderDecision : std::uint8_t {
  kOrdered,
  kOwedBefore,  // by a restart that was begun; its own options count
  kCopied,      // made, or being made
  kStoppedForGood,
  kClosedForGood,  // what was owed for this job has ended
};
Step<JobItem, OrderDecision> order_copy(JobItem item, const RestartOrder& order,
                                        std::optional<sys_seconds> waits, const JobLook& job,
                                        sys_seconds now);

enum class CopyDecision : std::uint8_t {
  kClaimed,     // or found claimed and not made: create it
  kMade,        // before
  kNotOwed,     // nothing is owed (any more)
  kNotYet,      // the job has not ended, or is to wait
  kHasToClose,  // settle tells why
};

// After copy/<name> was written.
Step<JobItem, CopyDecision> claim_copy(JobItem item, std::string_view name, const JobLook& job,
                                       sys_seconds now);

// Directly before each CreateTrainingJob, on the item as it is then: kClaimed, or why not.
CopyDecision may_create(const JobItem& item, const JobLook& job, sys_seconds now);

// After CreateTrainingJob's success, or a name that was taken by the copy itself.
JobItem copy_made(JobItem item);

// The job that has the copy's name, by Describe of both: whether it is the copy that was claimed,
// created since then with the original's role, image and checkpoint. Its tags do not count, since
// others can write them.
bool is_that_copy(const TrainingJob& original, const TrainingJob& found, sys_seconds claimed_at);

}  // namespace trainwarden::rules
