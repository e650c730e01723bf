#include "handlers/rules/job/training_segment.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {
namespace {

std::unexpected<std::string> untold(std::string_view why) {
  return std::unexpected(fmt::format("when the current Training began is not known: {}", why));
}

}  // namespace

std::expected<sys_seconds, std::string> current_training(json::Value describe) {
  const auto status = string_of(describe, "TrainingJobStatus").value_or("?");
  const auto secondary = string_of(describe, "SecondaryStatus").value_or("?");
  if (status != "InProgress" || secondary != "Training")
    return std::unexpected(fmt::format("the job is not training: it is {}/{}", status, secondary));
  const auto transitions = describe.find_present("SecondaryStatusTransitions");
  if (!transitions || transitions->size() == 0) return untold("no SecondaryStatusTransitions");
  std::optional<sys_seconds> latest;
  std::optional<json::Value> last;
  for (const json::Value transition : transitions->elements()) {
    const auto time = time_of(transition, "StartTime");
    if (!time) return untold("a transition without a StartTime");
    if (latest && *time < *latest) return untold("SecondaryStatusTransitions are out of order");
    latest = time;
    last = transition;
  }
  if (!last) return untold("no SecondaryStatusTransitions");
  if (string_of(*last, "Status") != "Training")
    return untold("the last of SecondaryStatusTransitions is not Training");
  if (last->find_present("EndTime"))
    return untold("the last of SecondaryStatusTransitions has ended");
  return *latest;
}

}  // namespace trainwarden::rules
