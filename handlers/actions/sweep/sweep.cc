#include "handlers/actions/sweep/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "handlers/actions/handle/handle_job.h"
#include "handlers/actions/stop/brake_slots.h"
#include "handlers/actions/stop/find_tuner.h"
#include "handlers/actions/stop/stop_tuner.h"
#include "handlers/actions/sweep/announced_stops.h"
#include "handlers/actions/sweep/copy_queue.h"
#include "handlers/actions/sweep/sweep_alarms.h"
#include "handlers/actions/sweep/sweep_limit.h"
#include "handlers/actions/sweep/sweep_lists.h"
#include "handlers/actions/sweep/work_queue.h"
#include "handlers/actions/sweep/would_act.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/digest.h"
#include "handlers/actions/tell/report_item.h"
#include "handlers/rules/state/item_id.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/stop_order.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kExamples = 5;
constexpr int kLastPart = 20;  // of the time: too little to begin another job
constexpr int kForCopies = 8;  // the same for stops, if copies are to be made

class Sweeper {
 public:
  Sweeper(const ActivePolicy& rules, const Apis& apis, const SweepHooks& hooks)
      : rules_(rules),
        apis_(apis),
        hooks_(hooks),
        time_(left()),
        limit_(rules.policy.limits().stops_per_sweep) {
    report_.policy_hash = rules.policy.hash();
    report_.limit = rules.policy.limits().stops_per_sweep;
  }

  SweepReport run() {
    note_rules();
    take_census();
    alarms_.begin();
    report_.looked_at = work_queue().work_off([this] { return left() - time_to_act(); });
    act();
    send_digests();
    alarms_.finish([this] { return left() - time_ / kLastPart; });
    report_.incomplete =
        report_.incomplete || report_.looked_at < report_.to_look_at || report_.left > 0;
    return std::move(report_);
  }

 private:
  // A job that would be stopped or restarted.
  struct Pending {
    Considered considered;
    Acting acting;
    std::string counts_as;  // in limit_
    bool denied;            // AWS has denied its stop before
  };

  milliseconds time_to_act() const { return time_ / 4; }

  milliseconds left() const { return apis_.context.deadline.left(apis_.clock.steady_now()); }

  void take_census() {
    take_lists(lists_, rules_, apis_, hooks_.random);
    const std::vector<aws::CallMade> listing = take_calls();
    report_.throttled =
        static_cast<std::size_t>(std::ranges::count_if(listing, &aws::CallMade::throttled));
    tally(listing);
    report_.incomplete = !lists_.cut.empty();
    if (!lists_.failure) report_.cut_lists = lists_.cut.size();
    for (const JobCensus* const census : {&lists_.running, &lists_.ended})
      for (const std::string& job : census->too_large) report_too_large(job);
    std::ranges::for_each(lists_.cut, [this](const std::string& why) { note(why); });
    if (lists_.unread) note_unread(*lists_.unread);
    report_.census_error = lists_.failure;
    if (lists_.failure) note_state(*lists_.failure);
    report_.alarms = lists_.alarms.seen;
    report_.foreign = lists_.alarms.foreign;
    if (report_.foreign > 0) report_foreign();
    report_.in_alarm = lists_.alarms.firing.size();
    report_.running = lists_.running.seen;
    report_.ended = lists_.ended.seen - lists_.past;
    report_.to_look_at = lists_.to_look_at();
    report_.due = lists_.due.size();
    copies_.expect(lists_.due, lists_.due_is_cut);
  }

  void report_too_large(const std::string& job) {
    ++report_.too_large;
    report_.incomplete = true;
    note(
        fmt::format("job {}: its description is larger than what is read, so that no sweep looks "
                    "at it",
                    job));
  }

  // Foreign alarms are only reported: anybody who may create alarms could make one that looks like
  // this.
  void report_foreign() {
    note(fmt::format(
        "{} alarms under `{}/` call another topic than this stack's, such as `{}`: two "
        "stacks in one region need an AlarmPrefix each. Those that this stack plans "
        "are put anew, and the others are left alone",
        lists_.alarms.foreign, apis_.config.alarm_prefix, lists_.alarms.foreign_example));
  }

  // Sweeps restart only jobs that failed after the rule was first enforced, at the latest now.
  // Items that cannot be read here are read again before a copy is ordered.
  void note_rules() {
    if (!apis_.table) return;
    const auto rules = rules_.policy.rules();
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (!rules[i].has(rules::ActionKind::kRestart) ||
          effective_mode(rules_.policy, rules[i], rules_.ceiling) != rules::Mode::kEnforce)
        continue;
      const auto since = enforced_since(rules[i].text, apis_);
      if (since)
        enforced_.emplace(i, *since);
      else
        note_unread(since.error());
    }
    tally(take_calls());
  }

  WorkQueue work_queue() {
    const auto firing = [this](const AlarmCensus::Firing& one) { look(one.job, one.alarm); };
    const auto orphan = [this](const AlarmCensus::AlarmsOfJob& alarms) {
      alarms_.look_at_orphan(alarms);
    };
    const auto job = [this](const std::string& name) { look(name, {}); };
    // A job whose copy is queued is handled by the queue.
    const auto ended = [this, job](const std::string& name) {
      if (!copies_.sees_to(name, enforced_)) job(name);
    };
    const auto due = [this](const std::string& id) { look_at_due(id); };
    WorkQueue queue;
    queue.add(lists_.alarms.firing, 10, firing);
    queue.add(lists_.orphaned, 8, orphan);
    queue.add(lists_.running.nominated, 4, job);
    queue.add(lists_.due, 2, due);
    queue.add(lists_.ended.nominated, 2, ended);
    queue.add(lists_.unseen, 1, orphan);
    queue.add(lists_.unlisted, 0, job);
    return queue;
  }

  rules::JobEvent event_of(const std::string& job, std::optional<rules::AlarmEvent> alarm) const {
    rules::JobEvent event{
        .trigger = rules::Trigger::kSweep, .job_name = job, .alarm = std::move(alarm)};
    event.region = apis_.sagemaker.client().region();
    if (!apis_.account.empty()) event.account = apis_.account;
    return event;
  }

  // Handles the job as if its event had arrived now.
  void look(const std::string& job, std::optional<rules::AlarmEvent> alarm) {
    const rules::JobEvent event = event_of(job, std::move(alarm));
    auto name = aws::JobName::parse(event.job_name);
    if (!name) return;
    Considered considered = consider(rules_, {*std::move(name), {}}, event, apis_);
    if (considered.sources.job() != nullptr && considered.sources.job()->has_ended())
      return copies_.look_at_ended(std::move(considered), enforced_);
    Acting acting = would_act(considered, rules_, apis_);
    considered.record.calls = take_calls();
    if (!acting.any()) return finish(carry_out(rules_, std::move(considered), apis_));
    // A limit of none lets none through, however it was counted.
    if (report_.limit == 0)
      std::ranges::move(std::exchange(acting.counted, {}), std::back_inserter(acting.described));
    std::string counts_as = counted_as(considered);
    Pending one{.considered = std::move(considered),
                .acting = std::move(acting),
                .counts_as = std::move(counts_as),
                .denied = lists_.remembered.denied.contains(event.job_name)};
    one.acting.measured = one.acting.measured || measured_.contains(event.job_name);
    if (one.acting.measured) measured_.insert(event.job_name);
    const bool counts = !one.denied && !one.acting.described.empty();
    if (!one.acting.measured && !counts) others_.insert(one.counts_as);
    if (counts)
      limit_.add(one.counts_as, one.considered.hourly_cost, one.acting.described,
                 one.acting.measured, [this](std::size_t rule) { return is_mature(rule); });
    pending_.push_back(std::move(one));
    finish_hopeless();
  }

  bool is_mature(std::size_t rule) const {
    return rules::is_mature(lists_.remembered, rules_.policy.rules()[rule].fingerprint,
                            apis_.now());
  }

  // Whether a sweep's limit may hold all of it back.
  static bool is_limited(const Pending& one) {
    return !one.acting.measured && one.acting.counted.empty() && !one.denied;
  }

  // Does everything but stop a job whose stop the limit holds back, so that only those are kept
  // that may be stopped.
  void finish_hopeless() {
    for (auto one = pending_.begin(); one != pending_.end();) {
      if (!is_limited(*one) || limit_.may_pass(one->counts_as)) {
        ++one;
        continue;
      }
      one->considered.hold = held_back();
      finish(carry_out(rules_, std::move(one->considered), apis_));
      one = pending_.erase(one);
    }
  }

  // Completes what the table lists as due: the pending copy of a restart, or a claimed notice. It
  // was counted when it began (P7), so no rule is asked. Copies are made later, in the queue's
  // order.
  void look_at_due(const std::string& id) {
    apis_.begin_look();
    const rules::DueItem item = rules::due_item(id);
    if (const auto* const waiting = std::get_if<rules::QueuedJob>(&item))
      return copies_.look_at_waiting(waiting->name, enforced_);
    if (std::holds_alternative<rules::DigestOfItem>(item)) {
      digests_.push_back(id);
      return;
    }
    if (std::holds_alternative<rules::TunerOfItem>(item)) {
      if (rules_.mode() != rules::Mode::kObserve)
        finish(record_of_item(id, settle_tuner(id, apis_)));
      return;
    }
    if (std::holds_alternative<rules::ReportOfItem>(item))
      return finish(record_of_item(id, settle_report(id, apis_)));
    const auto* const job = std::get_if<rules::JobOfItem>(&item);
    const auto name = job != nullptr ? aws::JobName::parse(job->name)
                                     : Result<aws::JobName>(fail(ErrorCode::kBadResponse, ""));
    if (!name) {
      note(fmt::format("the state table: the item `{}` is due, and is no job's", id));
      return;
    }
    ConsideredDue due = consider_due(rules_, {*name, {}}, id, job->created, apis_);
    due.record.calls = take_calls();
    if (due.has_pending_copy) return copies_.add_pending(std::move(due));
    if (!due.record.error) {
      copies_.nothing_pending(job->name);
      const auto seen = review_announced_stops(*name, due, lists_.alarms, event_of(name->str(), {}),
                                               rules_, apis_);
      if (!seen) note_unread(seen.error());
    }
    finish(carry_out_due(rules_, std::move(due), apis_));
  }

  // Includes what this sweep itself has held back.
  void send_digests() {
    for (const std::string& id : digests_)
      if (auto sent = send_digest(id, rules_, apis_))
        finish(record_of_item(id, {*std::move(sent)}));
  }

  // The record of an item that belongs to no job.
  Record record_of_item(const std::string& id, std::vector<PendingNotice> notices) const {
    return {.trigger = rules::Trigger::kSweep,
            .job = id,
            .state = "?",
            .pending_notices = std::move(notices),
            .policy_hash = rules_.policy.hash()};
  }

  rules::ActionResult held_back() const {
    return {.kind = rules::ActionResult::Kind::kHeldBack,
            .reason = rules::Reason{.why = rules::Why::kStopsPerSweep, .limit = report_.limit}};
  }

  // P7: the limit holds back stops that rest on descriptions; the other actions on those jobs are
  // done all the same. Copies are counted apart, and part of the time is reserved for them.
  void act() {
    report_.measured = measured_.size();
    report_.queued = copies_.queued();
    report_.failed += copies_.failed();
    report_.would_act = measured_.size() + limit_.jobs() + others_.size() + copies_.new_ones();
    kept_ = time_ / (copies_.empty() ? kLastPart : kForCopies);
    limit_.settle();
    std::ranges::for_each(pending_, [this](Pending& one) { apply_limit(one); });
    const auto from = std::ranges::stable_partition(pending_, [](const Pending& one) {
      return !is_limited(one) || !one.considered.passes.empty();
    });
    std::vector<Pending> held(std::move_iterator(from.begin()), std::move_iterator(from.end()));
    pending_.erase(from.begin(), from.end());
    for (const Pending& one : pending_) waiting_.push_back(waiting_stop(one));
    while (!pending_.empty()) carry_out_one(take_next());
    for (Pending& one : held) carry_out_one(std::move(one));
    report_held();
    make_copies();
    kept_ = time_ / kLastPart;
    for (Pending& one : std::exchange(late_, {})) carry_out_one(std::move(one));
    remember_denied();
    report_.unreached += late_.size();
    if (report_.unreached == 0) return;
    report_.incomplete = true;
    note(fmt::format("no time was left to act on {} jobs", report_.unreached));
  }

  // Which rules may stop the job, if not all that would.
  void apply_limit(Pending& one) const {
    const auto& [measured, described, counted] = one.acting;
    std::set<std::size_t>& passes = one.considered.passes;
    if (one.denied)
      passes.insert(described.begin(), described.end());
    else if (!described.empty())
      passes = limit_.passing(one.counts_as, described, measured);
    if (passes.size() < described.size()) one.considered.hold = held_back();
    passes.insert(counted.begin(), counted.end());
  }

  // Whose turn it is (rules/state/stop_order.h).
  Pending take_next() {
    std::ptrdiff_t next = 0;
    if (pending_.size() > 1) {
      const auto brake = last_brake(apis_);
      next = brake ? rules::next_stop(waiting_, rules::next_share(*brake, apis_.service_now()),
                                      rules::stops_by_role(*brake, apis_.service_now()))
                   : rules::next_stop(waiting_, rules::Share::kDearest, {});
    }
    Pending out = std::move(pending_[static_cast<std::size_t>(next)]);
    pending_.erase(pending_.begin() + next);
    waiting_.erase(waiting_.begin() + next);
    return out;
  }

  static rules::WaitingStop waiting_stop(const Pending& one) {
    const rules::TrainingJob* const job = one.considered.sources.job();
    return {.usd_per_hour = one.considered.hourly_cost,
            .role = rules::role_key(job == nullptr ? std::string_view() : job->role_arn),
            .denied = one.denied};
  }

  void carry_out_one(Pending one) {
    if (left() < kept_) {
      late_.push_back(std::move(one));
      return;
    }
    const bool held = one.acting.measured && one.considered.hold;
    const double cost = one.considered.hourly_cost;
    Record record = carry_out(rules_, std::move(one.considered), apis_);
    if (was_denied(record)) denied_.insert(record.job);
    if (was_stopped(record)) stopped_.insert({record.job, one.counts_as});
    if (held) limit_.hold(one.counts_as, cost);
    finish(std::move(record));
  }

  // The next sweep counts them no more, and tries them last. One that it did not reach stays.
  void remember_denied() {
    const auto& before = lists_.remembered.denied;
    std::set<std::string, std::less<>> now;
    if (report_.looked_at < report_.to_look_at || !lists_.cut.empty() || !late_.empty())
      now = before;
    now.insert(denied_.begin(), denied_.end());
    while (now.size() > rules::kMostDenied) now.erase(now.begin());
    if (now == before || lists_.unread || !rules_.enforces()) return;
    const auto kept = change_sweep_item(apis_, [&](rules::SweepItem item, sys_seconds /*now*/) {
      item.denied = now;
      return item;
    });
    if (!kept) note_unread(kept.error());
    tally(take_calls());
  }

  void make_copies() {
    const auto is_time = [this] { return left() >= time_ / kLastPart; };
    const CopyQueue::Made made = copies_.make(report_.limit, kExamples, is_time);
    report_.unreached += made.unreached;
    report_.held_copies = made.held_back;
    report_.copy_examples = made.examples;
    if (made.unclaimed) note_unread(*made.unclaimed);
    tally(take_calls());
  }

  void report_held() {
    std::vector<std::string> jobs = limit_.held_back();
    std::erase_if(jobs, [this](const std::string& job) { return stopped_.contains(job); });
    if (jobs.empty()) return;
    report_.held_back = jobs.size();
    std::string names;
    for (std::size_t i = 0; i < std::min(jobs.size(), kExamples); ++i) {
      report_.examples.push_back(jobs[i]);
      names.append(names.empty() ? "" : ", ").append(jobs[i]);
    }
    const auto claimed = notify_of_sweep({.why = rules::Why::kStopsPerSweep,
                                          .name = std::move(names),
                                          .number = static_cast<std::int64_t>(jobs.size()),
                                          .limit = report_.limit},
                                         rules_, apis_);
    if (!claimed) note_unread(claimed.error());
    tally(take_calls());
  }

  void finish(Record record) {
    std::ranges::move(take_calls(), std::back_inserter(record.calls));
    tally(record.calls);
    alarms_.note(record, was_stopped(record));
    if (const auto failure = record.failure()) {
      ++report_.failed;
      note(failure->message);
    }
    hooks_.on_record(record);
  }

  void note_state(const Error& error) {
    if (error.code == ErrorCode::kStateUnavailable) report_.state_unavailable = true;
  }

  // Notes what the state table could not return or take; this does not fail the sweep.
  void note_unread(const Error& error) {
    note(error.message);
    note_state(error);
  }

  void note(std::string error) {
    if (report_.errors.size() < kExamples) report_.errors.push_back(std::move(error));
  }

  std::vector<aws::CallMade> take_calls() {
    return apis_.context.made == nullptr ? std::vector<aws::CallMade>()
                                         : std::exchange(*apis_.context.made, {});
  }

  void tally(const std::vector<aws::CallMade>& calls) { add_calls(report_.calls, calls); }

  const ActivePolicy& rules_;
  const Apis& apis_;
  const SweepHooks& hooks_;
  milliseconds time_;  // at the beginning
  SweepLists lists_;
  std::vector<Pending> pending_;  // of these a sweep's limit keeps few
  CopyQueue copies_{rules_,
                    apis_,
                    {.finish = [this](Record record) { finish(std::move(record)); },
                     .note = [this](std::string error) { note(std::move(error)); },
                     .unread = [this](const Error& error) { note_unread(error); },
                     .take_calls = [this] { return take_calls(); }}};
  std::vector<rules::WaitingStop> waiting_;  // beside pending_, when it is acted on
  std::vector<Pending> late_;                // left over when the time for copies began
  milliseconds kept_{0};                     // reserved for what comes after the stops
  std::set<std::string> measured_;           // jobs that would be stopped because of a measurement
  // Jobs that would be stopped because of their description, by the limit and without counting
  // again. A tuner that is stopped with all of its jobs counts once.
  SweepLimit limit_;
  std::set<std::string> others_;
  std::set<std::string> stopped_;
  std::set<std::string> denied_;      // jobs whose stop AWS denies
  std::vector<std::string> digests_;  // items that hold one, due or not yet
  EnforcedSince enforced_;
  SweepReport report_;
  SweepAlarms alarms_{rules_, apis_, lists_, report_,
                      [this](Record record) { finish(std::move(record)); }};
};

}  // namespace

SweepReport sweep(const ActivePolicy& rules, const Apis& apis, const SweepHooks& hooks) {
  aws::CallContext context = apis.context;
  context.pace = hooks.pace;
  const Apis paced(apis.sagemaker.client(), apis.clock, context, apis.config, apis.powers,
                   apis.request, apis.account);
  return Sweeper(rules, paced, hooks).run();
}

}  // namespace trainwarden::actions
