#include "handlers/actions/sweep/sweep_lists.h"

#include <algorithm>
#include <utility>

#include "handlers/actions/table/due.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/alarms/alarm_definition.h"
#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

// What must be left of the time, in 32nds, for a list to begin another page, and when a page that
// is under way is given up.
struct Share {
  int last_page;
  int end;
};
constexpr int kParts = 32;
constexpr Share kForAlarms{28, 20};
constexpr Share kForFiring{26, 18};
constexpr Share kForRunning{20, 14};
constexpr Share kForEnded{16, 12};
constexpr Share kForDue{14, 11};

// A call that ends so near to its deadline was cut by it.
constexpr milliseconds kNoTime{250};

class Listing {
 public:
  Listing(SweepLists& lists, const ActivePolicy& rules, const Apis& apis,
          const std::function<double()>& random)
      : lists_(lists), rules_(rules), apis_(apis), random_(random), time_(left(apis.context)) {}

  void take() {
    const bool may_alarms = listed(kForAlarms, [&](const Apis& apis) {
      lists_.alarms = our_alarms(rules_.policy, apis);
      return lists_.alarms.cut;
    });
    if (lists_.alarms.cut && may_alarms)
      listed(kForFiring, [&](const Apis& apis) { return add_firing(lists_.alarms, apis); });
    const sys_seconds start = random_start(apis_.now(), random_());
    const bool may_running = listed(kForRunning, [&](const Apis& apis) {
      lists_.running = running_jobs(
          start, [&](const rules::Sources& search) { return needs_look(search); }, apis);
      return lists_.running.cut;
    });
    listed(kForEnded, [&](const Apis& apis) {
      lists_.ended = ended_jobs(
          start, [&](const rules::Sources& search) { return ended_needs_look(search); }, apis);
      return lists_.ended.cut;
    });
    if (apis_.table && rules_.ceiling != rules::Mode::kObserve)
      listed(kForDue, [&](const Apis& apis) { return list_due(apis); });
    // Where the running jobs cannot be listed, nobody knows which alarms are left over.
    if (may_running) find_orphaned();
    begin_somewhere(lists_.alarms.firing);
    begin_somewhere(lists_.orphaned);
    begin_somewhere(lists_.unseen);
    begin_somewhere(lists_.unlisted);
    begin_somewhere(lists_.unwatched);
    begin_somewhere(lists_.due);
  }

 private:
  milliseconds left(const aws::CallContext& context) const {
    return context.deadline.left(apis_.clock.steady_now());
  }

  // Calls list(apis), which gives what cut it. False where that was not time.
  template <class List>
  bool listed(Share share, const List& list) {
    const auto until = [&](int parts) {
      return apis_.context.deadline.before(time_ / kParts * parts);
    };
    const aws::CallContext context{until(share.end), apis_.context.trace_id, apis_.context.made,
                                   until(share.last_page)};
    const std::optional<Error> cut =
        list(Apis(apis_.sagemaker.client(), apis_.clock, context, apis_.config));
    if (!cut) return true;
    lists_.cut.push_back(cut->message);
    if (ran_out(*cut, context)) return true;
    lists_.failure = cut;
    return false;
  }

  // Time, that is, and no service.
  bool ran_out(const Error& cut, const aws::CallContext& context) const {
    return cut.code == ErrorCode::kDeadline ||
           (cut.code == ErrorCode::kTimeout && left(context) < kNoTime);
  }

  std::optional<Error> list_due(const Apis& apis) {
    const auto asked = each_due(
        [&](std::string_view id) -> Result<bool> {
          lists_.due.emplace_back(id);
          return true;
        },
        apis);
    lists_.due_is_cut = !asked;
    if (asked) return std::nullopt;
    return ran_out(asked.error(), apis.context) ? asked.error() : state_unavailable(asked.error());
  }

  bool needs_look(const rules::Sources& search) {
    const rules::Nomination found = rules::nominate(rules_.policy, search, apis_.now());
    if (found.look) return true;
    // Without a topic none are put.
    if (found.watches.empty() || !apis_.config.alarms || apis_.config.alarm_topic.empty())
      return false;
    const std::string& job = search.event().job_name;
    const bool missing = std::ranges::any_of(found.watches, [&](const rules::Watch* watch) {
      const rules::AlarmPlan plan = rules::plan_alarms(
          *watch, job, *search.job(), apis_.config.alarm_topic, apis_.config.alarm_prefix);
      return has_more_than(plan, *watch, job) ||
             std::ranges::any_of(plan.alarms, [&](const rules::PlannedAlarm& alarm) {
               const auto planned = json::Document::parse(alarm.body);
               return !planned || !lists_.alarms.has(rules::alarm_fingerprint(planned->root()));
             });
    });
    if (missing && !note_unlisted(job)) lists_.unwatched.push_back(job);
    return false;
  }

  // Whether the watch had other alarms for the job than it has now: a number more, or none.
  bool has_more_than(const rules::AlarmPlan& plan, const rules::Watch& watch,
                     const std::string& job) const {
    return std::ranges::any_of(rules::unplanned_parts(plan.alarms.size()), [&](int part) {
      return lists_.alarms.has_name(
          rules::AlarmName{job, watch.name, part, apis_.config.alarm_prefix}.str());
    });
  }

  // Alarms that nobody could list are neither missing nor left over; they may be, where time ran
  // out. True where the job's were not listed.
  bool note_unlisted(const std::string& job) {
    if (lists_.alarms.covers(job)) return false;
    if (!lists_.failure) lists_.unlisted.push_back(job);
    return true;
  }

  bool ended_needs_look(const rules::Sources& search) {
    const bool past = is_past(search, apis_.now());
    if (past) ++lists_.past;
    if (past) return false;
    if (rules::nominate(rules_.policy, search, apis_.now()).look) return true;
    if (!rules_.policy.watches().empty()) note_unlisted(search.event().job_name);
    return false;
  }

  // What Search tells of a job's end counts where the list of running jobs was cut.
  void find_orphaned() {
    lists_.alarms.each_job([&](const AlarmCensus::AlarmsOfJob& alarms) {
      if (lists_.running.has(alarms.job)) return;
      const bool ended = !lists_.running.cut || lists_.ended.has(alarms.job);
      (ended ? lists_.orphaned : lists_.unseen).push_back(alarms);
    });
  }

  template <class Item>
  void begin_somewhere(std::vector<Item>& list) {
    const double at = random_() * static_cast<double>(list.size());
    std::ranges::rotate(list, list.begin() + static_cast<std::ptrdiff_t>(at));
  }

  SweepLists& lists_;
  const ActivePolicy& rules_;
  const Apis& apis_;
  const std::function<double()>& random_;
  milliseconds time_;  // at the beginning
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
