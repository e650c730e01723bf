#include "handlers/rules/backtest/replay.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "handlers/rules/backtest/job_summary.h"
#include "handlers/rules/backtest/replayed_stop.h"
#include "handlers/rules/decide/fleet.h"
#include "handlers/rules/job/hourly_cost.h"
#include "handlers/rules/job/job_at.h"
#include "handlers/rules/restart/guards.h"
#include "handlers/rules/state/brake.h"

namespace trainwarden::rules {
namespace {

using std::chrono::seconds;

// An absent tag counts from here on (policy.md A1).
constexpr seconds kTagsArriveWithin{15};

// Groups whose facts change while nothing happens to the job.
bool changes_with_time(Group group) {
  return group == Group::kTime || group == Group::kRuntime || group == Group::kSpot ||
         group == Group::kCost || group == Group::kFleet || group == Group::kLogs ||
         group == Group::kCheckpoint || group == Group::kUntil;
}

template <class Holds>
bool any_group(const FactPattern& pattern, Holds holds) {
  return std::ranges::any_of(pattern.any, [&](const Conjunction& conjunction) {
    return std::ranges::any_of(conjunction.parts,
                               [&](const Part& part) { return holds(part.group); });
  });
}

template <class Holds>
bool any_group(const Rule& rule, Holds holds) {
  return any_group(rule.match, holds) || any_group(rule.unless, holds) ||
         any_group(rule.policy_wide(), holds);
}

bool is_noted(const JobFinding& finding, std::size_t rule) {
  return std::ranges::find(finding.undecidable, rule, &Undecidable::rule) !=
         finding.undecidable.end();
}

sys_seconds sweep_before(sys_seconds at) { return at - at.time_since_epoch() % kSweepEvery; }

// The action of a decision that stops the job, for good or to run it again.
const Action* stopping_action(const Decision& decision) {
  const Action* out = nullptr;
  for (const Action& action : decision.actions) {
    if (action.kind == ActionKind::kStop) return &action;
    if (action.kind == ActionKind::kRestart) out = &action;
  }
  return out;
}

// Announces the stop where that was not done. Whether it is not due yet.
bool waits_for_grace(ReplayedJob& job, std::size_t rule, const Action& stop, sys_seconds at) {
  const auto [found, first] = job.graces.try_emplace(rule, at + stop.stop.grace, at);
  found->second.seen = at;
  if (at >= found->second.until) return false;
  job.try_again = true;
  return true;
}

}  // namespace

Replay::Replay(const Policy* policy, ReplayTerms terms)
    : policy_(policy),
      terms_(std::move(terms)),
      limits_(policy != nullptr ? policy->limits() : Limits()) {
  if (policy == nullptr) return;
  for (std::size_t i = 0; i < policy->rules().size(); ++i) {
    const Rule& rule = policy->rules()[i];
    if (any_group(rule, changes_with_time)) timed_.push_back(i);
    fleet_ = fleet_ || any_group(rule, [](Group group) { return group == Group::kFleet; });
  }
  for (const Watch& watch : policy->watches())
    coverage_.push_back({watch.name, watch.metric, watch.period_seconds,
                         static_cast<int>(kept_for(watch.period_seconds).count())});
}

void Replay::add(KeptJob kept) {
  JobFinding described = summary_of(kept, terms_.prices, terms_.until, policy_);
  advance(described.created);
  const std::size_t index = found_.size();
  found_.emplace_back();
  auto job =
      std::make_unique<ReplayedJob>(std::move(kept), policy_, terms_.until, std::move(described));
  const auto* const next = job->next();
  const std::size_t at = index;
  if (next != nullptr) queue_.emplace(next->at, at);
  const bool over = next == nullptr || policy_ == nullptr;
  live_.emplace(index, std::move(job));
  if (over) settle(index);
}

std::vector<JobFinding> Replay::finish() {
  advance(terms_.until + seconds(1));
  while (!live_.empty()) settle(live_.begin()->first);
  return std::move(found_);
}

// Everything before that time. What happens at the moment of a sweep happens before it.
void Replay::advance(sys_seconds until) {
  while (!live_.empty()) {
    const sys_seconds next_sweep = swept_ + kSweepEvery;
    const sys_seconds next = queue_.empty() ? sys_seconds::max() : queue_.begin()->first;
    if (std::min(next, next_sweep) >= until) break;
    if (next <= next_sweep) {
      pass_moment(queue_.begin()->second);
    } else {
      swept_ = next_sweep;
      sweep(swept_);
    }
  }
  if (live_.empty()) swept_ = std::max(swept_, sweep_before(until));
}

void Replay::pass_moment(std::size_t index) {
  ReplayedJob& job = *live_.at(index);
  const ReplayedJob::Moment moment = *job.next();
  queue_.erase({moment.at, index});
  job.pass();
  Look now{moment.at};
  if (moment.kind == ReplayedJob::Moment::Kind::kAlarm) {
    now.trigger = Trigger::kAlarm;
    now.call = &job.calls()[moment.call];
  }
  if (!job.is_stopped())
    if (const auto asked = look(index, now)) stop(*asked);
  look_behind(index, now);
  if (job.is_over() || job.next() == nullptr)
    settle(index);
  else
    queue_.emplace(job.next()->at, index);
}

// Whether a look at this moment could find what no event has told.
bool Replay::may_hold_now(const ReplayedJob& job, sys_seconds at) const {
  // Where a rule only observes it holds on, and each sweep says so.
  if (job.try_again || !terms_.as_enforced) return true;
  if (timed_.empty()) return false;
  const Facts facts =
      facts_from(job.sources_of_sweep(at), policy_->prices(), at, policy_->failures());
  return std::ranges::any_of(timed_, [&](std::size_t rule) {
    if (job.is_stopped() && job.has_asked(rule)) return false;
    const Truth verdict = rule_verdict(*policy_, rule, facts);
    // What the export lacks it lacks at the next sweep, too; the fleet is counted in a look.
    if (verdict == Truth::kUnknown && !fleet_ && is_noted(job.finding, rule)) return false;
    return verdict != Truth::kFalse;
  });
}

void Replay::sweep(sys_seconds at) {
  std::vector<Asked> measured;
  std::vector<Asked> described;
  std::vector<std::pair<std::size_t, Look>> looks;
  const auto add = [&](std::size_t index, const Look& now) {
    looks.emplace_back(index, now);
    if (live_.at(index)->is_stopped()) return;
    if (auto one = look(index, now))
      (one->decision.measured ? measured : described).push_back(*std::move(one));
  };
  for (const auto& [index, job] : live_) {
    if (!job->runs_at(at)) continue;
    const bool may_hold = may_hold_now(*job, at);
    // Alarms that stand are confirmed again (S1), also those that stood before they were asked for.
    for (const WatchCall& call : job->calls())
      if (call.at < at && at < call.until) add(index, {at, Trigger::kSweep, &call});
    if (may_hold) add(index, {at, Trigger::kSweep});
  }
  std::set<std::size_t> stopped;
  const auto costliest_first = [](const Asked& a, const Asked& b) {
    return a.hourly_cost > b.hourly_cost;
  };
  std::ranges::stable_sort(measured, costliest_first);
  for (const Asked& asked : measured) {
    const std::size_t index = asked.index;
    if (!stopped.contains(index) && stop(asked)) stopped.insert(index);
  }
  std::set<std::size_t> jobs;
  for (const Asked& asked : described)
    if (!stopped.contains(asked.index)) jobs.insert(asked.index);
  const auto most = limits_.limits().stops_per_sweep;
  const bool too_many = static_cast<std::int64_t>(jobs.size()) > most;
  std::ranges::stable_sort(described, costliest_first);
  for (const Asked& asked : described) {
    const std::size_t index = asked.index;
    if (stopped.contains(index)) continue;
    if (too_many)
      hold_back(*live_.at(index), asked,
                {.why = Why::kStopsPerSweep,
                 .number = static_cast<std::int64_t>(jobs.size()),
                 .limit = most});
    else if (stop(asked))
      stopped.insert(index);
  }
  for (const auto& [index, now] : looks) look_behind(index, now);
  // A rule that does not hold any more announces its stop anew.
  for (const auto& [index, job] : live_)
    if (job->runs_at(at))
      std::erase_if(job->graces, [&](const auto& grace) { return grace.second.seen < at; });
  std::set<std::size_t> over;
  for (const auto& [index, now] : looks)
    if (live_.at(index)->is_over()) over.insert(index);
  for (const std::size_t index : over) settle(index);
}

json::Document Replay::fleet_at(const ReplayedJob& job, sys_seconds at) const {
  FleetCount count(job.whole().name, job.whole(), at);
  const auto add = [&](const ReplayedJob& other) {
    const json::Document then = job_at(other.whole(), at);
    count.add(read_training_job(then.root()));
  };
  for (const auto& [index, other] : live_)
    if (other.get() != &job) add(*other);
  for (const auto& [end, other] : ended_) add(*other);
  return count.document();
}

// behind: without the rules that have asked to stop the job.
Evaluation Replay::evaluate(ReplayedJob& job, Sources& sources, sys_seconds at, bool behind) {
  const auto once = [&] {
    const Facts facts = facts_from(sources, policy_->prices(), at, policy_->failures());
    if (!behind) return decide(*policy_, facts, Mode::kEnforce);
    Evaluation others;
    for (std::size_t i = 0; i < policy_->rules().size(); ++i)
      if (!job.has_asked(i)) others.add(evaluate_rule(*policy_, i, facts, Mode::kEnforce));
    drop_overridden(others);
    return others;
  };
  Evaluation out = once();
  if (!out.needs.contains(Source::kFleet)) return out;
  sources.set(Source::kFleet, fleet_at(job, at));
  return once();
}

// The stop that is asked for; what else the policy does is noted. behind: by what other rules say
// of a job that one has asked to stop by what it is.
std::optional<Replay::Asked> Replay::look(std::size_t index, const Look& now, bool behind) {
  ReplayedJob& job = *live_.at(index);
  std::optional<AlarmEvent> alarm;
  if (now.call != nullptr) {
    if (!job.watched.contains(now.call->watch)) return std::nullopt;
    alarm = now.call->alarm;
  }
  Sources sources = job.sources_at(now.at, now.trigger, alarm);
  Evaluation evaluation = evaluate(job, sources, now.at, behind);
  note_undecidable(job, sources, evaluation, now.at);
  bool silent_for_long = true;
  if (now.call != nullptr) silent_for_long = confirm(job, now, sources, evaluation, behind);
  if (terms_.on_event && !behind) terms_.on_event(sources.event(), now.at, evaluation);
  std::optional<Asked> out;
  if (!behind) job.try_again = false;
  const bool runs = job.runs_at(now.at);
  for (const Decision& decision : evaluation.decisions) {
    if (!terms_.as_enforced && decision.mode != Mode::kEnforce) continue;
    do_other(job, decision, now.at, sources, behind);
    const Action* const stops = stopping_action(decision);
    if (stops == nullptr || !runs) continue;
    if (decision.rests_on_silence && !silent_for_long) continue;
    const Asked asked{index, now, decision, stops->kind == ActionKind::kRestart,
                      hourly_cost(*sources.job(), policy_->prices(), now.at)};
    if (const auto many = limits_.silent_together(now.at);
        decision.rests_on_silence && many && !behind) {
      hold_back(job, asked, *many);
      continue;
    }
    if (is_announced(*stops) && waits_for_grace(job, decision.index, *stops, now.at)) continue;
    // A stop beats a restart, and the first of each the others (P4).
    if (!out || (out->restarts && !asked.restarts)) out = asked;
  }
  return out;
}

// Each rule's first stop counts, and none after one by what the job did.
void Replay::look_behind(std::size_t index, const Look& now) {
  ReplayedJob& job = *live_.at(index);
  if (job.is_stopped()) job.try_again = false;
  while (job.judges_behind()) {
    const auto asked = look(index, now, /*behind=*/true);
    if (!asked) return;
    job.finding.behind.push_back(stop_of(job, *asked));
  }
}

// W4: what an alarm asks for, only where the breach is confirmed at that moment. Whether a silence
// has been seen for long enough to act on it.
bool Replay::confirm(ReplayedJob& job, const Look& now, const Sources& sources,
                     Evaluation& evaluation, bool behind) {
  const std::size_t watch = now.call->watch;
  const bool acts = std::ranges::any_of(evaluation.decisions, [](const Decision& decision) {
    return !only_watches(decision.actions);
  });
  if (!acts) return true;
  const auto judged = job.watches()->judge(watch, *sources.job(), now.at);
  if (!judged || judged->kind != Judgement::Kind::kConfirmed) {
    evaluation.decisions.clear();
    job.seen_silent.erase(watch);
    return true;
  }
  const auto measured = std::make_shared<Measurement>(*judged->measured);
  for (Decision& decision : evaluation.decisions)
    rules::confirm(decision, measured, judged->rests_on_silence);
  if (!judged->rests_on_silence) return true;
  const auto [seen, first] = job.seen_silent.emplace(watch, now.at);
  if (first && !behind) limits_.fell_silent(now.at);
  return now.at - seen->second >= kSilentFor;
}

void Replay::do_other(ReplayedJob& job, const Decision& decision, sys_seconds at,
                      const Sources& sources, bool behind) {
  for (const Action& action : decision.actions) {
    if (action.kind == ActionKind::kWatch) {
      for (const std::string& name : action.watches)
        if (const Watch* const watch = policy_->find_watch(name))
          job.watched.emplace(static_cast<std::size_t>(watch - policy_->watches().data()), at);
      continue;
    }
    if (action.kind == ActionKind::kStop) continue;
    if (action.kind == ActionKind::kRestart) {
      if (!job.runs_at(at)) restart_ended(job, decision, action, at, sources, behind);
      continue;
    }
    const bool before = std::ranges::any_of(job.finding.actions, [&](const ReplayedAction& done) {
      return done.rule == decision.index && done.action == action.kind;
    });
    if (!before) job.finding.actions.push_back({decision.index, action.kind, at, behind});
  }
}

// The guards' verdict alone: what a copy would have done nobody can know.
void Replay::restart_ended(ReplayedJob& job, const Decision& decision, const Action& action,
                           sys_seconds at, const Sources& sources, bool behind) {
  const TrainingJob& then = *sources.job();
  const JobTags* const tags = sources.tags();
  if (tags == nullptr || !then.has_ended()) return;
  const Lineage lineage = lineage_of(*tags, then.name);
  const RestartCase found{then, *tags, lineage, {}, at};
  auto refused = why_no_copy(found);
  if (!refused) refused = why_no_restart(found, action.restart, nullptr);
  if (!refused && !behind) refused = limits_.copy(at);
  if (refused)
    job.finding.held_back.push_back({decision.index, at, *std::move(refused)});
  else
    job.finding.actions.push_back({decision.index, ActionKind::kRestart, at, behind});
}

void Replay::hold_back(ReplayedJob& job, const Asked& asked, Reason reason) {
  job.try_again = true;
  if (!job.finding.asked) job.finding.asked = stop_of(job, asked);
  const auto same = std::ranges::find_if(job.finding.held_back, [&](const HeldBack& held) {
    return held.rule == asked.decision.index && held.reason.why == reason.why;
  });
  if (same == job.finding.held_back.end())
    job.finding.held_back.push_back({asked.decision.index, asked.look.at, std::move(reason)});
}

ReplayedStop Replay::stop_of(const ReplayedJob& job, const Asked& asked) const {
  sys_seconds at = asked.look.at;
  if (asked.decision.rests_on_absent_tag)
    at = std::max(at, job.finding.created + kTagsArriveWithin);
  return replayed_stop(job, asked.decision, asked.look.call, asked.look.trigger, asked.restarts, at,
                       terms_.prices);
}

// False where a limit holds it back.
bool Replay::stop(const Asked& asked) {
  ReplayedJob& job = *live_.at(asked.index);
  ReplayedStop stop = stop_of(job, asked);
  if (auto reason = limits_.stop(stop.at, asked.decision.rests_on_silence)) {
    hold_back(job, asked, *std::move(reason));
    return false;
  }
  if (asked.restarts) (void)limits_.copy(stop.at);
  if (!job.finding.asked) job.finding.asked = stop;
  // Behind nothing stands what comes true.
  if (stop.verdict != StopVerdict::kRule) job.finding.behind.clear();
  std::erase_if(job.finding.behind, [&](const ReplayedStop& one) { return one.rule == stop.rule; });
  job.finding.stop = std::move(stop);
  return true;
}

// The job's way through the replay is over.
void Replay::settle(std::size_t index) {
  auto node = live_.extract(index);
  std::unique_ptr<ReplayedJob> job = std::move(node.mapped());
  if (job->next() != nullptr) queue_.erase({job->next()->at, index});
  if (policy_ != nullptr) {
    count_watches(*job);
    note_unkept(*job);
    keep_curves(index, *job);
  }
  found_[index] = std::move(job->finding);
  const auto end = job->whole().ended();
  if (!fleet_ || !end) return;
  ended_.emplace_back(*end, std::move(job));
  while (!ended_.empty() && ended_.front().first + kFleetWindow < *end) ended_.pop_front();
}

}  // namespace trainwarden::rules
