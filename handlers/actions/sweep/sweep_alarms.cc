#include "handlers/actions/sweep/sweep_alarms.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/log_memory.h"
#include "handlers/actions/sweep/work_queue.h"
#include "handlers/rules/facts/facts.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html: three a
// second. The calls in between take part of that time.
constexpr milliseconds kBetweenPuts{334};
constexpr milliseconds kAfterThrottling{1000};
constexpr std::size_t kNamesInOneCall = 100;

}  // namespace

SweepAlarms::SweepAlarms(const ActivePolicy& rules, const Apis& apis, const SweepLists& lists,
                         SweepReport& report, std::function<void(Record)> done)
    : rules_(rules),
      apis_(apis),
      lists_(lists),
      report_(report),
      done_(std::move(done)),
      view_{.listed = [this](std::string_view job) { return lists_.alarms.covers(job); },
            .in_alarm = [this](std::string_view job) { return in_alarm_.contains(job); },
            .named = [this](std::string_view alarm) { return lists_.alarms.has_name(alarm); },
            .stands = [this](std::uint64_t one) { return lists_.alarms.has(one); },
            .wait_to_put = [this] { return wait_to_put(); }} {}

void SweepAlarms::begin() {
  for (const AlarmCensus::Firing& one : lists_.alarms.firing) in_alarm_.insert(one.job);
  apis_.sweep_alarms = &view_;
}

void SweepAlarms::look_at_orphan(const AlarmCensus::AlarmsOfJob& alarms) {
  const std::string job(alarms.job);
  const auto name = aws::JobName::parse(job);
  if (!name || apis_.powers.delete_alarms == nullptr) return;
  apis_.begin_look();
  rules::Sources sources({.trigger = rules::Trigger::kSweep, .job_name = job});
  const Gathered gathered = gather(sources, {rules::Source::kDescribe}, {*name, {}}, apis_);
  Record record{.trigger = rules::Trigger::kSweep,
                .job = job,
                .state = "?",
                .conclusion = Conclusion::kOrphanedAlarms,
                .policy_hash = rules_.policy.hash()};
  if (const Error* const error = sources.unavailable(rules::Source::kDescribe))
    record.left_over.error = *error;
  const rules::TrainingJob* const found = sources.job();
  if (gathered != Gathered::kGone && (found == nullptr || !found->has_ended())) {
    done_(std::move(record));
    return;
  }
  if (apis_.context.made != nullptr) record.calls = std::exchange(*apis_.context.made, {});
  ended_.insert(job);
  std::vector<std::string> names = alarms.names();
  left_over_names_ += names.size();
  left_over_.push_back({std::move(record), std::move(names)});
  if (left_over_names_ >= kNamesInOneCall) delete_left_over();
}

void SweepAlarms::delete_unasked() {
  if (apis_.powers.delete_alarms == nullptr) return;
  for (const auto& [job, names] : lists_.alarms.unasked) {
    if (ended_.contains(job)) continue;
    left_over_names_ += names.size();
    left_over_.push_back({{.trigger = rules::Trigger::kSweep,
                           .job = job,
                           .state = "?",
                           .conclusion = Conclusion::kUnaskedAlarms,
                           .policy_hash = rules_.policy.hash()},
                          names});
    if (left_over_names_ >= kNamesInOneCall) delete_left_over();
  }
}

// If CloudWatch refuses one name, it deletes none of the call's alarms. In that case each job gets
// a call of its own.
void SweepAlarms::delete_left_over() {
  std::vector<LeftOver> jobs = std::exchange(left_over_, {});
  left_over_names_ = 0;
  if (jobs.empty()) return;
  std::vector<std::string> names;
  for (const LeftOver& job : jobs) names.insert(names.end(), job.names.begin(), job.names.end());
  const auto deleted = apis_.powers.delete_alarms(names, apis_);
  const bool alone = !deleted && deleted.error().code == ErrorCode::kRejected && jobs.size() > 1;
  for (LeftOver& job : jobs) {
    report_left_over(job, alone ? apis_.powers.delete_alarms(job.names, apis_) : deleted);
    done_(std::move(job.record));
  }
}

void SweepAlarms::report_left_over(LeftOver& job, const Result<void>& deleted) {
  AlarmChanges& changes = job.record.left_over;
  if (deleted) {
    if (job.record.conclusion == Conclusion::kOrphanedAlarms) ++report_.orphans;
    changes.deleted = std::move(job.names);
  } else if (deleted.error().code == ErrorCode::kThrottled) {
    changes.left = std::move(job.names);
  } else {
    changes.error = deleted.error();
  }
}

void SweepAlarms::note(Record& record, bool stopped) {
  bool lacks = false;
  if (!left_)
    for (DecisionOutcome& decided : record.decisions)
      for (ActionOutcome& outcome : decided.actions)
        lacks = !std::exchange(outcome.alarms.left, {}).empty() || lacks;
  if (lacks && !stopped) set_aside_.push_back(record.job);
  const AlarmChanges alarms = record.alarms();
  report_.put += alarms.created.size();
  report_.left += alarms.left.size();
}

void SweepAlarms::finish(const std::function<milliseconds()>& left) {
  delete_unasked();
  delete_left_over();
  left_ = left;
  const auto put_all = [&](const std::vector<std::string>& jobs) {
    std::size_t next = 0;
    const auto put = [&](const std::string& job) {
      if (described_.empty()) describe(std::span(jobs).subspan(next));
      ++next;
      put_alarms_of(job);
    };
    WorkQueue lacking;
    lacking.add(jobs, 0, put);
    return lacking.work_off(left);
  };
  report_.looked_at += put_all(lists_.unwatched);
  described_.clear();
  const std::size_t not_put = set_aside_.size() - put_all(set_aside_);
  report_.left += not_put;
}

// Describes the first jobs together, as many as may be asked for in a second. So no put waits for
// its job's description, and no description is older than two seconds.
void SweepAlarms::describe(std::span<const std::string> jobs) {
  std::vector<aws::Call> calls;
  for (const std::string& job : jobs.first(std::min(jobs.size(), aws::Pace::kCalls)))
    if (const auto name = aws::JobName::parse(job))
      calls.push_back(aws::SageMaker::describe_training_job_call(*name));
  auto answers = apis_.sagemaker.client().call_all(calls, apis_.context);
  auto made = apis_.context.made == nullptr ? std::vector<aws::CallMade>()
                                            : std::exchange(*apis_.context.made, {});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Described one{std::move(answers[i]), {}};
    if (i < made.size()) one.calls.push_back(std::move(made[i]));
    described_.insert_or_assign(calls[i].target, std::move(one));
  }
}

// Asks only the rules that watch: the other rules are for the jobs that Search nominated. If a job
// ends before its alarm is put, the next sweep finds a left-over alarm.
void SweepAlarms::put_alarms_of(const std::string& job) {
  auto name = aws::JobName::parse(job);
  if (!name || apis_.powers.watch == nullptr) return;
  apis_.begin_look();
  const JobRef ref{*std::move(name), {}};
  rules::Sources sources({.trigger = rules::Trigger::kSweep, .job_name = job});
  Record record{.trigger = rules::Trigger::kSweep,
                .job = job,
                .state = "?",
                .policy_hash = rules_.policy.hash()};
  Gathered gathered = Gathered::kJob;
  if (auto known = described_.extract(job); !known.empty()) {
    record.calls = std::move(known.mapped().calls);
    gathered = take_description(sources, std::move(known.mapped().answer));
  }
  std::vector<rules::RuleVerdict> verdicts = judge_watching(sources, ref, gathered);
  record.state = rules::state_of(sources);
  if (gathered != Gathered::kJob)
    record.conclusion = gathered == Gathered::kGone ? Conclusion::kGone : Conclusion::kNamesake;
  const Subject subject{rules_, ref, sources, apis_};
  for (rules::RuleVerdict& verdict : verdicts) {
    if (verdict.skipped) record.skipped.push_back(*std::move(verdict.skipped));
    if (!verdict.decision) continue;
    rules::Decision& decision = *verdict.decision;
    std::erase_if(decision.actions, [](const rules::Action& action) {
      return action.kind != rules::ActionKind::kWatch;
    });
    std::vector<ActionOutcome> outcomes;
    outcomes.reserve(decision.actions.size());
    for (const rules::Action& action : decision.actions)
      outcomes.push_back(apis_.powers.watch(subject, decision, action));
    if (!outcomes.empty()) record.decisions.push_back({std::move(decision), std::move(outcomes)});
  }
  if (!record.alarms().left.empty())
    next_put_ = std::max(next_put_, apis_.clock.steady_now() + kAfterThrottling);
  done_(std::move(record));
}

// Fetches the sources that the verdicts need. Returns none if the job no longer exists.
std::vector<rules::RuleVerdict> SweepAlarms::judge_watching(rules::Sources& sources,
                                                            const JobRef& job,
                                                            Gathered& gathered) const {
  std::vector<rules::RuleVerdict> verdicts;
  const auto rules = rules_.policy.rules();
  // Each round fetches at least one source.
  for (std::size_t round = 0; gathered == Gathered::kJob && round <= rules::kSourceCount; ++round) {
    const rules::Facts facts =
        rules::facts_from(sources, rules_.policy.prices(), apis_.now(), rules_.policy.failures());
    verdicts.clear();
    rules::SourceSet needs;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (!rules[i].has(rules::ActionKind::kWatch)) continue;
      verdicts.push_back(rules::evaluate_rule(rules_.policy, i, facts, rules_.ceiling));
      needs |= verdicts.back().needs;
    }
    if (needs.empty()) return verdicts;
    gathered = gather_for(rules_, sources, needs, job, apis_);
  }
  if (gathered != Gathered::kJob) verdicts.clear();
  return verdicts;
}

bool SweepAlarms::wait_to_put() {
  if (!left_) return false;  // stops and copies come first
  const auto now = apis_.clock.steady_now();
  const auto wait = std::chrono::ceil<milliseconds>(next_put_ - now);
  if (left_() <= std::max(wait, milliseconds(0))) return false;
  if (wait > milliseconds(0)) apis_.clock.sleep_for(wait);
  next_put_ = std::max(next_put_, now) + kBetweenPuts;
  return true;
}

}  // namespace trainwarden::actions
