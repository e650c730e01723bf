#include "handlers/actions/sweep/sweep_lists.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>

#include "awsapi/page_walk.h"
#include "handlers/actions/context/list_time.h"
#include "handlers/actions/sweep/planned_alarms.h"
#include "handlers/actions/table/due.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/state/item_id.h"
#include "runtime/base/fnv1a.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

// In 32nds of the time.
constexpr int kParts = 32;
constexpr ListTime kForAlarms{20, 14};
constexpr ListTime kForFiring{16, 12};
constexpr ListTime kForRunning{20, 14};
constexpr ListTime kForEnded{16, 12};
constexpr ListTime kForDue{14, 11};

class Listing {
 public:
  Listing(SweepLists& lists, const ActivePolicy& rules, const Apis& apis,
          const std::function<double()>& random)
      : lists_(lists),
        rules_(rules),
        apis_(apis),
        random_(random),
        time_(apis.context.deadline.left(apis.clock.steady_now())) {}

  void take() {
    const Cursor cursor = find_cursor();
    AlarmListing alarms(lists_.alarms, rules_.policy, apis_.config);
    const auto all_alarms = [&] {
      return list(kForAlarms, alarms.all(), [&](const Result<void>& walked, bool failed) {
        alarms.end_all(walked);
        alarms_failed_ = failed;
      });
    };
    const auto firing = [&]() -> std::optional<aws::List> {
      if (!lists_.alarms.cut || alarms_failed_) return std::nullopt;
      return list(kForFiring, alarms.firing(),
                  [&](const Result<void>& walked, bool) { alarms.end_firing(walked); });
    };
    JobListing running = JobListing::running(
        cursor.running, [this](const rules::Sources& search) { return needs_look(search); });
    std::optional<JobListing> ended;  // the services' clock is known after a first page
    const auto next_ended = [&] {
      return JobListing::ended(cursor.ended, apis_.now(), [this](const rules::Sources& search) {
        return ended_needs_look(search);
      });
    };
    bool running_failed = false;
    const auto half_of_running = [&](Result<void> walked, bool failed) {
      running.note(walked);
      running_failed = failed;
    };
    const auto half_of_ended = [&](const Result<void>& walked, bool) { ended->note(walked); };
    const std::array<aws::Row, 2> rows{
        aws::Row{all_alarms, firing},
        aws::Row{[&] { return list(kForRunning, running.from_start(), half_of_running); },
                 [&] { return second(running, kForRunning, half_of_running); },
                 [&] {
                   return list(kForEnded, ended.emplace(next_ended()).from_start(), half_of_ended);
                 },
                 [&] { return second(*ended, kForEnded, half_of_ended); }}};
    aws::walk_beside(rows, apis_.sagemaker.client(), apis_.clock, apis_.context);
    const Cursor reached{.running = running.cursor(), .ended = ended->cursor()};
    lists_.running = running.finish();
    lists_.ended = ended->finish();
    if (may_be_due()) list_due();
    planned_.each_lacking(lists_.alarms, [this](const std::string& job) {
      if (!note_unlisted(job)) lists_.unwatched.push_back(job);
    });
    for (const std::string& job : ended_) note_unlisted(job);
    // Without the list of running jobs, no alarm can be called left over.
    if (!running_failed) find_orphaned();
    if (!cursor.running) rotate_to_random_start(lists_.running.nominated);
    if (!cursor.ended) rotate_to_random_start(lists_.ended.nominated);
    rotate_to_random_start(lists_.alarms.firing);
    rotate_to_random_start(lists_.orphaned);
    rotate_to_random_start(lists_.unseen);
    rotate_to_random_start(lists_.unlisted);
    rotate_to_random_start(lists_.unwatched);
    rotate_to_random_start(lists_.due);
    let_roles_take_turns(lists_.due);
    remember(reached);
  }

 private:
  // failed: for another reason than time.
  using Ended = std::function<void(const Result<void>& walked, bool failed)>;

  // Only who enforces writes where the lists stood (P3).
  bool remembers() const { return apis_.table && rules_.enforces(); }
  // Pending copies are due, and so is the weekly report, whatever the policy's mode is.
  bool may_be_due() const { return apis_.table && rules_.ceiling != rules::Mode::kObserve; }

  // By CreationTime of the last job that was listed.
  struct Cursor {
    std::optional<sys_seconds> running;
    std::optional<sys_seconds> ended;
  };

  // Where the last sweep's lists stopped; a random place if that is not known.
  Cursor find_cursor() {
    if (remembers()) {
      auto found = read_sweep_item(apis_);
      if (found) {
        lists_.remembered = *std::move(found);
        return {lists_.remembered.running, lists_.remembered.ended};
      }
      lists_.unread = std::move(found).error();
    }
    const sys_seconds start = random_start(apis_.now(), random_());
    return {start, start};
  }

  rules::SweepItem next_item(rules::SweepItem item, const Cursor& reached, sys_seconds now) const {
    item.running = reached.running;
    item.ended = reached.ended;
    // A sweep that has no job to look at writes nothing for that.
    if (lists_.running.nominated.empty() && lists_.ended.nominated.empty() &&
        lists_.alarms.firing.empty())
      return item;
    std::vector<std::string> enforced;
    for (const rules::Rule& rule : rules_.policy.rules())
      if (effective_mode(rules_.policy, rule, rules_.ceiling) == rules::Mode::kEnforce &&
          (rule.has(rules::ActionKind::kStop) || rule.has(rules::ActionKind::kRestart)))
        enforced.push_back(rule.fingerprint);
    if (enforced.empty()) return item;
    return rules::confirm_enforced(std::move(item), enforced, now);
  }

  // Most sweeps leave nothing new. An item that could not be read is not overwritten.
  void remember(const Cursor& reached) {
    if (!remembers() || lists_.unread ||
        next_item(lists_.remembered, reached, apis_.now()) == lists_.remembered)
      return;
    if (auto kept = change_sweep_item(apis_,
                                      [&](rules::SweepItem item, sys_seconds now) {
                                        lists_.remembered =
                                            next_item(std::move(item), reached, now);
                                        return lists_.remembered;
                                      });
        !kept)
      lists_.unread = std::move(kept).error();
  }

  Deadline until(int parts) const { return apis_.context.deadline.before(time_ / kParts * parts); }

  std::optional<aws::List> list(ListTime time, aws::Pages pages, Ended ended) {
    return aws::List{std::move(pages), until(time.end), until(time.last_page),
                     [this, ended = std::move(ended)](const Result<void>& walked, Deadline until) {
                       ended(walked, !walked && !note_cut(walked.error(), until));
                     }};
  }

  std::optional<aws::List> second(JobListing& jobs, ListTime time, Ended ended) {
    if (!jobs.has_second_half()) return std::nullopt;
    return list(time, jobs.up_to_start(), std::move(ended));
  }

  // True if the time ran out; false if a service failed.
  bool note_cut(const Error& cut, Deadline until) {
    lists_.cut.push_back(cut.message);
    const bool ran_out = ran_out_of_time(cut, until, apis_.clock);
    if (!ran_out) lists_.failure = cut;
    return ran_out;
  }

  void list_due() {
    aws::CallContext context = apis_.context;
    context.deadline = until(kForDue.end);
    context.last_page = until(kForDue.last_page);
    const auto asked = each_due(
        [&](std::string_view id) -> Result<bool> {
          lists_.due.emplace_back(id);
          return true;
        },
        Apis(apis_.sagemaker.client(), apis_.clock, context, apis_.config));
    lists_.due_is_cut = !asked;
    if (asked) return;
    const bool is_time = ran_out_of_time(asked.error(), context.deadline, apis_.clock);
    note_cut(is_time ? asked.error() : state_unavailable(asked.error()), context.deadline);
  }

  bool needs_look(const rules::Sources& search) {
    const rules::Nomination found = rules::nominate(rules_.policy, search, apis_.now());
    if (found.look) return true;
    // Without a topic no alarms are put, nor on a job that stops.
    if (search.job()->status != rules::JobStatus::kInProgress) return false;
    if (found.watches.empty() || !apis_.config.alarms || apis_.config.alarm_topic.empty())
      return false;
    planned_.add(search.event().job_name, *search.job(), found.watches, apis_);
    return false;
  }

  // If the alarm list failed, the job's alarms count neither as missing nor as left over. If the
  // list was only cut by time, the job goes to `unlisted`. True if its alarms were not listed.
  bool note_unlisted(const std::string& job) {
    if (lists_.alarms.covers(job)) return false;
    if (!alarms_failed_) lists_.unlisted.push_back(job);
    return true;
  }

  bool ended_needs_look(const rules::Sources& search) {
    roles_.emplace_back(fnv1a(search.event().job_name), fnv1a(search.job()->role_arn));
    const bool past = is_past(search, apis_.now());
    if (past) ++lists_.past;
    if (past) return false;
    if (rules::nominate(rules_.policy, search, apis_.now()).look) return true;
    if (!rules_.policy.watches().empty()) ended_.push_back(search.event().job_name);
    return false;
  }

  // Where time runs out before all of them were looked at, each role's first ones were.
  void let_roles_take_turns(std::vector<std::string>& due) {
    if (due.size() < 2) return;
    std::ranges::sort(roles_);
    std::map<std::uint64_t, std::uint64_t> had;
    std::vector<std::pair<std::uint64_t, std::size_t>> turns;  // of each, and its place
    turns.reserve(due.size());
    for (std::size_t i = 0; i < due.size(); ++i) turns.emplace_back(had[role_of_due(due[i])]++, i);
    std::ranges::sort(turns);
    std::vector<std::string> out;
    out.reserve(due.size());
    for (const auto& [turn, i] : turns) out.push_back(std::move(due[i]));
    due = std::move(out);
  }

  // 0 where it is not known: of no job that ended lately, or its list was cut.
  std::uint64_t role_of_due(std::string_view id) const {
    const rules::DueItem item = rules::due_item(id);
    const auto* const waiting = std::get_if<rules::QueuedJob>(&item);
    const auto* const job = std::get_if<rules::JobOfItem>(&item);
    if (waiting == nullptr && job == nullptr) return 0;
    const std::uint64_t name = fnv1a(waiting != nullptr ? waiting->name : job->name);
    const auto found = std::ranges::lower_bound(roles_, std::pair(name, std::uint64_t{0}));
    return found != roles_.end() && found->first == name ? found->second : 0;
  }

  // If the list of running jobs is incomplete, rely on Search for whether a job has ended.
  void find_orphaned() {
    lists_.alarms.each_job([&](const AlarmCensus::AlarmsOfJob& alarms) {
      if (lists_.running.has(alarms.job)) return;
      const bool ended = !lists_.running.cut || lists_.ended.has(alarms.job);
      (ended ? lists_.orphaned : lists_.unseen).push_back(alarms);
    });
  }

  template <class Item>
  void rotate_to_random_start(std::vector<Item>& list) {
    const double at = random_() * static_cast<double>(list.size());
    std::ranges::rotate(list, list.begin() + static_cast<std::ptrdiff_t>(at));
  }

  SweepLists& lists_;
  const ActivePolicy& rules_;
  const Apis& apis_;
  const std::function<double()>& random_;
  milliseconds time_;  // at the beginning
  bool alarms_failed_ = false;
  PlannedAlarms planned_;
  std::vector<std::string> ended_;  // jobs whose alarms may be left over
  // Of jobs that ended lately: hashes of the name, and of the role's ARN.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> roles_;
};

}  // namespace

std::size_t SweepLists::to_look_at() const {
  return alarms.firing.size() + orphaned.size() + running.nominated.size() + due.size() +
         ended.nominated.size() + unseen.size() + unlisted.size() + unwatched.size();
}

void take_lists(SweepLists& lists, const ActivePolicy& rules, const Apis& apis,
                const std::function<double()>& random) {
  Listing(lists, rules, apis, random).take();
}

bool is_past(const rules::Sources& sources, sys_seconds now) {
  const rules::TrainingJob* const job = sources.job();
  const auto changed = job != nullptr ? job->last_modified : std::nullopt;
  return changed && now - *changed > rules::kCopiedWithin;
}

}  // namespace trainwarden::actions
