#include "handlers/rules/job/training_segment.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {
namespace {

std::unexpected<Reason> untold(Why why) { return std::unexpected(Reason{.why = why}); }

}  // namespace

std::expected<sys_seconds, Reason> current_training(json::Value describe) {
  const auto status = string_of(describe, "TrainingJobStatus").value_or("?");
  const auto secondary = string_of(describe, "SecondaryStatus").value_or("?");
  if (status != "InProgress" || secondary != "Training")
    return std::unexpected(
        Reason{.why = Why::kNotTraining, .name = fmt::format("{}/{}", status, secondary)});
  const auto transitions = describe.find_present("SecondaryStatusTransitions");
  if (!transitions || transitions->size() == 0) return untold(Why::kNoTransitions);
  std::optional<sys_seconds> latest;
  std::optional<json::Value> last;
  for (const json::Value transition : transitions->elements()) {
    const auto time = time_of(transition, "StartTime");
    if (!time) return untold(Why::kTransitionWithoutStart);
    if (latest && *time < *latest) return untold(Why::kTransitionsOutOfOrder);
    latest = time;
    last = transition;
  }
  if (!last) return untold(Why::kNoTransitions);
  if (string_of(*last, "Status") != "Training") return untold(Why::kLastIsNotTraining);
  if (last->find_present("EndTime")) return untold(Why::kLastHasEnded);
  return *latest;
}

}  // namespace trainwarden::rules
