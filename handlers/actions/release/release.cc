#include "handlers/actions/release/release.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/claims.h"
#include "handlers/actions/tell/compose.h"
#include "handlers/rules/notices/notice.h"
#include "handlers/rules/state/observed_job.h"

namespace trainwarden::actions {
namespace {

using rules::ActionKind;
using rules::PoolStatus;
using rules::Reason;
using rules::Why;
using Kind = rules::ActionResult::Kind;

// A new copy finds its machines within this time; until then it may take this warm pool.
constexpr std::chrono::minutes kCopyTakesPool{10};

ActionOutcome release_done(rules::ActionResult result) {
  return {ActionKind::kRelease, std::move(result)};
}

// Why there is no warm pool to release; nullopt if there is one.
std::optional<Reason> why_not_available(const rules::WarmPool& pool) {
  switch (pool.status) {
    case PoolStatus::kAvailable:
      return std::nullopt;
    case PoolStatus::kNone:
      return Reason{.why = Why::kNoWarmPool};
    case PoolStatus::kReused:
      if (!pool.reused_by.empty())
        return Reason{.why = Why::kPoolIsReused, .name = std::string(pool.reused_by)};
      break;
    case PoolStatus::kTerminated:
    case PoolStatus::kInUse:
    case PoolStatus::kOther:
      break;
  }
  return Reason{.why = Why::kPoolNotAvailable, .name = std::string(pool.status_text)};
}

bool copy_may_take_pool(const rules::JobItem& item, sys_seconds now) {
  return rules::has_pending_copy(item) || (item.copy && now - item.copy->at < kCopyTakesPool);
}

// Drops the notices that this delivery claimed for something that did not happen. Another
// delivery's claims stay: what was refused to this one may have been granted to it.
Result<void> forget(const std::string& id, const std::vector<Prepared>& notices, const Apis& apis) {
  CHECK_OK(change_job_item(id, apis, [&](rules::JobItem item, sys_seconds /*now*/) {
    for (const Prepared& one : notices) {
      const auto found = item.notices.find(one.key);
      if (found == item.notices.end()) continue;
      const rules::Claim& claim = found->second.claim;
      if (!claim.done && claim.by == apis.request) item.notices.erase(found);
    }
    return item;
  }));
  return {};
}

// Whether AWS refused the request, so that nothing was done by it.
bool was_refused(const Error& answer) {
  return rules::refused_for_good(answer) || answer.code == ErrorCode::kThrottled ||
         answer.code == ErrorCode::kUnauthenticated || answer.code == ErrorCode::kConflict;
}

// Asks Describe what became of the pool: AWS documents no error for a pool that another job took or
// that ran out, and after a lost answer the next attempt is refused. nullopt if the pool is
// still Available.
Result<std::optional<rules::ActionResult>> result_by_look(const Subject& subject,
                                                          const Error& answer) {
  rules::Sources sources(subject.sources.event());
  if (gather(sources, {rules::Source::kDescribe}, subject.job, subject.apis) != Gathered::kJob)
    return rules::not_done(Why::kGone);
  if (sources.job() == nullptr) return fail(answer);
  const rules::ObservedJob observed = rules::observed_job(*sources.job());
  if (observed.pool == PoolStatus::kTerminated && !observed.pool_ran_out)
    return rules::ActionResult{Kind::kReleased};
  if (auto why = why_not_available(sources.job()->warm_pool))
    return rules::not_done(*std::move(why));
  return std::nullopt;
}

ActionOutcome result_of(const Subject& subject, const Error& answer) {
  if (answer.code == ErrorCode::kNotFound) return release_done(rules::not_done(Why::kGone));
  if (answer.code == ErrorCode::kAccessDenied || answer.code == ErrorCode::kUnauthenticated ||
      answer.code == ErrorCode::kThrottled)
    return failed(ActionKind::kRelease, answer);
  auto found = result_by_look(subject, answer);
  if (found && *found) return release_done(**std::move(found));
  return failed(ActionKind::kRelease, answer);
}

}  // namespace

ActionOutcome release(const Subject& subject, const rules::Decision& decision,
                      const rules::Action& /*action*/) {
  const Apis& apis = subject.apis;
  auto rechecked = recheck(subject, decision);
  if (!rechecked) return failed(ActionKind::kRelease, std::move(rechecked).error());
  if (!rechecked->decision) return release_done(rules::not_done(*std::move(rechecked->reason)));
  if (std::ranges::find(rechecked->decision->actions, ActionKind::kRelease, &rules::Action::kind) ==
      rechecked->decision->actions.end())
    return release_done(rules::not_done(Why::kNoLongerAsked));
  const rules::TrainingJob& job = *rechecked->sources->job();
  if (auto why = why_not_available(job.warm_pool))
    return release_done(rules::not_done(*std::move(why)));
  const auto id = job_item_id(job);
  if (!id) return failed(ActionKind::kRelease, id.error());

  const std::vector<Prepared> notices = prepare_for_act(
      subject, *rechecked->decision, *rechecked->sources, rules::NoticeOutcome::kReleased);
  bool for_copy = false;
  const auto claimed = change_job_item(*id, apis, [&](rules::JobItem item, sys_seconds now) {
    for_copy = copy_may_take_pool(item, now);
    return for_copy ? std::move(item) : claim(std::move(item), notices, apis, now);
  });
  if (!claimed) return failed(ActionKind::kRelease, claimed.error());
  if (for_copy) return release_done(rules::not_done(Why::kPoolForCopy));

  const auto answer = apis.sagemaker.update_training_job(subject.job.name, 0, apis.context);
  ActionOutcome outcome =
      answer ? release_done({Kind::kReleased}) : result_of(subject, answer.error());
  if (outcome.result.is(Kind::kReleased)) {
    outcome.saved_usd = rechecked->pool_usd;
  } else if (outcome.result.is(Kind::kNotDone) || was_refused(answer.error())) {
    if (const auto forgotten = forget(*id, notices, apis); !forgotten)
      outcome.note = forgotten.error().message;
  }
  return outcome;
}

}  // namespace trainwarden::actions
