#include "handlers/actions/restart/restart.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/recheck.h"
#include "handlers/actions/stop/stop_limit.h"
#include "handlers/actions/stop/stop_tags.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/notices/notice.h"

namespace trainwarden::actions {
namespace {

using rules::ActionResult;
using rules::Reason;
using rules::Why;
using Kind = ActionResult::Kind;

ActionOutcome done(ActionResult result) { return {rules::ActionKind::kRestart, std::move(result)}; }

}  // namespace

ActionOutcome outcome_of(Result<Copied> copied) {
  if (!copied) return failed(rules::ActionKind::kRestart, std::move(copied).error());
  if (copied->how == Copied::How::kRefused)
    return done(rules::refused(*std::move(copied->refusal)));
  ActionOutcome out =
      done({.kind = copied->how == Copied::How::kMade ? Kind::kCopied : Kind::kCopiedBefore,
            .name = std::move(copied->name)});
  if (!copied->untagged) return out;
  // Without the tag the copy's name alone keeps a second one from being made, and names can be
  // freed: worth another try, unless the job takes no tags.
  if (retryable(copied->untagged->code))
    out.error = std::move(copied->untagged);
  else
    out.note = std::move(copied->untagged->message);
  return out;
}

namespace {

// nullopt where the parent is gone, and its name, perhaps, a later job's.
Result<std::optional<rules::Sources>> read_parent(const JobSnapshot& original, const Apis& apis) {
  const auto name = aws::JobName::parse(original.lineage().parent);
  if (!name) return std::nullopt;
  auto describe = apis.sagemaker.describe_training_job(*name, apis.context);
  if (!describe && describe.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!describe) return fail(std::move(describe).error());
  rules::Sources parent{rules::JobEvent()};
  parent.set(rules::Source::kDescribe, *std::move(describe));
  const auto created = original.job().created;
  const auto created_parent = parent.job() != nullptr ? parent.job()->created : std::nullopt;
  if (!created || !created_parent || *created_parent > *created) return std::nullopt;
  return parent;
}

// The tag with which the job's end will be met; one that is refused must not be followed by a stop.
Result<void> write_intent(const JobSnapshot& original, std::string intent,
                          const std::vector<aws::Tag>& reasons, const Apis& apis) {
  std::vector<aws::Tag> tags{{std::string(rules::kIntentTag), std::move(intent)}};
  tags.insert(tags.end(), reasons.begin(), reasons.end());
  auto added = apis.sagemaker.add_tags(original.job().arn, tags, apis.context);
  if (added || !refuses_these_tags(added.error())) return added;
  // Rule and reason take room and hold what people wrote; the intent does not need them.
  std::erase_if(tags, [](const aws::Tag& tag) {
    return tag.key == rules::kRuleTag || tag.key == rules::kReasonTag;
  });
  return apis.sagemaker.add_tags(original.job().arn, tags, apis.context);
}

// What a restart is asked for with, whoever asks.
struct Asked {
  const JobRef& job;
  const rules::Restart& options;
  std::vector<aws::Tag> reasons;  // beside the intent
  rules::Trigger trigger = rules::Trigger::kState;
  bool by_hand = false;
};

// Whether the job bears an intent that asks for the same, and that a stop from now on still fits.
bool has_intent(const JobSnapshot& original, const rules::Intent& wanted) {
  auto intent = rules::parse_intent(original.tags().intent.value_or(""));
  if (!intent || intent->at < wanted.at - rules::kIntentFresh ||
      intent->at > wanted.at + rules::kClocksApart)
    return false;
  intent->at = wanted.at;
  return intent == wanted;
}

// The job runs on, and a stop that somebody else asks for later must not be taken for ours. Best
// effort: after ten minutes the intent would hold no longer anyway. It stays where the job does not
// run for sure: another delivery's stop may rest on it.
void take_back(const JobSnapshot& original, const JobRef& job, const Apis& apis) {
  const auto look = apis.sagemaker.describe_training_job(job.name, apis.context);
  if (!look || rules::read_training_job(look->root()).status != rules::JobStatus::kInProgress)
    return;
  const std::array<aws::Tag, 2> tags{
      {{std::string(rules::kIntentTag), std::string(rules::kVoidIntent)},
       {std::string(rules::kActionTag), "none"}}};
  static_cast<void>(apis.sagemaker.add_tags(original.job().arn, tags, apis.context));
}

rules::Intent intent_of(const JobSnapshot& original, const rules::Restart& options,
                        const Apis& apis) {
  return {.generation = original.lineage().generation.value_or(0) + 1,
          .at = apis.now() + apis.sagemaker.client().skew(),
          .spot = options.spot,
          .instance_types = options.instance_types};
}

ActionOutcome stop_to_copy(const JobSnapshot& original, const Asked& asked, const Apis& apis) {
  const rules::Intent wanted = intent_of(original, asked.options, apis);
  const auto text = rules::format_intent(wanted);
  if (!text) return done(rules::refused(Why::kIntentTooLong));
  // The guards took their time, in which the same event's other delivery, a sweep or a rule's stop
  // may have come. `at` was taken before this look: what it does not see yet fits the intent.
  const auto now = read_snapshot(asked.job, original.job().created, apis);
  if (!now && now.error().code == ErrorCode::kNotFound) return done(rules::not_done(Why::kGone));
  if (!now) return failed(rules::ActionKind::kRestart, now.error());
  if (now->status() != rules::JobStatus::kInProgress) return done({Kind::kEndedBefore});
  if (rules::is_being_stopped_for_good(now->tags(), apis.now()))
    return done(rules::refused(Why::kRuleStops));
  const bool was_there = has_intent(*now, wanted);
  const auto written = was_there ? Result<void>() : write_intent(*now, *text, asked.reasons, apis);
  if (!written && retryable(written.error().code))
    return failed(rules::ActionKind::kRestart, written.error());
  if (!written) {
    ActionOutcome out = done(rules::refused(Why::kIntentNotWritten));
    out.note = written.error().message;
    return out;
  }
  const auto stopped = apis.sagemaker.stop_training_job(asked.job.name, apis.context);
  if (stopped) return done({Kind::kStoppingToCopy});
  if (stopped.error().code == ErrorCode::kConflict) return done({Kind::kEndedBefore});
  if (stopped.error().code == ErrorCode::kNotFound) return done(rules::not_done(Why::kGone));
  if (!was_there && rules::refused_for_good(stopped.error())) take_back(original, asked.job, apis);
  return failed(rules::ActionKind::kRestart, stopped.error());
}

// Records that the job's own event chose to wait, so that sweeps do not count this copy (P7). A job
// whose tags have no room for it waits all the same.
void remember_wait(const JobSnapshot& original, sys_seconds until, const Apis& apis,
                   ActionOutcome& out) {
  if (rules::waited_until(original.tags()) == until) return;
  const std::array<aws::Tag, 1> tags{{{std::string(rules::kWaitsTag), rfc3339(until)}}};
  auto written = apis.sagemaker.add_tags(original.job().arn, tags, apis.context);
  if (written) return;
  if (retryable(written.error().code))
    out.error = std::move(written).error();
  else
    out.note = std::move(written).error().message;
}

// A copy of an original that has ended, now or when the machines may be there.
ActionOutcome copy_now(const JobSnapshot& original, const Asked& asked, const Apis& apis) {
  const rules::CopyChanges changes =
      rules::changes_for(original.job(), asked.options.spot, asked.options.instance_types);
  const auto until =
      rules::wait_for_capacity(original.job(), original.lineage().generation.value_or(0), changes);
  const bool by_sweep = asked.trigger == rules::Trigger::kSweep;
  if (until && !asked.by_hand && (!by_sweep || apis.now() < *until)) {
    ActionOutcome out =
        done({.kind = Kind::kWaits, .reason = Reason{.why = Why::kSameMachines, .at = *until}});
    if (!by_sweep) remember_wait(original, *until, apis, out);
    return out;
  }
  return outcome_of(apis.powers.copy(original, changes, apis, asked.by_hand));
}

// The guards; nullopt where the restart may go on. What the copy of a running job will meet when
// the job has ended is asked before it is stopped.
std::optional<ActionOutcome> held_by_guard(const JobSnapshot& original, const Asked& asked,
                                           const Apis& apis) {
  if (const std::string child = original.lineage().child; !child.empty())
    return done({.kind = Kind::kCopiedBefore, .name = child});
  if (original.status() == rules::JobStatus::kStopping)
    return done({.kind = Kind::kEndedBefore, .name = "Stopping"});
  const auto why = rules::is_terminal(original.status())
                       ? restart_refusal(original, asked.options, apis, asked.by_hand)
                       : preflight_refusal(original, asked.options, apis, asked.by_hand);
  if (!why) return failed(rules::ActionKind::kRestart, why.error());
  if (*why) return done(rules::refused(**why));
  return std::nullopt;
}

}  // namespace

std::optional<rules::Intent> open_intent(const JobSnapshot& original) {
  const auto text = original.tags().intent;
  if (!text || !original.lineage().child.empty() ||
      (original.status() != rules::JobStatus::kStopped &&
       original.status() != rules::JobStatus::kFailed) ||
      rules::why_void(*text, original.job(), original.tags()))
    return std::nullopt;
  return rules::parse_intent(*text);
}

rules::Restart with_intent(const JobSnapshot& original, rules::Restart options) {
  auto intent = open_intent(original);
  if (!intent) return options;
  if (!options.spot) options.spot = intent->spot;
  if (options.instance_types.empty()) options.instance_types = std::move(intent->instance_types);
  return options;
}

Result<std::optional<Reason>> restart_refusal(const JobSnapshot& original,
                                              const rules::Restart& options, const Apis& apis,
                                              bool by_hand) {
  const rules::RestartCase job = original.restart_case(apis, by_hand);
  if (auto refusal = rules::why_no_copy(job)) return refusal;
  // The guards of a new restart let this one pass before its stop.
  if (by_hand && open_intent(original)) return std::nullopt;
  std::optional<rules::Sources> parent;
  if (rules::needs_parent(job, options)) {
    TRY(parent, read_parent(original, apis));
  }
  if (auto refusal = rules::why_no_restart(job, options, parent ? parent->job() : nullptr))
    return refusal;
  return std::nullopt;
}

Result<std::optional<Reason>> preflight_refusal(const JobSnapshot& original,
                                                const rules::Restart& options, const Apis& apis,
                                                bool by_hand) {
  TRY(auto why, restart_refusal(original, options, apis, by_hand));
  if (why) return why;
  TRY(why, why_checkpoint_is_taken(original, apis));
  if (why) return why;
  const rules::CopyChanges changes =
      rules::changes_for(original.job(), options.spot, options.instance_types);
  const auto body = original.copy_request(changes, "copy");
  if (!body) return body.error();
  if (!rules::is_terminal(original.status()) &&
      !rules::format_intent(intent_of(original, options, apis)))
    return Reason{.why = Why::kIntentTooLong};
  return std::nullopt;
}

ActionOutcome restart(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& action) {
  const Apis& apis = subject.apis;
  const rules::JobEvent& event = subject.sources.event();
  // Before the look, not between it and the stop.
  if (event.creation_time)
    if (auto settled = wait_until_settled(*event.creation_time, apis); !settled)
      return failed(rules::ActionKind::kRestart, std::move(settled).error());
  auto look = recheck(subject, decision);
  if (!look) return failed(rules::ActionKind::kRestart, std::move(look).error());
  if (!look->decision) return done(rules::not_done(*std::move(look->reason)));
  if (std::ranges::find(look->decision->actions, action) == look->decision->actions.end())
    return done(rules::not_done(Why::kNoLongerAsked));
  const auto original =
      read_settled_snapshot({subject.job.name, look->arn}, event.creation_time, apis);
  if (!original && original.error().code == ErrorCode::kNotFound)
    return done(rules::not_done(rules::because_of(original.error())));
  if (!original) return failed(rules::ActionKind::kRestart, original.error());

  const bool ended = rules::is_terminal(original->status());
  // The job's own event, or a sweep, meets a function that may.
  if (ended && apis.powers.copy == nullptr) return done(rules::not_done(Why::kHasEnded));
  // What it was stopped for comes before what the rule asks for now.
  if (const auto begun = open_intent(*original))
    return outcome_of(apis.powers.copy(
        *original, rules::changes_for(original->job(), begun->spot, begun->instance_types), apis,
        false));
  const Asked asked{subject.job, action.restart,
                    reason_tags(rules::kRestartAction, *look->decision, apis.now()), event.trigger};
  if (auto held = held_by_guard(*original, asked, apis)) return *std::move(held);
  if (ended) return copy_now(*original, asked, apis);
  auto braked = held_back(subject);
  if (!braked) return failed(rules::ActionKind::kRestart, std::move(braked).error());
  if (*braked) return done({.kind = Kind::kHeldBack, .reason = *std::move(braked)});
  return stop_to_copy(*original, asked, apis);
}

ActionOutcome restart_by_hand(const JobSnapshot& original, const JobRef& job,
                              const rules::Restart& options, const Apis& apis) {
  const rules::Restart wanted = with_intent(original, options);
  const Asked asked{job,
                    wanted,
                    {{std::string(rules::kActionTag), std::string(rules::kRestartAction)},
                     {std::string(rules::kRuleTag), std::string(rules::kByHand)},
                     {std::string(rules::kReasonTag), "asked for with: trainwarden restart"},
                     {std::string(rules::kAtTag), rfc3339(apis.now())}},
                    rules::Trigger::kState,
                    true};
  if (auto held = held_by_guard(original, asked, apis)) return *std::move(held);
  if (rules::is_terminal(original.status())) return copy_now(original, asked, apis);
  ActionOutcome out = stop_to_copy(original, asked, apis);
  if (out.result.is(Kind::kStoppingToCopy))
    out.note =
        "the deployed state function makes the copy; where there is none, or it may not pass the "
        "job's role (PassRoles), run this command again when the job has ended";
  return out;
}

}  // namespace trainwarden::actions
