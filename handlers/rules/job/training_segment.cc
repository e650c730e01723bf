#include "handlers/rules/job/training_segment.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace trainwarden::rules {
namespace {

std::unexpected<Reason> no_segment(Why why) { return std::unexpected(Reason{.why = why}); }

std::string_view or_unknown(std::string_view text) { return text.empty() ? "?" : text; }

}  // namespace

std::expected<sys_seconds, Reason> current_training(const TrainingJob& job) {
  if (job.status != JobStatus::kInProgress || job.secondary != SecondaryStatus::kTraining)
    return std::unexpected(Reason{
        .why = Why::kNotTraining,
        .name = fmt::format("{}/{}", or_unknown(job.status_text), or_unknown(job.secondary_text))});
  if (!job.transitions || job.transitions->empty()) return no_segment(Why::kNoTransitions);
  std::optional<sys_seconds> latest;
  for (const Transition& transition : *job.transitions) {
    if (!transition.start) return no_segment(Why::kTransitionWithoutStart);
    if (latest && *transition.start < *latest) return no_segment(Why::kTransitionsOutOfOrder);
    latest = transition.start;
  }
  const Transition& last = job.transitions->back();
  if (last.status != SecondaryStatus::kTraining) return no_segment(Why::kLastIsNotTraining);
  if (last.has_end) return no_segment(Why::kLastHasEnded);
  return *latest;
}

std::optional<sys_seconds> first_training(const TrainingJob& job) {
  if (!job.transitions) return job.training_start;
  const auto first =
      std::ranges::find(*job.transitions, SecondaryStatus::kTraining, &Transition::status);
  if (first == job.transitions->end()) return std::nullopt;
  return first->start ? first->start : job.created;
}

}  // namespace trainwarden::rules
