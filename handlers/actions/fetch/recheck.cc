#include "handlers/actions/fetch/recheck.h"

#include <fmt/core.h>

#include <utility>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/log_memory.h"
#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/decide/decision_text.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/notices/notice_job.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

// How much time the calls after the wait need: a look, the tags and the stop.
constexpr milliseconds kTimeToAct{3000};

struct Reread {
  Rechecked found;
  std::optional<sys_seconds> creation_time;
};

Reread nothing(rules::Why why) {
  return {{.decision = {}, .reason = rules::Reason{.why = why}, .arn = {}, .avoidable_usd = {}},
          {}};
}

// A decision on an alarm holds only while the job keeps training: since the confirmation it may
// have been interrupted or restarted.
void see_alarm(const Subject& subject, const rules::Decision& before, const rules::TrainingJob& job,
               Rechecked& found) {
  const auto& alarm = subject.sources.event().alarm;
  if (!alarm) return;
  const auto watch = rules::watch_of(*alarm, subject.rules.policy);
  found.reason = watch ? rules::why_not_confirmable(**watch, job, subject.apis.now())
                       : std::optional(watch.error());
  if (found.reason) {
    found.decision.reset();
    return;
  }
  // What confirmed the alarm is kept: the metrics are not asked for again.
  for (const rules::Because& because : before.because)
    if (because.measurement) found.decision->because.push_back(because);
  found.decision->rests_on_silence = before.rests_on_silence;
}

Result<Reread> decide_again(const Subject& subject, const rules::Decision& decision) {
  const auto& [rule, job, decided_on, apis, queued] = subject;
  rules::JobEvent event = decided_on.event();
  event.training_job_status.reset();
  event.secondary_status.reset();
  rules::Sources sources(std::move(event));
  rules::SourceSet needs = decision.rests_on;
  needs.add(rules::Source::kDescribe);
  needs.remove(rules::Source::kEvent);
  // The rule may need more sources than its first decision used, each at most once.
  for (std::size_t round = 0; round < rules::kSourceCount; ++round) {
    switch (gather_for(rule, sources, needs, job, apis)) {
      case Gathered::kGone:
        return nothing(rules::Why::kGone);
      case Gathered::kNamesake:
        return nothing(rules::Why::kNamesake);
      case Gathered::kJob:
        break;
    }
    const rules::Facts facts =
        rules::facts_from(sources, rule.policy.prices(), apis.now(), rule.policy.failures());
    auto verdict = rules::evaluate_rule(rule.policy, decision.index, facts, rule.ceiling);
    if (const Error* error = sources.unavailable(rules::Source::kDescribe))
      return fail(ErrorCode::kUnavailable, error->message);
    if (auto early = behind(decided_on.event(), *sources.job())) return fail(*std::move(early));
    // If the policy itself lacks something, that is still so when the event comes again.
    if (verdict.skipped && !verdict.skipped->comes_again) verdict.verdict = rules::Truth::kFalse;
    if (verdict.verdict == rules::Truth::kUnavailable)
      return fail(ErrorCode::kUnavailable,
                  verdict.skipped ? rules::text(*verdict.skipped) : "a source failed");
    if (verdict.verdict == rules::Truth::kUnknown) {
      needs = verdict.needs;
      continue;
    }
    const rules::TrainingJob& described = *sources.job();
    const rules::NoticeJob costs =
        rules::notice_job(job.name.view(), job.arn, sources, rule.policy.prices(), apis.now());
    Reread seen{{.decision = std::move(verdict.decision),
                 .reason = {},
                 .arn = std::string(described.arn),
                 .avoidable_usd = costs.avoided_usd,
                 .pool_usd = costs.pool_usd},
                facts.creation_time()};
    if (verdict.skipped)
      seen.found.reason = {.why = rules::Why::kUndecided,
                           .error = Error{ErrorCode::kUnavailable, rules::text(*verdict.skipped)}};
    else if (verdict.exempted)
      seen.found.reason = {.why = rules::Why::kExempted,
                           .name = rules::paths(rules::why_exempted(rule.policy, facts))};
    else if (!seen.found.decision)
      seen.found.reason = rules::Reason{.why = rules::Why::kNoLongerMatches};
    else
      see_alarm(subject, decision, described, seen.found);
    seen.found.sources = std::move(sources);
    return seen;
  }
  return fail(ErrorCode::kInternal, "the rule stays undecided although every source was read");
}

}  // namespace

Result<void> wait_until_settled(sys_seconds created, const Apis& apis) {
  const auto age = apis.service_now() - created;
  const auto wait = std::chrono::duration_cast<milliseconds>(kSettledAge - age);
  if (wait.count() <= 0) return {};
  if (apis.context.deadline.left(apis.clock.steady_now()) < wait + kTimeToAct)
    return fail(ErrorCode::kDeadline,
                fmt::format("an absent tag counts from {} s after the job's creation on, and the "
                            "function's time-out leaves no time to wait {} ms",
                            kTagsSettled.count(), wait.count()));
  apis.clock.sleep_for(wait);
  return {};
}

Result<Rechecked> recheck(const Subject& subject, const rules::Decision& decision) {
  const Apis& apis = subject.apis;
  const auto& told_creation = subject.sources.event().creation_time;
  if (decision.rests_on_absent_tag && told_creation)
    CHECK_OK(wait_until_settled(*told_creation, apis));
  // The job's age counts from when its tags were requested, not from when all answers have arrived.
  const sys_millis asked = apis.clock.now();
  TRY(Reread seen, decide_again(subject, decision));
  if (!seen.found.decision || !seen.found.decision->rests_on_absent_tag)
    return std::move(seen.found);
  if (!seen.creation_time)
    return fail(ErrorCode::kUnavailable, "`DescribeTrainingJob.CreationTime`: expected a time");
  if (apis.by_service(asked) - *seen.creation_time >= kSettledAge) return std::move(seen.found);
  CHECK_OK(wait_until_settled(*seen.creation_time, apis));
  TRY(seen, decide_again(subject, decision));
  return std::move(seen.found);
}

}  // namespace trainwarden::actions
