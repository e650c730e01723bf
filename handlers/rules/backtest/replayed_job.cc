#include "handlers/rules/backtest/replayed_job.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "handlers/rules/job/job_at.h"

namespace trainwarden::rules {

ReplayedJob::ReplayedJob(KeptJob kept, const Policy* policy, sys_seconds until,
                         JobFinding described)
    : finding(std::move(described)), kept_(std::move(kept)) {
  if (policy != nullptr && !policy->watches().empty()) {
    watches_.emplace(*policy, whole(), kept_.series);
    calls_ = watches_->calls();
  }
  add_moments(until);
}

void ReplayedJob::add_moments(sys_seconds until) {
  const TrainingJob& job = whole();
  const auto end = job.ended();
  const sys_seconds last = end.value_or(until);
  if (job.created && *job.created <= last) moments_.push_back({*job.created});
  if (job.transitions)
    for (const Transition& one : *job.transitions)
      if (one.start && *one.start > finding.created && *one.start < last)
        moments_.push_back({*one.start});
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].at < last) moments_.push_back({calls_[i].at, Moment::Kind::kAlarm, i});
  std::ranges::stable_sort(moments_, {}, &Moment::at);
  if (end) moments_.push_back({*end, Moment::Kind::kEnd});
}

bool ReplayedJob::runs_at(sys_seconds at) const {
  const auto end = whole().ended();
  return (!end || at < *end) && job_state_at(whole(), at).status == JobStatus::kInProgress;
}

bool ReplayedJob::judges_behind() const {
  const auto by_what_it_is = [](const ReplayedStop& stop) {
    return stop.verdict == StopVerdict::kRule;
  };
  return finding.asked && by_what_it_is(*finding.asked) &&
         (!finding.stop || by_what_it_is(*finding.stop)) &&
         std::ranges::all_of(finding.behind, by_what_it_is);
}

bool ReplayedJob::has_asked(std::size_t rule) const {
  return (finding.asked && finding.asked->rule == rule) ||
         (finding.stop && finding.stop->rule == rule) ||
         std::ranges::find(finding.behind, rule, &ReplayedStop::rule) != finding.behind.end();
}

const Sources& ReplayedJob::sources_of_sweep(sys_seconds at) const {
  if (!swept_) swept_ = sources_at(at, Trigger::kSweep);
  return *swept_;
}

Sources ReplayedJob::sources_at(sys_seconds at, Trigger trigger,
                                std::optional<AlarmEvent> alarm) const {
  json::Document then = job_at(whole(), at);
  const TrainingJob job = read_training_job(then.root());
  JobEvent event = kept_.sources.event();
  event.trigger = trigger;
  event.alarm = std::move(alarm);
  if (trigger != Trigger::kSweep) event.time = at;
  if (trigger == Trigger::kState) {
    event.training_job_status = std::string(job.status_text);
    event.secondary_status = std::string(job.secondary_text);
  }
  const bool ended = job.has_ended();
  Sources out(std::move(event));
  out.set(Source::kDescribe, std::move(then));
  for (const Source source : {Source::kTags, Source::kLogs}) {
    if (source == Source::kLogs && !ended) continue;
    if (const auto known = kept_.sources.known(source))
      out.set(source, json::Document::build([&](json::Sink& sink) { sink.value(*known); }));
    else if (const Error* const error = kept_.sources.unavailable(source))
      out.set_unavailable(source, *error);
  }
  if (!kept_.described) out.mark_provisional();
  return out;
}

}  // namespace trainwarden::rules
