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
#include "handlers/actions/sweep/sweep_lists.h"
#include "handlers/actions/sweep/work_queue.h"
#include "handlers/actions/sweep/would_act.h"
#include "handlers/actions/table/items.h"
#include "handlers/actions/tell/digest.h"
#include "handlers/actions/tell/report_item.h"
#include "handlers/rules/state/item_id.h"
#include "handlers/rules/state/job_item.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kExamples = 5;
constexpr int kLastPart = 20;  // of the time: too little to begin another job
constexpr int kForCopies = 8;  // the same for stops, if copies are to be made

class Sweeper {
 public:
  Sweeper(const ActivePolicy& rules, const Apis& apis, const SweepHooks& hooks)
      : rules_(rules), apis_(apis), hooks_(hooks), time_(left()) {
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
  struct Pending {
    Considered considered;
    bool measured;          // a measurement asks for it, alone or among others
    std::string counts_as;  // in described_
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
    const Acting acting = would_act(considered, rules_, apis_);
    considered.record.calls = take_calls();
    if (acting.measured) measured_.insert(event.job_name);
    const std::string counts_as = counted_as(considered);
    if (acting.described) described_.emplace(counts_as, considered.hourly_cost);
    const bool keep = measured_.contains(event.job_name) || !too_many(by_description_alone());
    if ((acting.measured || acting.described) && keep) {
      pending_.push_back({std::move(considered), acting.measured, counts_as});
      return;
    }
    if (acting.described) considered.hold = held_back();
    finish(carry_out(rules_, std::move(considered), apis_));
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

  bool too_many(std::size_t jobs) const { return std::cmp_greater(jobs, report_.limit); }
  std::size_t by_description_alone() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        described_, [&](const auto& job) { return !measured_.contains(job.first); }));
  }
  rules::ActionResult held_back() const {
    return {.kind = rules::ActionResult::Kind::kHeldBack,
            .reason = rules::Reason{.why = rules::Why::kStopsPerSweep, .limit = report_.limit}};
  }

  // P7: the costliest jobs come first. Stops that rest on descriptions alone are all made or all
  // held back; the other actions on those jobs are done all the same. Copies are counted apart, and
  // part of the time is reserved for them.
  void act() {
    report_.measured = measured_.size();
    report_.queued = copies_.queued();
    report_.failed += copies_.failed();
    report_.would_act = measured_.size() + by_description_alone() + copies_.new_ones();
    kept_ = time_ / (copies_.empty() ? kLastPart : kForCopies);
    std::ranges::stable_sort(pending_, std::ranges::greater(),
                             [](const Pending& one) { return one.considered.hourly_cost; });
    // A job that was stopped because of a measurement does not count among those that its
    // description alone would stop.
    if (too_many(described_.size())) {
      std::vector<Pending> described = take_described();
      carry_out_pending(true);
      pending_ = std::move(described);
    }
    const bool hold = too_many(described_.size());
    if (hold) report_held();
    carry_out_pending(hold);
    make_copies();
    kept_ = time_ / kLastPart;
    for (auto& [one, held] : std::exchange(late_, {})) carry_out_one(one, held);
    report_.unreached += late_.size();
    if (report_.unreached == 0) return;
    report_.incomplete = true;
    note(fmt::format("no time was left to act on {} jobs", report_.unreached));
  }

  // Takes from `pending_` the jobs without a measurement.
  std::vector<Pending> take_described() {
    const auto from = std::ranges::stable_partition(pending_, &Pending::measured);
    std::vector<Pending> out(std::move_iterator(from.begin()), std::move_iterator(from.end()));
    pending_.erase(from.begin(), from.end());
    return out;
  }

  void carry_out_pending(bool hold) {
    for (Pending& one : std::exchange(pending_, {})) carry_out_one(one, hold);
  }

  void carry_out_one(Pending& one, bool hold) {
    if (left() < kept_) {
      late_.emplace_back(std::move(one), hold);
      return;
    }
    if (hold) one.considered.hold = held_back();
    Record record = carry_out(rules_, std::move(one.considered), apis_);
    if (was_stopped(record)) {
      described_.erase(record.job);
      described_.erase(one.counts_as);
    }
    finish(std::move(record));
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
    using Job = std::pair<std::string, double>;
    std::vector<Job> jobs(described_.begin(), described_.end());
    std::ranges::stable_sort(jobs, std::ranges::greater(), &Job::second);
    report_.held_back = jobs.size();
    std::string names;
    for (std::size_t i = 0; i < std::min(jobs.size(), kExamples); ++i) {
      report_.examples.push_back(jobs[i].first);
      names.append(names.empty() ? "" : ", ").append(jobs[i].first);
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
  std::vector<Pending> pending_;
  CopyQueue copies_{rules_,
                    apis_,
                    {.finish = [this](Record record) { finish(std::move(record)); },
                     .note = [this](std::string error) { note(std::move(error)); },
                     .take_calls = [this] { return take_calls(); }}};
  // Stops that were left over when the time for copies began, and whether they are held back.
  std::vector<std::pair<Pending, bool>> late_;
  milliseconds kept_{0};  // reserved for what comes after the stops
  // Jobs that would be stopped because of a measurement, and those because of their description,
  // with their hourly cost. A tuner that is stopped with all of its jobs counts once.
  std::set<std::string> measured_;
  std::map<std::string, double> described_;
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
