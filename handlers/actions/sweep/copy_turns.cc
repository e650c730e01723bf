#include "handlers/actions/sweep/copy_turns.h"

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
#include "handlers/rules/state/job_item.h"

namespace trainwarden::actions {
namespace {

using Kind = rules::ActionResult::Kind;

// Of those whose like was refused just now, a sweep may not have time for more: then it begins
// somewhere, so that no job is always behind the same others.
constexpr std::size_t kMostInOrder = 50;

// Of what became of a copy, as far as that matters for the next one.
bool any_restart(const Record& record, const std::function<bool(const ActionOutcome&)>& is_so) {
  if (record.restart && is_so(*record.restart)) return true;
  return std::ranges::any_of(record.decisions, [&](const DecisionOutcome& one) {
    return std::ranges::any_of(one.actions, [&](const ActionOutcome& outcome) {
      return outcome.action == rules::ActionKind::kRestart && is_so(outcome);
    });
  });
}

bool lacks_machines(const ActionOutcome& restart) {
  return restart.error && restart.error->code == ErrorCode::kLimitExceeded;
}

bool is_held_by_hour(const ActionOutcome& restart) {
  return restart.result.is(Kind::kHeldBack) &&
         restart.result.is_because(rules::Why::kRestartsPerHour);
}

}  // namespace

Result<bool> would_copy_of(const Considered& considered, const EnforcedSince& enforced,
                           const Apis& apis) {
  for (const rules::Decision& decision : considered.evaluation.decisions) {
    const rules::Action* const restart = restart_of(decision);
    if (restart == nullptr) continue;
    const auto ended = rules::ended_at(*considered.sources.job());
    const auto since = enforced.find(decision.index);
    if (ended && since != enforced.end() && *ended < since->second) continue;
    const auto original = read_snapshot(considered.job, std::nullopt, apis);
    if (!original && original.error().code == ErrorCode::kNotFound) return false;
    if (!original) return fail(original.error());
    TRY(const bool would, would_copy(*original, restart->restart, apis));
    if (would) return true;
  }
  return false;
}

bool asks_for_turn(const Considered& considered, const rules::TurnItem& item,
                   const rules::Policy& policy) {
  const auto created = considered.sources.job()->created;
  return std::ranges::any_of(considered.evaluation.decisions, [&](const rules::Decision& decision) {
    return restart_of(decision) != nullptr &&
           rules::waits_for_turn(item, rules::rule_item_id(policy.rules()[decision.index].text),
                                 created);
  });
}

void CopyTurns::expect(std::span<const std::string> ids) {
  for (const std::string& id : ids) {
    if (const auto job = rules::job_of_turn(id); job && rules_.ceiling == rules::Mode::kEnforce)
      waiting_.emplace(*job);
    if (auto job = rules::job_of_item(id)) owed_.insert(std::move(job->name));
  }
}

CopyTurns::Turn CopyTurns::turn_of(const rules::TrainingJob& job,
                                   std::variant<ConsideredDue, Considered> work) {
  return {.place = {.ended = rules::ended_at(job).value_or(sys_seconds()),
                    .job = std::string(job.name),
                    .role = std::string(job.role_arn)},
          .item = job_item_id(job).value_or(std::string()),
          .machines = fmt::format("{} {}", job.instance_type, job.spot),
          .work = std::move(work)};
}

void CopyTurns::add_owed(ConsideredDue due) {
  const rules::TrainingJob job = *due.sources.job();
  turns_.push_back(turn_of(job, std::move(due)));
}

void CopyTurns::add_waiting(Considered considered) {
  const rules::TrainingJob job = *considered.sources.job();
  turns_.push_back(turn_of(job, std::move(considered)));
}

void CopyTurns::add_new(Considered considered) {
  const rules::TrainingJob job = *considered.sources.job();
  new_names_.emplace(job.name);
  new_.push_back(turn_of(job, std::move(considered)));
}

void CopyTurns::put_in_order(Turns& turns) const {
  if (turns.size() < 2) return;
  std::vector<rules::WaitingCopy> places;
  places.reserve(turns.size());
  for (const Turn& turn : turns) places.push_back(turn.place);
  const auto brake = last_brake(apis_);
  Turns out;
  out.reserve(turns.size());
  for (const std::size_t i :
       rules::in_turn(places, brake ? rules::copies_by_role(*brake, apis_.service_now())
                                    : std::map<std::string, std::size_t>()))
    out.push_back(std::move(turns[i]));
  turns = std::move(out);
}

// A job that has its slot already needs no other's.
bool CopyTurns::is_worth_asking(const Turn& turn) const {
  if (!held_.contains(turn.place.role)) return true;
  const auto brake = last_brake(apis_);
  return brake && rules::has_copy_slot(*brake, turn.item, turn.place.role, apis_.service_now());
}

Record CopyTurns::carry_out_turn(Turn& turn) const {
  if (auto* const due = std::get_if<ConsideredDue>(&turn.work))
    return carry_out_due(rules_, std::move(*due), apis_);
  return carry_out(rules_, std::move(std::get<Considered>(turn.work)), apis_);
}

std::size_t CopyTurns::make_in_turn(const IsTime& is_time, const Finish& finish) {
  put_in_order(turns_);
  std::size_t unreached = 0;
  std::set<std::string> lacking;
  Turns last;
  const auto make = [&](Turn& turn) {
    if (!is_worth_asking(turn)) return;
    if (!is_time()) {
      ++unreached;
      return;
    }
    Record record = carry_out_turn(turn);
    if (any_restart(record, lacks_machines)) lacking.insert(turn.machines);
    if (any_restart(record, is_held_by_hour)) held_.insert(turn.place.role);
    finish(std::move(record));
  };
  for (Turn& turn : turns_)
    if (lacking.contains(turn.machines))
      last.push_back(std::move(turn));
    else
      make(turn);
  if (last.size() > kMostInOrder)
    std::ranges::rotate(
        last, last.begin() + static_cast<std::ptrdiff_t>(std::hash<std::string>()(apis_.request) %
                                                         last.size()));
  for (Turn& turn : last) make(turn);
  return unreached;
}

void CopyTurns::hold_new(std::int64_t limit, std::size_t examples, Made& made) {
  made.held_back = new_names_.size();
  std::string names;
  for (const Turn& turn : new_ | std::views::take(examples)) {
    made.examples.push_back(turn.place.job);
    names.append(names.empty() ? "" : ", ").append(turn.place.job);
  }
  const rules::ActionResult held{.kind = Kind::kHeldBack,
                                 .reason = rules::Reason{.why = rules::Why::kCopiesPerSweep,
                                                         .name = std::move(names),
                                                         .number = std::ssize(new_names_),
                                                         .limit = limit}};
  tell_of_sweep(*held.reason, rules_, apis_);
  for (Turn& turn : new_) std::get<Considered>(turn.work).hold = held;
}

CopyTurns::Made CopyTurns::make(std::int64_t limit, std::size_t examples, const IsTime& is_time,
                                const Finish& finish) {
  Made out{.unreached = make_in_turn(is_time, finish)};
  put_in_order(new_);
  if (std::cmp_greater(new_names_.size(), limit)) hold_new(limit, examples, out);
  for (Turn& turn : new_)
    if (is_time())
      finish(carry_out_turn(turn));
    else
      ++out.unreached;
  return out;
}

}  // namespace trainwarden::actions
