#include "handlers/actions/restart/copy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/checkpoint.h"
#include "handlers/actions/stop/brake_slots.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/restart/machines_in_order.h"
#include "handlers/rules/state/end_steps.h"

namespace trainwarden::actions {
namespace {

using How = Copied::How;

Copied refuse(rules::Reason why) {
  return {.how = How::kRefused, .name = {}, .reason = std::move(why)};
}

// The guards that need no call, and whether a copy could be requested at all; nullopt if nothing
// stands in the way.
std::optional<rules::Reason> refusal_of(const JobSnapshot& original,
                                        const rules::CopyChanges& changes, std::string_view name,
                                        const Apis& apis) {
  if (auto refused = rules::why_no_copy(original.restart_case(apis))) return refused;
  if (!original.lineage.generation) return rules::Reason{.why = rules::Why::kNoGeneration};
  if (auto body = original.copy_request(changes, name, original.copy_parts()); !body)
    return std::move(body).error();
  return std::nullopt;
}

// Whether the job that has the copy's name is this copy. Its tags are no evidence.
Result<bool> is_this_copy(const aws::JobName& name, const JobSnapshot& original,
                          sys_seconds claimed_at, const Apis& apis) {
  TRY(const json::Document describe, apis.sagemaker.describe_training_job(name, apis.context));
  return rules::is_that_copy(original.job(), rules::read_training_job(describe.root()), claimed_at);
}

// Whether the service refused every attempt. An attempt whose answer was lost may have succeeded.
bool was_refused(const Error& error, std::span<const aws::CallMade> made) {
  return (error.code == ErrorCode::kThrottled || error.code == ErrorCode::kAccessDenied ||
          error.code == ErrorCode::kUnauthenticated || error.code == ErrorCode::kLimitExceeded ||
          error.code == ErrorCode::kRejected) &&
         std::ranges::none_of(made, &aws::CallMade::unclear);
}

// Tags the original with its copy, for people and for Search. No decision rests on it.
void tag_as_copied(const JobSnapshot& original, const aws::JobName& copy, const Apis& apis) {
  const std::array<aws::Tag, 1> child{{{std::string(rules::kChildTag), copy.str()}}};
  static_cast<void>(apis.sagemaker.add_tags(original.job().arn, child, apis.context));
}

// Makes one copy.
class Making {
 public:
  Making(const PendingCopy& pending, const Subject& subject)
      : pending_(pending), subject_(subject), apis_(subject.apis), item_(pending.item) {}

  // Finds the copy that an earlier delivery made, whatever the guards say by now.
  Result<Copied> find() {
    TRY(item_, read_job_item(pending_.id, apis_));
    if (!item_.restart || !item_.copy || item_.copy->made) return Copied{};
    TRY(const aws::JobName name, aws::JobName::parse(item_.copy->name));
    const auto is_it = is_this_copy(name, pending_.original, item_.copy->at, apis_);
    if (!is_it && is_it.error().code == ErrorCode::kNotFound) return Copied{};
    if (!is_it) return fail(is_it.error());
    if (!*is_it) return Copied{};
    return note_made(name, How::kAlready);
  }

  Result<Copied> make() {
    if (!item_.restart) return Copied{};
    const std::vector<rules::CopyChanges> candidates = machines();
    changes_ = candidates.front();
    TRY(const std::string text, name_of_copy(pending_.original));
    TRY(const aws::JobName name, aws::JobName::parse(text));
    if (auto refused = refusal_of(pending_.original, changes_, name.view(), apis_))
      return refuse(*std::move(refused));
    TRY(const bool ours, remember_copy(name.view(), copy_item(), apis_));
    if (!ours) return refuse({.why = rules::Why::kNameTaken, .name = name.str()});
    TRY(auto early, claim(name));
    if (early) return *std::move(early);
    return create_on_first_machines(name, candidates);
  }

 private:
  // For a job that ended by itself, its own machines are no fallback, since it ended on them.
  std::vector<rules::CopyChanges> machines() const {
    const rules::TrainingJob& job = pending_.original.job();
    const rules::RestartRecord& restart = *item_.restart;
    return restart.of_ended ? rules::machines_in_order(job, rules::asked_by(restart))
                            : rules::machines_or_own(job, rules::asked_by(restart));
  }

  rules::CopyItem copy_item() const {
    const rules::Lineage& lineage = pending_.original.lineage;
    return {.root = lineage.root,
            .parent = std::string(pending_.original.job().name),
            .generation = lineage.generation.value_or(0) + 1,
            .at = apis_.now()};
  }

  static std::optional<Copied> unless_claimed(rules::CopyDecision decision,
                                              const aws::JobName& name) {
    switch (decision) {
      case rules::CopyDecision::kClaimed:
        return std::nullopt;
      case rules::CopyDecision::kMade:
        return Copied{.how = How::kAlready, .name = name.str()};
      case rules::CopyDecision::kNotPending:
      case rules::CopyDecision::kNotYet:
      case rules::CopyDecision::kHasToClose:
        break;
    }
    return Copied{};
  }

  Result<std::optional<Copied>> claim(const aws::JobName& name) {
    rules::CopyDecision decision{};
    TRY(item_, change_job_item(pending_.id, apis_, [&](rules::JobItem item, sys_seconds now) {
          auto step = rules::claim_copy(std::move(item), name.view(),
                                        rules::observed_job(pending_.original.job()), now);
          decision = step.decision;
          return std::move(step.next);
        }));
    return unless_claimed(decision, name);
  }

  // Called directly before each CreateTrainingJob: checks the guards, the ceiling, the checkpoint,
  // the brake and the item once more.
  Result<std::optional<Copied>> look_again(const aws::JobName& name) {
    const rules::TrainingJob& job = pending_.original.job();
    TRY(const auto aws_name, aws::JobName::parse(job.name));
    auto again = read_snapshot({aws_name, {}}, job.created, apis_);
    if (!again && again.error().absent) return refuse({.why = *again.error().absent});
    if (!again) return fail(again.error().error);
    if (auto refused = refusal_of(*again, changes_, name.view(), apis_))
      return refuse(*std::move(refused));
    TRY(auto taken, why_checkpoint_is_taken(*again, apis_));
    if (taken) return refuse(*std::move(taken));
    ask_ = {.who = pending_.id,
            .copy = true,
            .role = std::string(again->job().role_arn),
            .attempt = new_mark(apis_)};
    TRY(slot_, take_brake_slot(ask_, subject_));
    if (slot_.held) return Copied{.how = How::kHeldBack, .name = {}, .reason = slot_.held};
    TRY(item_, read_job_item(pending_.id, apis_));
    return unless_claimed(rules::may_create(item_, rules::observed_job(again->job()), apis_.now()),
                          name);
  }

  // If the request was refused, the slot of the brake is given back.
  Result<void> create(const aws::JobName& name) {
    bool refused = false;
    auto created = [&] {
      const aws::OwnCalls calls(calls_until(slot_, apis_));
      auto answer = create_copy(pending_.original, changes_, name.view(), apis_, calls.context(),
                                pending_.original.copy_parts());
      refused = !answer && was_refused(answer.error(), calls.made());
      return answer;
    }();
    if (refused) give_copy_slot_back(ask_, apis_);
    return created;
  }

  // Tries the next machines if AWS refuses these for good: by a quota, or a type that is not
  // offered.
  Result<Copied> create_on_first_machines(const aws::JobName& name,
                                          const std::vector<rules::CopyChanges>& candidates) {
    for (const rules::CopyChanges& changes : candidates) {
      // The restart's other changes may not be possible on these machines.
      if (refused_ && refusal_of(pending_.original, changes, name.view(), apis_)) continue;
      changes_ = changes;
      TRY(auto early, look_again(name));
      if (early) return *std::move(early);
      const auto created = create(name);
      if (created) return note_made(name, How::kMade);
      if (created.error().code == ErrorCode::kConflict) return found_taken(name);
      if (!rules::refused_for_good(created.error())) return fail(created.error());
      if (!refused_) refused_ = created.error();
    }
    return fail(*refused_);
  }

  // The name is taken: by an earlier delivery, or by an attempt of ours whose answer was lost.
  Result<Copied> found_taken(const aws::JobName& name) {
    refused_.reset();  // with which machines it was made, nobody here knows
    TRY(const bool is_it, is_this_copy(name, pending_.original, item_.copy->at, apis_));
    if (!is_it) return refuse({.why = rules::Why::kNameTaken, .name = name.str()});
    return note_made(name, How::kAlready);
  }

  // Why the copy has other machines than requested, or what else is to be said of it; nullopt if
  // there is nothing.
  std::optional<rules::Reason> instead() const {
    if (!refused_)
      return rules::said_of_copy(pending_.original.job(), !item_.restart->types.empty());
    return rules::Reason{.why = rules::Why::kOtherMachines,
                         .name = rules::machines_text(pending_.original.job(), changes_),
                         .error = refused_};
  }

  Result<Copied> note_made(const aws::JobName& name, How how) {
    ActionOutcome end{rules::ActionKind::kRestart,
                      {.kind = rules::ActionResult::Kind::kCopied,
                       .reason = instead(),
                       .name = name.str(),
                       .resume = look_for_checkpoint(pending_.original.job(), apis_)}};
    const std::vector<Prepared> notices = notices_of(end);
    // A late notice that the job is stopped for a restart names its copy, too.
    const std::vector<Prepared> later =
        prepare_late(subject_, pending_.original.sources, *item_.restart, end);
    CHECK_OK(change_job_item(pending_.id, apis_, [&](rules::JobItem item, sys_seconds now) {
      item = reword(rules::copy_made(std::move(item)), later);
      return actions::claim(std::move(item), notices, apis_, now);
    }));
    tag_as_copied(pending_.original, name, apis_);
    return Copied{
        .how = how, .name = name.str(), .reason = end.result.reason, .resume = end.result.resume};
  }

  static constexpr auto kRestarted = rules::NoticeOutcome::kRestarted;

  // If we stopped the job, its recipients already know that a copy comes, unless they were notified
  // since that it could not be made. That the copy lacks the machines it was stopped for is news.
  std::vector<Prepared> notices_of(const ActionOutcome& end) const {
    const bool stopped_for_others = refused_ && !item_.restart->of_ended;
    if (pending_.asked == nullptr && !item_.restart->of_ended && !was_notified_of_failure() &&
        !stopped_for_others)
      return {};
    return prepare_end(subject_, pending_.original.sources, *item_.restart,
                       stopped_for_others ? nullptr : pending_.asked, kRestarted, end);
  }

  bool was_notified_of_failure() const {
    const ActionOutcome none{rules::ActionKind::kRestart};
    const auto failures = prepare_end(subject_, pending_.original.sources, *item_.restart, nullptr,
                                      rules::NoticeOutcome::kFailed, none);
    return std::ranges::any_of(
        failures, [&](const Prepared& one) { return item_.notices.contains(one.key); });
  }

  const PendingCopy& pending_;
  const Subject& subject_;
  const Apis& apis_;
  rules::JobItem item_;
  rules::CopyChanges changes_;
  std::optional<Error> refused_;  // what AWS said of the machines that were asked for first
  rules::BrakeAsk ask_;
  BrakeSlot slot_;
};

}  // namespace

Result<void> create_copy(const JobSnapshot& original, const rules::CopyChanges& changes,
                         std::string_view name, const Apis& apis, const aws::CallContext& context,
                         rules::CopyParts parts) {
  auto body = original.copy_request(changes, name, parts);
  if (!body) return fail(ErrorCode::kInternal, "the copy cannot be asked for any more");
  bool has_own_metrics = false;
  const auto scrub = [&](std::string text) {
    has_own_metrics = has_own_metrics || aws::refuses_metric_definitions(text);
    return original.without_values(changes, std::move(text));
  };
  auto created = apis.sagemaker.create_training_job(*std::move(body), context, name, scrub);
  if (created) return {};
  const bool drops_metrics = has_own_metrics && created.error().code == ErrorCode::kRejected;
  if (!drops_metrics) return fail(std::move(created).error());
  parts.metric_definitions = false;
  auto without = original.copy_request(changes, name, parts);
  if (!without) return fail(std::move(created).error());
  created = apis.sagemaker.create_training_job(*std::move(without), context, name, scrub);
  if (!created) return fail(std::move(created).error());
  return {};
}

Result<Copied> make_pending_copy(const PendingCopy& pending, const Subject& subject) {
  Making making(pending, subject);
  return pending.only_find ? making.find() : making.make();
}

}  // namespace trainwarden::actions
