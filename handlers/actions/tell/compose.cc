#include "handlers/actions/tell/compose.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace trainwarden::actions {
namespace {

using rules::ActionKind;
using rules::NoticeOutcome;
using Kind = rules::ActionResult::Kind;

rules::NoticeJob job_of(const Subject& subject, const rules::Sources& sources) {
  return rules::notice_job(subject.job.name.view(), subject.job.arn, sources,
                           subject.rules.policy.prices(), subject.apis.now(),
                           subject.rules.policy.owner_tag());
}

// From the rule as it is today; from what the restart recorded if the policy no longer has the
// rule.
rules::Decision decision_of(const rules::RestartRecord& restart, const rules::Rule* rule) {
  rules::Decision out;
  out.rule = restart.rule;
  out.mode = rules::Mode::kEnforce;  // it was, when the restart was begun
  out.message = rule != nullptr && !rule->message.empty() ? rule->message : restart.why;
  out.actions = {{.kind = ActionKind::kRestart}};
  if (rule != nullptr)
    std::ranges::copy_if(
        rule->actions, std::back_inserter(out.actions),
        [](const rules::Action& action) { return action.kind == ActionKind::kNotify; });
  return out;
}

// If we stopped the job, its end is news beside the notice of the stop. If it had ended by itself,
// the rule's own notice may say the same.
constexpr std::string_view kOfEnd = "end";

}  // namespace

std::vector<Prepared> prepare_for_act(const Subject& subject, const rules::Decision& decision,
                                      const rules::Sources& sources, NoticeOutcome outcome,
                                      const std::optional<rules::Resume>& resume) {
  const bool stop = outcome == NoticeOutcome::kStopped;
  rules::NoticeJob job = job_of(subject, sources);
  if (outcome == NoticeOutcome::kReleased) {
    const std::array<rules::ActionReport, 1> released{
        {{ActionKind::kRelease, {Kind::kReleased}, nullptr, job.pool_usd}}};
    return prepare_all(subject.rules, decision, outcome, released, job, subject.apis);
  }
  job.job_status = rules::JobStatus::kStopping;
  job.status = "Stopping/Stopping";
  job.acted_rule = decision.rule;
  job.acted_at = rfc3339(subject.apis.now());
  const std::array<rules::ActionReport, 1> reports{
      {{stop ? ActionKind::kStop : ActionKind::kRestart,
        {.kind = stop ? Kind::kStopped : Kind::kStoppingToCopy, .resume = resume},
        nullptr}}};
  return prepare_all(subject.rules, decision, outcome, reports, job, subject.apis);
}

std::vector<Prepared> prepare_warning(const Subject& subject, const rules::Decision& decision,
                                      const rules::Sources& sources, const rules::Reason& later) {
  const std::array<rules::ActionReport, 1> reports{
      {{ActionKind::kStop, {.kind = Kind::kWarned, .reason = later}, nullptr}}};
  return prepare_all(subject.rules, decision, NoticeOutcome::kWarned, reports,
                     job_of(subject, sources), subject.apis, true);
}

std::vector<Prepared> prepare_for_tuner(const Subject& subject, const rules::Decision& decision,
                                        const rules::Sources& sources,
                                        const rules::StoppedTuner& tuner) {
  rules::NoticeJob job = job_of(subject, sources);
  job.acted_rule = decision.rule;
  job.acted_at = rfc3339(subject.apis.now());
  const std::array<rules::ActionReport, 1> reports{
      {{ActionKind::kStop, {.kind = Kind::kTunerStopped, .tuner = tuner}, nullptr}}};
  return prepare_all(subject.rules, decision, NoticeOutcome::kStopped, reports, job, subject.apis);
}

std::vector<Prepared> prepare_late(const Subject& subject, const rules::Sources& sources,
                                   const rules::RestartRecord& restart, const ActionOutcome& end) {
  rules::RestartRecord as_told = restart;
  as_told.of_ended = true;
  return prepare_end(subject, sources, as_told, nullptr, NoticeOutcome::kRestarted, end);
}

std::vector<Prepared> prepare_end(const Subject& subject, const rules::Sources& sources,
                                  const rules::RestartRecord& restart, const rules::Decision* asked,
                                  NoticeOutcome outcome, const ActionOutcome& end) {
  const std::array<rules::ActionReport, 1> reports{
      {{ActionKind::kRestart, end.result, end.error ? &*end.error : nullptr}}};
  const rules::NoticeJob job = job_of(subject, sources);
  if (asked != nullptr)
    return prepare_all(subject.rules, *asked, outcome, reports, job, subject.apis);
  const rules::Policy& policy = subject.rules.policy;
  const auto all = policy.rules();
  const auto found = std::ranges::find(all, restart.rule, &rules::Rule::name);
  const rules::Rule* const rule = found == all.end() ? nullptr : &*found;
  const rules::Mode mode =
      rule != nullptr ? effective_mode(policy, *rule, subject.rules.ceiling) : subject.rules.mode();
  if (mode < rules::Mode::kNotify) return {};
  return prepare_all(subject.rules, decision_of(restart, rule), outcome, reports, job, subject.apis,
                     true, restart.of_ended ? "" : kOfEnd);
}

}  // namespace trainwarden::actions
