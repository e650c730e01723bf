#include "handlers/rules/state/end_steps.h"

#include <utility>

#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {
namespace {

Settlement close(Closed why) { return {.kind = Settlement::Kind::kClose, .why = why}; }

bool is_overdue(const ObservedJob& job, sys_seconds now) {
  return !job.ended || now - *job.ended > kCopiedWithin;
}

sys_seconds last_attempt(const RestartRecord& restart) {
  return restart.again.value_or(restart.at);
}

// By our clock: a stop of the restart's own began by then.
sys_seconds stopped_by(const RestartRecord& restart) {
  return last_attempt(restart) + kStopFollowsWithin + kClockError;
}

// Of a restart of a job that ran: whether its stop is what ended the job.
Settlement settle_stop(const RestartRecord& restart, const ObservedJob& job, sys_seconds now) {
  if (restart.accepted) {
    // A job that was stopping already may take a stop for success.
    const bool before = job.stopping && *job.stopping + kClockError < restart.at;
    return before ? close(Closed::kNotStoppedByIt)
                  : Settlement{.kind = Settlement::Kind::kMakeCopy};
  }
  if (!is_stopped_by(restart, job)) return close(Closed::kNotStoppedByIt);
  const sys_seconds latest = stopped_by(restart);
  if (now <= latest) return {.kind = Settlement::Kind::kNotYet, .until = latest};
  return {.kind = Settlement::Kind::kMakeCopy};
}

// Of a restart of a job that runs: whether its function died, or got no answer, before anything
// stopped the job. A stop of its own would have shown by now.
bool came_to_nothing(const JobItem& item, const ObservedJob& job, sys_seconds now) {
  return job.status == ObservedJob::Status::kRuns && !item.copy && !item.restart->of_ended &&
         !item.restart->accepted && now - last_attempt(*item.restart) >= kStillUnderWay;
}

}  // namespace

bool is_stopped_by(const RestartRecord& restart, const ObservedJob& job) {
  return job.stopping && *job.stopping + kClockError >= restart.at &&
         *job.stopping <= stopped_by(restart);
}

Settlement settle(const JobItem& item, const ObservedJob& job, sys_seconds now) {
  if (!has_pending_copy(item)) return {};
  if (job.status == ObservedJob::Status::kGone) return close(Closed::kGone);
  if (came_to_nothing(item, job, now)) return close(Closed::kNoLongerAsked);
  if (!job.has_ended()) return {.kind = Settlement::Kind::kNotYet};
  if (job.status == ObservedJob::Status::kCompleted) return close(Closed::kCompleted);
  if (is_overdue(job, now)) return close(Closed::kOverdue);
  if (stop_counts(item, job, now)) return close(Closed::kStoppedForGood);
  if (item.copy) return {.kind = Settlement::Kind::kMakeCopy};
  if (!item.restart->of_ended) return settle_stop(*item.restart, job, now);
  if (item.waits && now < *item.waits)
    return {.kind = Settlement::Kind::kNotYet, .until = item.waits};
  return {.kind = Settlement::Kind::kMakeCopy};
}

Step<JobItem, bool> close_copy(JobItem item, Closed why, sys_seconds now) {
  if (!has_pending_copy(item)) return {std::move(item), false};
  item.closed = ClosedRecord{now, why};
  return {std::move(item), true};
}

Step<JobItem, OrderDecision> order_copy(JobItem item, const RestartOrder& order,
                                        std::optional<sys_seconds> waits, const ObservedJob& job,
                                        sys_seconds now) {
  const auto decide = [&](OrderDecision decision) {
    return Step<JobItem, OrderDecision>{std::move(item), decision};
  };
  if (item.closed && is_final(item.closed->why)) return decide(OrderDecision::kClosedForGood);
  if (item.copy) return decide(OrderDecision::kCopied);
  if (stop_counts(item, job, now)) return decide(OrderDecision::kStoppedForGood);
  if (has_pending_copy(item)) return decide(OrderDecision::kPendingBefore);
  item.restart = RestartRecord{.rule = order.rule,
                               .why = shortened(order.why),
                               .at = now,
                               .of_ended = true,
                               .spot = order.spot,
                               .types = order.types,
                               .settings = order.settings};
  item.closed.reset();
  item.waits = waits;
  return decide(OrderDecision::kOrdered);
}

CopyDecision may_create(const JobItem& item, const ObservedJob& job, sys_seconds now) {
  if (item.copy && item.copy->made) return CopyDecision::kMade;
  switch (settle(item, job, now).kind) {
    case Settlement::Kind::kNothingOwed:
      return CopyDecision::kNotPending;
    case Settlement::Kind::kNotYet:
      return CopyDecision::kNotYet;
    case Settlement::Kind::kClose:
      return CopyDecision::kHasToClose;
    case Settlement::Kind::kMakeCopy:
      break;
  }
  return CopyDecision::kClaimed;
}

Step<JobItem, CopyDecision> claim_copy(JobItem item, std::string_view name, const ObservedJob& job,
                                       sys_seconds now) {
  const CopyDecision decision = may_create(item, job, now);
  if (decision == CopyDecision::kClaimed && !item.copy) {
    item.copy = CopyRecord{.name = std::string(name), .at = now};
    item.stop.reset();  // one that came to nothing
  }
  return {std::move(item), decision};
}

JobItem copy_made(JobItem item) {
  if (!item.copy) return item;
  item.copy->made = true;
  item.closed.reset();
  return item;
}

bool is_that_copy(const TrainingJob& original, const TrainingJob& found, sys_seconds claimed_at) {
  if (!found.created || *found.created + kClockError < claimed_at) return false;
  return original.role_arn == found.role_arn && original.image == found.image &&
         original.algorithm_name == found.algorithm_name &&
         original.checkpoint_uri == found.checkpoint_uri;
}

}  // namespace trainwarden::rules
