// What follows a job's end: its pending copy is made, or given up with a reason. The job's event
// and every sweep try while the item is due. A copy is given up kCopiedWithin after the job's end,
// so that a quota raised a month later, or a restored table, creates no jobs.
//
// The order of a copy: settle; the guards; copy/<name>; claim_copy; the guards once more, and
// may_create on the item as it is then, directly before each CreateTrainingJob; copy_made. A final
// result is written together with the claim of its notice (notice_claims.h), so that a function
// that dies cannot close a restart without a notice.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/state/begin_steps.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/observed_job.h"
#include "handlers/rules/state/stored.h"

namespace trainwarden::rules {

// A restart whose stop was not recorded counts if the job's Stopping began within this time after
// it, give or take kClockError. Until then its function may still be about to write the answer.
inline constexpr std::chrono::seconds kStopFollowsWithin{15};

// Whether the job's Stopping began when the restart's own stop would have made it: that of its
// first attempt or of a later one, each of which found the job running.
bool is_stopped_by(const RestartRecord& restart, const ObservedJob& job);

struct Settlement {
  enum class Kind : std::uint8_t {
    kNothingOwed,
    kNotYet,    // the job has not ended, or the copy waits: see until
    kMakeCopy,  // go on with it: the guards come first
    kClose,     // close with this reason, and notify if the job has ended
  };

  Kind kind = Kind::kNothingOwed;
  std::optional<sys_seconds> until = {};
  Closed why = Closed::kOverdue;

  bool operator==(const Settlement&) const = default;
};

// The next step for the item's pending copy. Changes nothing.
Settlement settle(const JobItem& item, const ObservedJob& job, sys_seconds now);

// Ends what is owed; nothing else is touched. For reasons of the job's end: what a restart's own
// stop came to is restart_not_done's. False where nothing is owed any more.
Step<JobItem, bool> close_copy(JobItem item, Closed why, sys_seconds now);

// A rule asks for the copy of a job that had ended: remembered, so that whoever finds the item in
// the index knows what to make. waits: from when on, where machines are waited for (A4).
enum class OrderDecision : std::uint8_t {
  kOrdered,
  kPendingBefore,  // by a restart that was begun; its own options count
  kCopied,         // made, or being made
  kStoppedForGood,
  kClosedForGood,  // what was owed for this job has ended
};
Step<JobItem, OrderDecision> order_copy(JobItem item, const RestartOrder& order,
                                        std::optional<sys_seconds> waits, const ObservedJob& job,
                                        sys_seconds now);

enum class CopyDecision : std::uint8_t {
  kClaimed,     // or found claimed and not made: create it
  kMade,        // before
  kNotPending,  // nothing is owed (any more)
  kNotYet,      // the job has not ended, or is to wait
  kHasToClose,  // settle says why
};

// After copy/<name> was written.
Step<JobItem, CopyDecision> claim_copy(JobItem item, std::string_view name, const ObservedJob& job,
                                       sys_seconds now);

// Call directly before each CreateTrainingJob, with the current item: kClaimed, or why not.
CopyDecision may_create(const JobItem& item, const ObservedJob& job, sys_seconds now);

// After CreateTrainingJob's success, or a name that was taken by the copy itself.
JobItem copy_made(JobItem item);

// The job that has the copy's name, by Describe of both: whether it is the copy that was claimed,
// created since then with the original's role, image and checkpoint. Its tags do not count, since
// others can write them.
bool is_that_copy(const TrainingJob& original, const TrainingJob& found, sys_seconds claimed_at);

}  // namespace trainwarden::rules
