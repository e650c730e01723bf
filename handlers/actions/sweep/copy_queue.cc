#include "handlers/actions/sweep/copy_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "handlers/actions/fetch/job_snapshot.h"
#include "handlers/actions/restart/restart.h"
#include "handlers/actions/stop/brake_slots.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/state/item_id.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/queue_item.h"

namespace trainwarden::actions {
namespace {

using Kind = rules::ActionResult::Kind;

// With more copies than this waiting for machines that were refused just now, a sweep may not reach
// all of them. It then begins at a random one, so that no job is always behind the same others.
constexpr std::size_t kMostInOrder = 50;

// Whether the predicate holds for any restart of the record: what a refused copy says about the
// next one.
bool any_restart(const Record& record, const std::function<bool(const ActionOutcome&)>& is_so) {
  if (record.restart && is_so(*record.restart)) return true;
  return std::ranges::any_of(record.decisions, [&](const DecisionOutcome& one) {
    return std::ranges::any_of(one.actions, [&](const ActionOutcome& outcome) {
      return outcome.action == rules::ActionKind::kRestart && is_so(outcome);
    });
  });
}

// Jobs with the same text ask for the same machines, as far as it is known.
std::string machine_types(const rules::TrainingJob& job) {
  std::string out(job.instance_type);
  for (const rules::Instances& one : job.preferences) out += fmt::format("{}|", one.type);
  return out;
}

bool lacks_machines(const ActionOutcome& restart) {
  return restart.error && restart.error->code == ErrorCode::kLimitExceeded;
}

bool is_held_by_hour(const ActionOutcome& restart) {
  return restart.result.is(Kind::kHeldBack) &&
         restart.result.is_because(rules::Why::kRestartsPerHour);
}

// Whether a rule's restart of the job, which has ended, would make a copy now.
Result<bool> would_copy_of(const Considered& considered, const EnforcedSince& enforced,
                           const Apis& apis) {
  for (const rules::Decision& decision : considered.evaluation.decisions) {
    const rules::Action* const restart = restart_of(decision);
    if (restart == nullptr) continue;
    const auto ended = considered.sources.job()->ended();
    const auto since = enforced.find(decision.index);
    if (ended && since != enforced.end() && *ended < since->second) continue;
    const auto original = read_snapshot(considered.job, std::nullopt, apis);
    if (!original && original.error().absent) return false;
    if (!original) return fail(original.error().error);
    TRY(const bool would, would_copy(*original, restart->restart, apis));
    if (would) return true;
  }
  return false;
}

// Whether a rule still asks for the copy that was queued.
bool asks_for_queued(const Considered& considered, const rules::QueueItem& item,
                     const rules::Policy& policy) {
  const auto created = considered.sources.job()->created;
  return std::ranges::any_of(considered.evaluation.decisions, [&](const rules::Decision& decision) {
    return restart_of(decision) != nullptr &&
           rules::is_queued(item, rules::rule_item_id(policy.rules()[decision.index].text),
                            created);
  });
}

}  // namespace

void CopyQueue::expect(std::span<const std::string> ids, bool is_cut) {
  is_cut_ = is_cut;
  for (const std::string& id : ids) {
    rules::DueItem item = rules::due_item(id);
    if (auto* const queued = std::get_if<rules::QueuedJob>(&item);
        queued != nullptr && rules_.mode() == rules::Mode::kEnforce)
      waiting_.insert(std::move(queued->name));
    if (auto* const job = std::get_if<rules::JobOfItem>(&item))
      pending_.insert(std::move(job->name));
  }
}

CopyQueue::QueuedCopy CopyQueue::queued_copy_of(const rules::TrainingJob& job,
                                                std::variant<ConsideredDue, Considered> work) {
  return {.waiting = {.ended = job.ended().value_or(sys_seconds()),
                      .job = std::string(job.name),
                      .role = std::string(job.role_arn)},
          .item = job_item_id(job).value_or(std::string()),
          .machines = fmt::format("{} {}", machine_types(job), job.spot),
          .work = std::move(work)};
}

void CopyQueue::add_pending(ConsideredDue due) {
  const rules::TrainingJob job = *due.sources.job();
  queued_.push_back(queued_copy_of(job, std::move(due)));
}

void CopyQueue::look_at_ended(Considered considered, const EnforcedSince& enforced) {
  considered.later = pending_.contains(considered.record.job);
  const auto would =
      considered.later ? Result<bool>(false) : would_copy_of(considered, enforced, apis_);
  considered.record.calls = hooks_.take_calls();
  if (would && *would) {
    const rules::TrainingJob job = *considered.sources.job();
    new_names_.emplace(job.name);
    new_.push_back(queued_copy_of(job, std::move(considered)));
    return;
  }
  // If the guards could not be asked, the copy cannot be counted, so it is not made now.
  if (!would) {
    considered.hold = rules::not_done(rules::because_of(would.error()));
    ++failed_;
    hooks_.note(fmt::format("job {}: {}", considered.record.job, would.error().message));
  }
  hooks_.finish(carry_out(rules_, std::move(considered), apis_));
}

void CopyQueue::look_at_waiting(const std::string& job, const EnforcedSince& enforced) {
  const auto name = aws::JobName::parse(job);
  if (!name || !waiting_.contains(job)) return;
  const auto item = read_queue_item(job, apis_);
  if (!item) return hooks_.unread(item.error());
  if (!item->waits) {  // it came, and the index is behind
    waiting_.erase(job);
    return;
  }
  Considered considered =
      consider(rules_, {*name, {}}, {.trigger = rules::Trigger::kSweep, .job_name = job}, apis_);
  considered.record.calls = hooks_.take_calls();
  const rules::TrainingJob* const found = considered.sources.job();
  // The name belongs to a later job, which is handled as a running job.
  if (found != nullptr && !found->has_ended()) return;
  const auto ended = found == nullptr ? std::nullopt : found->ended();
  const bool too_late = apis_.now() - ended.value_or(item->at) > rules::kCopiedWithin;
  considered.waited = too_late ? QueueWait::kTooLong : QueueWait::kQueued;
  considered.queued = found != nullptr && asks_for_queued(considered, *item, rules_.policy);
  if (found == nullptr || too_late) {
    hooks_.finish(carry_out(rules_, std::move(considered), apis_));
  } else if (considered.queued) {
    const rules::TrainingJob described = *found;
    queued_.push_back(queued_copy_of(described, std::move(considered)));
  } else {
    look_at_ended(std::move(considered), enforced);
  }
}

bool CopyQueue::sees_to(const std::string& job, const EnforcedSince& enforced) {
  if (waiting_.contains(job)) return true;
  if (!is_cut_ || rules_.mode() < rules::Mode::kEnforce) return false;
  // Only the job's queue item tells whether its copy is queued. If that cannot be read, assume that
  // it is.
  const auto item = read_queue_item(job, apis_);
  if (!item) hooks_.unread(item.error());
  if (!item || !item->waits) return !item;
  waiting_.insert(job);
  look_at_waiting(job, enforced);
  return true;
}

void CopyQueue::put_in_order(QueuedCopies& queue) const {
  if (queue.size() < 2) return;
  std::vector<rules::WaitingCopy> waiting;
  waiting.reserve(queue.size());
  for (const QueuedCopy& one : queue) waiting.push_back(one.waiting);
  const auto brake = last_brake(apis_);
  QueuedCopies out;
  out.reserve(queue.size());
  for (const std::size_t i :
       rules::queue_order(waiting, brake ? rules::copies_by_role(*brake, apis_.service_now())
                                         : std::map<std::string, std::size_t>()))
    out.push_back(std::move(queue[i]));
  queue = std::move(out);
}

// A job that already holds a slot needs no other, even if the hourly limit is reached.
bool CopyQueue::is_worth_asking(const QueuedCopy& one) const {
  if (!held_.contains(one.waiting.role)) return true;
  const auto brake = last_brake(apis_);
  return brake && rules::has_copy_slot(*brake, one.item, one.waiting.role, apis_.service_now());
}

Record CopyQueue::carry_out_one(QueuedCopy& one) const {
  if (auto* const due = std::get_if<ConsideredDue>(&one.work))
    return carry_out_due(rules_, std::move(*due), apis_);
  return carry_out(rules_, std::move(std::get<Considered>(one.work)), apis_);
}

std::size_t CopyQueue::make_queued(const IsTime& is_time) {
  put_in_order(queued_);
  std::size_t unreached = 0;
  std::set<std::string> lacking;
  QueuedCopies last;
  const auto make = [&](QueuedCopy& one) {
    if (!is_worth_asking(one)) return;
    if (!is_time()) {
      ++unreached;
      return;
    }
    Record record = carry_out_one(one);
    if (any_restart(record, lacks_machines)) lacking.insert(one.machines);
    if (any_restart(record, is_held_by_hour)) held_.insert(one.waiting.role);
    hooks_.finish(std::move(record));
  };
  for (QueuedCopy& one : queued_)
    if (lacking.contains(one.machines))
      last.push_back(std::move(one));
    else
      make(one);
  if (last.size() > kMostInOrder)
    std::ranges::rotate(
        last, last.begin() + static_cast<std::ptrdiff_t>(std::hash<std::string>()(apis_.request) %
                                                         last.size()));
  for (QueuedCopy& one : last) make(one);
  return unreached;
}

void CopyQueue::hold_new(std::int64_t limit, std::size_t examples, Made& made) {
  made.held_back = new_names_.size();
  std::string names;
  for (const QueuedCopy& one : new_ | std::views::take(examples)) {
    made.examples.push_back(one.waiting.job);
    names.append(names.empty() ? "" : ", ").append(one.waiting.job);
  }
  const rules::ActionResult held{.kind = Kind::kHeldBack,
                                 .reason = rules::Reason{.why = rules::Why::kCopiesPerSweep,
                                                         .name = std::move(names),
                                                         .number = std::ssize(new_names_),
                                                         .limit = limit}};
  if (auto claimed = notify_of_sweep(*held.reason, rules_, apis_); !claimed)
    made.unclaimed = std::move(claimed).error();
  for (QueuedCopy& one : new_) std::get<Considered>(one.work).hold = held;
}

CopyQueue::Made CopyQueue::make(std::int64_t limit, std::size_t examples, const IsTime& is_time) {
  Made out{.unreached = make_queued(is_time)};
  put_in_order(new_);
  if (std::cmp_greater(new_names_.size(), limit)) hold_new(limit, examples, out);
  for (QueuedCopy& one : new_)
    if (is_time())
      hooks_.finish(carry_out_one(one));
    else
      ++out.unreached;
  return out;
}

}  // namespace trainwarden::actions
