#include "handlers/rules/restart/by_hand.h"

#include <limits>
#include <string>
#include <utility>

namespace trainwarden::rules {
namespace {

bool leaves_nothing_to_run(Why why) { return why == Why::kCompleted || why == Why::kBeingDeleted; }

// Who stopped the job, as far as its tags and its states tell.
std::optional<Reason> stop_reason(const RestartCase& found) {
  const auto action = found.tags.action.value_or("");
  if (action == kStopAction)
    return Reason{.why = Why::kRuleStopped, .name = std::string(found.tags.rule.value_or(""))};
  if (action == kRestartAction) return std::nullopt;
  const TrainingJob& job = found.job;
  if (job.status == JobStatus::kStopping && !is_limit(job.secondary))
    return Reason{.why = Why::kStoppedOnPurpose};
  return why_stopped(job, JobItem(), found.now);
}

}  // namespace

ByHand judge_by_hand(const RestartCase& found, const Restart& options, const TrainingJob* parent) {
  ByHand out;
  for (Reason& reason : all_against_copy(found)) {
    if (!leaves_nothing_to_run(reason.why))
      out.doubts.push_back(std::move(reason));
    else if (!out.refusal)
      out.refusal = std::move(reason);
  }
  if (auto stopped = stop_reason(found)) out.doubts.push_back(*std::move(stopped));
  auto doubt = why_no_restart(found, options, parent);
  while (doubt) {
    const bool at_limit = doubt->why == Why::kLimit;
    out.doubts.push_back(*std::move(doubt));
    if (!at_limit) break;
    Restart unlimited = options;
    unlimited.limit = std::numeric_limits<std::int64_t>::max();
    doubt = why_no_restart(found, unlimited, parent);
  }
  return out;
}

std::optional<sys_seconds> earliest_copy(const TrainingJob& original) {
  if (original.training_end) return original.training_end;
  if (original.transitions && !original.transitions->empty() && original.transitions->back().start)
    return original.transitions->back().start;
  return original.created;
}

}  // namespace trainwarden::rules
