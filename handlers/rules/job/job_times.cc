#include "handlers/rules/job/job_times.h"

#include <algorithm>
#include <vector>

namespace trainwarden::rules {
namespace {

// What CreateTrainingJob gives a job that names no limit.
constexpr double kDefaultMaxRuntime = 86'400;

double between(sys_seconds from, sys_seconds to) {
  return std::max(0.0, static_cast<double>((to - from).count()));
}

// When it stopped training, or will be looked at as if it had: now, if it goes on. nullopt where it
// has ended and nobody says when.
std::optional<sys_seconds> end_of(json::Value describe, bool ended, sys_seconds now) {
  if (const auto end = time_of(describe, "TrainingEndTime")) return end;
  return ended ? time_of(describe, "LastModifiedTime") : now;
}

std::optional<double> remaining(const JobTimes& times, std::optional<double> max_wait) {
  if (times.ended) return 0;
  double left = times.max_runtime_seconds - times.training_seconds.value_or(0);
  if (max_wait && times.elapsed_seconds) left = std::min(left, *max_wait - *times.elapsed_seconds);
  return std::max(0.0, left);
}

}  // namespace

bool has_ended(json::Value describe) {
  const auto status = string_of(describe, "TrainingJobStatus");
  return status && is_terminal(*status);
}

std::optional<sys_seconds> ended_at(json::Value describe) {
  for (const std::string_view member : {"TrainingEndTime", "LastModifiedTime", "CreationTime"})
    if (const auto time = time_of(describe, member)) return time;
  return std::nullopt;
}

JobTimes job_times(json::Value describe, sys_seconds now) {
  JobTimes out;
  out.ended = has_ended(describe);
  const auto created = time_of(describe, "CreationTime");
  const auto started = time_of(describe, "TrainingStartTime");
  const auto end = end_of(describe, out.ended, now);
  if (created && (started || end))
    out.queued_seconds = between(*created, started ? *started : *end);
  if (started && end) out.training_seconds = between(*started, *end);
  if (const auto told = number_of(describe, "TrainingTimeInSeconds")) out.training_seconds = told;
  // The job goes on after its training, uploading: its time does too.
  if (created && !out.ended) out.elapsed_seconds = between(*created, now);
  if (created && out.ended && end) out.elapsed_seconds = between(*created, *end);
  const auto limits = describe.find_present("StoppingCondition");
  const auto limit = [&limits](std::string_view member) {
    return limits ? number_of(*limits, member) : std::nullopt;
  };
  out.max_runtime_seconds = limit("MaxRuntimeInSeconds").value_or(kDefaultMaxRuntime);
  out.remaining_seconds = remaining(out, limit("MaxWaitTimeInSeconds"));
  return out;
}

namespace {

// When a spell ended: as its transition says, else when the next one began; the last one goes on.
std::optional<sys_seconds> end_of_spell(json::Value transition, std::optional<json::Value> next) {
  if (const auto end = time_of(transition, "EndTime")) return end;
  return next ? time_of(*next, "StartTime") : std::nullopt;
}

}  // namespace

std::optional<SegmentTotals> segment_totals(json::Value describe, sys_seconds now) {
  const auto transitions = describe.find_present("SecondaryStatusTransitions");
  if (!transitions || !transitions->is_array()) return std::nullopt;
  const auto end = end_of(describe, has_ended(describe), now);
  SegmentTotals out;
  std::optional<sys_seconds> first;
  std::optional<sys_seconds> last;
  std::vector<json::Value> all;
  for (json::Value transition : transitions->elements()) all.push_back(transition);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto status = string_of(all[i], "Status");
    const auto from = time_of(all[i], "StartTime");
    if (status == "Interrupted") {
      out.interruptions += 1;
      if (from) first = first ? std::min(*first, *from) : *from;
      if (from) last = last ? std::max(*last, *from) : *from;
    } else if (from && (status == "Training" || status == "Downloading" || status == "Uploading")) {
      auto to = end_of_spell(all[i], i + 1 < all.size() ? std::optional(all[i + 1]) : std::nullopt);
      if (!to) to = end;
      const double seconds = to ? between(*from, *to) : 0;
      out.machine_seconds += seconds;
      if (status == "Training") out.training_seconds += seconds;
    }
  }
  if (first && last) out.window_seconds = between(*first, *last);
  return out;
}

double paid_seconds(json::Value describe, sys_seconds now) {
  if (const auto billed = number_of(describe, "BillableTimeInSeconds")) return *billed;
  const double trained = job_times(describe, now).training_seconds.value_or(0);
  const auto spot = describe.find_present("EnableManagedSpotTraining");
  if (!spot || !spot->is_boolean() || !spot->as_boolean()) return trained;
  const auto found = segment_totals(describe, now);
  return found ? found->machine_seconds : trained;
}

}  // namespace trainwarden::rules
