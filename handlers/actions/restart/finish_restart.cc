#include "handlers/actions/restart/finish_restart.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>

#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/actions/restart/restart.h"
#include "handlers/rules/job/intent.h"

namespace trainwarden::actions {
namespace {

using rules::ActionResult;
using rules::Source;

bool is_stopped_or_failed(rules::JobStatus status) {
  return status == rules::JobStatus::kStopped || status == rules::JobStatus::kFailed;
}

// What the event and Describe say, of which either may be behind the other.
bool either(const rules::Sources& sources, bool (*holds)(rules::JobStatus)) {
  const auto& told = sources.event().training_job_status;
  return holds(rules::job_status(told.value_or(""))) ||
         (sources.job() != nullptr && holds(sources.job()->status));
}

bool may_have_intent(const rules::Sources& sources) {
  return either(sources, is_stopped_or_failed);
}

// A job can complete before the stop of its restart reaches it. Its end is no reason to ask for
// tags: only where they are known, nobody needs to wait for a sweep to find the intent.
bool completed_with_intent(const rules::Sources& sources) {
  if (sources.tags() == nullptr || rules::unfinished_intent(*sources.tags()).empty()) return false;
  return either(sources,
                [](rules::JobStatus status) { return status == rules::JobStatus::kCompleted; });
}

// What tells whether there is an intent to look for, and could not be had (F1).
const Error* unknown_end(const rules::Sources& sources) {
  if (may_have_intent(sources)) return sources.unavailable(Source::kTags);
  return sources.event().training_job_status ? nullptr : sources.unavailable(Source::kDescribe);
}

ActionOutcome make_void(const JobSnapshot& original, rules::Reason why, const Apis& apis) {
  const std::array<aws::Tag, 1> tags{
      {{std::string(rules::kIntentTag), std::string(rules::kVoidIntent)}}};
  const auto written = apis.sagemaker.add_tags(original.job().arn, tags, apis.context);
  ActionOutcome out{rules::ActionKind::kRestart,
                    {.kind = ActionResult::Kind::kIntentVoid, .reason = std::move(why)}};
  if (!written) out.error = written.error();
  return out;
}

}  // namespace

rules::SourceSet needs_for_intent(const rules::Sources& sources, const Apis& apis) {
  const auto asked = [&](Source source) {
    return sources.known(source) || sources.unavailable(source) != nullptr;
  };
  // An alarm is about a job that trains.
  if (apis.powers.copy == nullptr || sources.event().trigger == rules::Trigger::kAlarm) return {};
  if (!sources.event().training_job_status && !asked(Source::kDescribe)) return {Source::kDescribe};
  if (may_have_intent(sources) && !asked(Source::kTags)) return {Source::kTags};
  return {};
}

std::optional<ActionOutcome> finish_restart(const Subject& subject) {
  const rules::Sources& sources = subject.sources;
  const Apis& apis = subject.apis;
  if (apis.powers.copy == nullptr || sources.event().trigger == rules::Trigger::kAlarm)
    return std::nullopt;
  if (const Error* const why = unknown_end(sources))
    return failed(rules::ActionKind::kRestart, *why);
  if (!may_have_intent(sources) && !completed_with_intent(sources)) return std::nullopt;
  const rules::JobTags* const tags = sources.tags();
  if (tags == nullptr || rules::unfinished_intent(*tags).empty()) return std::nullopt;

  const rules::JobEvent& event = sources.event();
  const auto original = read_settled_snapshot(subject.job, event.creation_time, apis);
  if (!original && original.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!original) return failed(rules::ActionKind::kRestart, original.error());
  const std::string_view intent = rules::unfinished_intent(original->tags());
  if (intent.empty()) return std::nullopt;
  if (!rules::is_terminal(original->status())) {
    // The event was faster than what Describe tells: it has to come again.
    if (!event.training_job_status || !rules::is_terminal(*event.training_job_status))
      return std::nullopt;
    return failed(rules::ActionKind::kRestart,
                  {ErrorCode::kUnavailable,
                   fmt::format("the event says {}, and DescribeTrainingJob still {}",
                               *event.training_job_status, original->job().status_text)});
  }
  if (original->status() == rules::JobStatus::kCompleted)
    return make_void(*original, {.why = rules::Why::kCompletedAllTheSame}, apis);
  if (!is_stopped_or_failed(original->status())) return std::nullopt;
  if (const auto why = rules::why_void(intent, original->job(), original->tags()))
    return make_void(*original, *why, apis);

  const auto wanted = rules::parse_intent(intent);
  auto copied = apis.powers.copy(
      *original, rules::changes_for(original->job(), wanted->spot, wanted->instance_types), apis,
      false);
  // What is refused once stays refused: nobody expects a copy hours later, when the reason is gone.
  if (copied && copied->how == Copied::How::kRefused)
    return make_void(*original, *std::move(copied->refusal), apis);
  return outcome_of(std::move(copied));
}

}  // namespace trainwarden::actions
