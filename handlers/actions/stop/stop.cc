#include "handlers/actions/stop/stop.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "handlers/actions/stop/stop_limit.h"
#include "handlers/actions/stop/stop_tags.h"
#include "handlers/rules/job/job_tags.h"

namespace trainwarden::actions {
namespace {

// Where the whole set is refused, once more what P7 counts by, and what keeps a restart that
// runs at the same time from being carried out (P4): these hold plain characters only.
Result<void> add_tags(std::string_view arn, const rules::Decision& decision, const Apis& apis) {
  auto all = reason_tags(rules::kStopAction, decision, apis.now());
  const std::array<aws::Tag, 3> plain{
      all.front(), all.back(), {std::string(rules::kStoppedTag), all.back().value}};
  all.push_back(plain.back());
  auto added = apis.sagemaker.add_tags(arn, all, apis.context);
  if (added || !refuses_these_tags(added.error())) return added;
  if (!apis.sagemaker.add_tags(arn, plain, apis.context)) return added;
  return fail(std::move(added).error().in("rule and reason are not in the tags"));
}

using Kind = rules::ActionResult::Kind;

ActionOutcome done(rules::ActionResult result) {
  return {rules::ActionKind::kStop, std::move(result)};
}

}  // namespace

ActionOutcome stop(const Subject& subject, const rules::Decision& decision) {
  const JobRef& job = subject.job;
  const Apis& apis = subject.apis;
  auto look = recheck(subject, decision);
  if (!look) return failed(rules::ActionKind::kStop, std::move(look).error());
  if (!look->decision) return done(rules::not_done(*std::move(look->reason)));
  if (look->training_job_status != "InProgress")
    return done({.kind = Kind::kEndedBefore, .name = look->training_job_status});
  auto braked = held_back(subject);
  if (!braked) return failed(rules::ActionKind::kStop, std::move(braked).error());
  if (*braked) return done({.kind = Kind::kHeldBack, .reason = *std::move(braked)});

  if (std::ranges::find(look->decision->actions, rules::ActionKind::kStop, &rules::Action::kind) ==
      look->decision->actions.end())
    return done(rules::not_done(rules::Why::kNoLongerAsked));

  // Tags first, so that the owner finds the reason as soon as the job stops. A job that cannot take
  // them (50 tags, a tag policy) is stopped all the same.
  const auto tagged = add_tags(look->arn, *look->decision, apis);
  const auto stopped = apis.sagemaker.stop_training_job(job.name, apis.context);
  ActionOutcome outcome = done({Kind::kStopped});
  outcome.saved_usd = look->avoidable_usd;
  if (!stopped && stopped.error().code == ErrorCode::kConflict)
    outcome = done({Kind::kEndedBefore});
  else if (!stopped && stopped.error().code == ErrorCode::kNotFound)
    outcome = done(rules::not_done(rules::Why::kGone));
  else if (!stopped)
    outcome = failed(rules::ActionKind::kStop, stopped.error());
  if (!tagged) outcome.note = tagged.error().message;
  return outcome;
}

}  // namespace trainwarden::actions
