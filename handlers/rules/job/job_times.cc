#include "handlers/rules/job/job_times.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace trainwarden::rules {
namespace {

double between(sys_seconds from, sys_seconds to) {
  return std::max(0.0, static_cast<double>((to - from).count()));
}

// Until when its training counts, which may be over before the job has ended. nullopt if it has
// ended at an unknown time: its creation, which ended() falls back to, would be no time trained.
std::optional<sys_seconds> trained_until(const TrainingJob& job, sys_seconds now) {
  if (job.training_end) return job.training_end;
  return job.has_ended() ? job.last_modified : now;
}

std::optional<double> remaining(const JobTimes& times, std::optional<double> max_wait) {
  if (times.ended) return 0;
  double left = times.max_runtime_seconds - times.training_seconds.value_or(0);
  if (max_wait && times.elapsed_seconds) left = std::min(left, *max_wait - *times.elapsed_seconds);
  return std::max(0.0, left);
}

// A job that has been asked to stop may go on for long: it uploads, or hangs. Where its transitions
// do not tell since when, it changed last then or later.
std::optional<sys_seconds> stopping_since(const TrainingJob& job) {
  if (job.status != JobStatus::kStopping) return std::nullopt;
  if (job.transitions)
    for (const Transition& one : *job.transitions)
      if (one.status == SecondaryStatus::kStopping && one.start) return one.start;
  return job.last_modified;
}

}  // namespace

JobTimes job_times(const TrainingJob& job, sys_seconds now) {
  JobTimes out;
  out.ended = job.has_ended();
  const auto end = trained_until(job, now);
  if (job.created && (job.training_start || end))
    out.queued_seconds = between(*job.created, job.training_start ? *job.training_start : *end);
  if (job.training_start && end) out.training_seconds = between(*job.training_start, *end);
  if (job.training_seconds) out.training_seconds = job.training_seconds;
  // The job goes on after its training, uploading: its time does too.
  if (job.created && !out.ended) out.elapsed_seconds = between(*job.created, now);
  if (job.created && out.ended && end) out.elapsed_seconds = between(*job.created, *end);
  out.max_runtime_seconds =
      job.max_runtime_seconds.value_or(static_cast<double>(kDefaultMaxRuntimeSeconds));
  out.remaining_seconds = remaining(out, job.max_wait_seconds);
  if (const auto since = stopping_since(job)) out.stopping_seconds = between(*since, now);
  return out;
}

namespace {

// When a segment ended: as its transition says, else when the next one began; the last one goes on.
std::optional<sys_seconds> end_of_segment(const std::vector<Transition>& all, std::size_t i) {
  if (all[i].end) return all[i].end;
  return i + 1 < all.size() ? all[i + 1].start : std::nullopt;
}

// The interruptions since then. A clock that is behind the service's leaves none out.
std::optional<double> interruptions_since(const std::vector<Transition>& all, sys_seconds since) {
  double count = 0;
  for (const Transition& transition : all) {
    if (transition.status != SecondaryStatus::kInterrupted) continue;
    if (!transition.start) return std::nullopt;
    if (*transition.start >= since) count += 1;
  }
  return count;
}

}  // namespace

std::optional<SegmentTotals> segment_totals(const TrainingJob& job, sys_seconds now) {
  if (!job.transitions) return std::nullopt;
  const auto end = trained_until(job, now);
  const std::vector<Transition>& all = *job.transitions;
  SegmentTotals out;
  std::optional<sys_seconds> first;
  std::optional<sys_seconds> last;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SecondaryStatus status = all[i].status;
    const auto& from = all[i].start;
    if (status == SecondaryStatus::kInterrupted) {
      out.interruptions += 1;
      if (from) first = first ? std::min(*first, *from) : *from;
      if (from) last = last ? std::max(*last, *from) : *from;
    } else if (from &&
               (status == SecondaryStatus::kTraining || status == SecondaryStatus::kDownloading ||
                status == SecondaryStatus::kUploading)) {
      auto to = end_of_segment(all, i);
      if (!to) to = end;
      const double seconds = to ? between(*from, *to) : 0;
      out.machine_seconds += seconds;
      if (status == SecondaryStatus::kTraining) out.training_seconds += seconds;
    }
  }
  if (first && last) out.window_seconds = between(*first, *last);
  out.interruptions_6h = interruptions_since(all, now - std::chrono::hours(6));
  out.interruptions_24h = interruptions_since(all, now - std::chrono::hours(24));
  return out;
}

std::optional<double> billed_seconds(const TrainingJob& job) {
  const bool known =
      job.has_ended() || (job.billable_seconds.value_or(0) > 0 && job.training_seconds);
  return known ? job.billable_seconds : std::nullopt;
}

std::optional<double> saved_fraction(double billed, double trained) {
  if (!(trained > 0) || !(billed >= 0)) return std::nullopt;
  // 2000 of 10000 is 0.2; 1 - 0.8 would be a little less.
  return std::clamp((trained - billed) / trained, 0.0, 1.0);
}

std::optional<double> spot_saved_fraction(const TrainingJob& job) {
  const auto billed = billed_seconds(job);
  if (!job.spot || !billed || !job.training_seconds) return std::nullopt;
  return saved_fraction(*billed, *job.training_seconds);
}

std::optional<PoolTimes> pool_times(const TrainingJob& job, sys_seconds now) {
  if (job.warm_pool.status != PoolStatus::kAvailable) return std::nullopt;
  PoolTimes out;
  if (job.training_end)
    out.idle_seconds = between(*job.training_end, now);
  else if (job.warm_pool.retained_seconds)
    out.idle_seconds = *job.warm_pool.retained_seconds;
  else
    return std::nullopt;
  if (job.keep_alive_seconds)
    out.remaining_seconds = std::max(0.0, *job.keep_alive_seconds - out.idle_seconds);
  return out;
}

double pool_seconds(const TrainingJob& job) {
  const WarmPool& pool = job.warm_pool;
  if (pool.status == PoolStatus::kTerminated || pool.status == PoolStatus::kReused)
    return pool.retained_seconds.value_or(0);
  // SageMaker keeps none of spot machines and of instance groups.
  if (job.spot || job.has_instance_groups) return 0;
  return std::max(0.0, job.keep_alive_seconds.value_or(0));
}

double unbilled_seconds(const TrainingJob& job, sys_seconds now) {
  const bool billed = billed_seconds(job).has_value();
  if (billed && job.has_ended()) return 0;
  double paid = job_times(job, now).training_seconds.value_or(0);
  // TrainingTimeInSeconds is as old as the bill that it stands beside.
  if (billed && job.training_start) paid = between(*job.training_start, now);
  if (job.spot)
    if (const auto found = segment_totals(job, now)) paid = found->machine_seconds;
  return billed ? std::max(0.0, paid - job.training_seconds.value_or(0)) : paid;
}

double paid_seconds(const TrainingJob& job, sys_seconds now) {
  return billed_seconds(job).value_or(0) + unbilled_seconds(job, now);
}

}  // namespace trainwarden::rules
