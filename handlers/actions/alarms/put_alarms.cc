#include "handlers/actions/alarms/put_alarms.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "handlers/actions/alarms/alarms.h"
#include "handlers/actions/alarms/fetch_past.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/rules/alarms/alarm_definition.h"
#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/alarms/described_alarm.h"
#include "handlers/rules/job/training_segment.h"
#include "handlers/rules/outcome/outcome_text.h"

namespace trainwarden::actions {
namespace {

using rules::ActionResult;
using rules::not_done;
using rules::Why;
using Kind = ActionResult::Kind;

struct Wanted {
  rules::PlannedAlarm alarm;
  json::Document definition;
  const rules::Watch* watch;
  bool stands = false;  // just as planned

  rules::Compared compared() const {
    return alarm.waits_for_past ? rules::Compared::kAllButThreshold : rules::Compared::kAll;
  }
};

class Watching {
 public:
  Watching(const Subject& subject, const rules::Action& action)
      : subject_(subject), apis_(subject.apis), action_(action), outcome_{action.kind} {}

  ActionOutcome run() && {
    if (!apis_.config.alarms) return done(not_done(Why::kAlarmsOff));
    if (apis_.config.alarm_topic.empty()) return done(not_done(Why::kNoAlarmTopic));
    if (const rules::TrainingJob* const known = subject_.sources.job())
      see_to(*known);
    else if (const auto described = ask_for_job(); !described)
      handle_end(described.error());
    else
      see_to(rules::read_training_job(described->root()));
    return std::move(outcome_);
  }

 private:
  ActionOutcome done(ActionResult result) {
    outcome_.result = std::move(result);
    return std::move(outcome_);
  }

  void note(std::string_view text) {
    outcome_.note += fmt::format("{}{}", outcome_.note.empty() ? "" : "; ", text);
  }

  void failed(Error error) {
    if (!outcome_.error) outcome_.error = std::move(error);
    if (outcome_.result.is(Kind::kPending)) outcome_.result = {Kind::kFailed};
  }

  Result<json::Document> ask_for_job() const {
    return apis_.sagemaker.describe_training_job(subject_.job.name, apis_.context);
  }

  void see_to(const rules::TrainingJob& job) {
    if (job.has_ended())
      end(not_done(Why::kHasEnded));
    else
      put_alarms(job);
  }

  void handle_end(const Error& error) {
    if (error.code == ErrorCode::kNotFound)
      end(not_done(Why::kGone));
    else
      failed(error);
  }

  // Deletes the alarms of a job that has ended.
  void end(ActionResult result) {
    outcome_.result = std::move(result);
    AlarmChanges ended = delete_alarms_of(subject_.job, apis_);
    std::ranges::move(ended.deleted, std::back_inserter(outcome_.alarms.deleted));
    std::ranges::move(ended.left, std::back_inserter(outcome_.alarms.left));
    if (ended.error) failed(*std::move(ended.error));
  }

  void put_alarms(const rules::TrainingJob& job) {
    if (!same_creation(subject_.sources.event(), job)) {
      outcome_.result = not_done(Why::kNamesake);
      return;
    }
    const auto segment = rules::current_training(job);
    if (!segment) {
      outcome_.result = not_done(segment.error());
      return;
    }
    plan(job);
    if (wanted_.empty() && !seems_unasked()) {
      outcome_.result = {Kind::kNothingToWatch};
      return;
    }
    if (const auto listed = compare(*segment); !listed) {
      if (is_left_to_sweep(listed.error()))
        leave(rules::alarm_prefix(subject_.job.name.view(), apis_.config.alarm_prefix));
      else
        failed(listed.error());
      return;
    }
    for (const Wanted& wanted : wanted_)
      if (!wanted.stands) put(wanted, job);
    for (const std::string& name : stale_) reset(name);
    delete_unasked();
    if (outcome_.result.is(Kind::kPending))
      outcome_.result = {wanted_.size() == without_past_   ? Kind::kNothingToWatch
                         : outcome_.alarms.created.empty() ? Kind::kWatchedBefore
                                                           : Kind::kWatched};
    // A sweep finds left-over alarms itself, so it need not look again.
    if (!outcome_.alarms.created.empty() && apis_.sweep_alarms == nullptr) look_again();
  }

  void plan(const rules::TrainingJob& job) {
    for (const std::string& name : action_.watches) {
      const rules::Watch* const watch = subject_.rules.policy.find_watch(name);
      if (watch == nullptr) continue;
      rules::AlarmPlan plan =
          rules::plan_alarms(*watch, subject_.job.name.view(), job, apis_.config.alarm_topic,
                             apis_.config.alarm_prefix);
      if (plan.none) note(fmt::format("{}: {}", name, rules::text(*plan.none)));
      if (plan.counted_as_one)
        note(fmt::format("{}: {}: counted as 1", name, rules::text(*plan.counted_as_one)));
      parts_.emplace_back(name, plan.alarms.size());
      for (rules::PlannedAlarm& alarm : plan.alarms) {
        auto definition = json::Document::parse(alarm.body);
        if (definition) wanted_.push_back({std::move(alarm), *std::move(definition), watch});
      }
    }
  }

  // Whether a watch seems to have more alarms than planned, according to a sweep's listing.
  bool seems_unasked() const {
    if (apis_.sweep_alarms == nullptr || !apis_.sweep_alarms->listed(subject_.job.name.view()))
      return false;
    return std::ranges::any_of(parts_, [this](const auto& watch) {
      return std::ranges::any_of(rules::unplanned_parts(watch.second), [&](int part) {
        return apis_.sweep_alarms->named(
            rules::AlarmName{subject_.job.name.str(), watch.first, part, apis_.config.alarm_prefix}
                .str());
      });
    });
  }

  // Compares the plan with the alarms that exist.
  Result<void> compare(sys_seconds segment) {
    // An alarm that is in ALARM may have to be deleted.
    if (const std::string_view job = subject_.job.name.view();
        apis_.sweep_alarms != nullptr && apis_.sweep_alarms->listed(job) &&
        !apis_.sweep_alarms->in_alarm(job) && !seems_unasked()) {
      for (Wanted& wanted : wanted_)
        wanted.stands = apis_.sweep_alarms->stands(
            rules::alarm_fingerprint(wanted.definition.root(), wanted.compared()));
      return {};
    }
    return each_alarm(subject_.job, apis_, [&](const rules::AlarmName& name, json::Value alarm) {
      const rules::Maker maker = rules::maker_of(alarm, apis_.config.alarm_topic);
      if (maker == rules::Maker::kThisStack) calling_us_.insert(name.watch);
      const std::string text = name.str();
      const auto wanted = std::ranges::find(
          wanted_, text, [](const Wanted& one) -> const std::string& { return one.alarm.name; });
      if (wanted == wanted_.end()) {
        note_unasked(name, maker);
        return;
      }
      wanted->stands = rules::same_alarm(wanted->definition.root(), alarm, wanted->compared());
      const rules::DescribedAlarm described = rules::read_alarm(alarm, apis_.config.alarm_prefix);
      if (described.in_alarm && described.state_since && *described.state_since < segment)
        stale_.push_back(text);
    });
  }

  // Notes an alarm of ours for a watch that is not to have it: the watch left the policy, or has
  // fewer or other hosts. A watch that exists, but that no rule asks for here, keeps its alarm.
  void note_unasked(const rules::AlarmName& name, rules::Maker maker) {
    const bool asked = std::ranges::find(action_.watches, name.watch) != action_.watches.end();
    const bool known = subject_.rules.policy.find_watch(name.watch) != nullptr;
    const bool ours = maker == rules::Maker::kThisStack || maker == rules::Maker::kSilent;
    if (ours && (asked || !known)) may_be_unasked_.push_back(name);
  }

  // An alarm without a topic is ours if another alarm of its watch calls our topic.
  void delete_unasked() {
    for (const rules::AlarmName& name : may_be_unasked_)
      if (calling_us_.contains(name.watch)) unasked_.push_back(name.str());
    if (unasked_.empty()) return;
    const auto deleted = delete_alarms(unasked_, apis_);
    if (deleted)
      outcome_.alarms.deleted = std::move(unasked_);
    else if (deleted.error().code == ErrorCode::kThrottled)
      for (std::string& name : unasked_) leave(std::move(name));
    else
      failed(deleted.error());
  }

  void put(const Wanted& wanted, const rules::TrainingJob& job) {
    if (!wanted.alarm.waits_for_past)
      put(wanted.alarm);
    else if (!outcome_.alarms.left.empty())
      leave(wanted.alarm.name);
    else
      put_with_past(wanted, job);
  }

  // W6: puts the alarm with the threshold that the job's own past gives it, once that is known.
  void put_with_past(const Wanted& wanted, const rules::TrainingJob& job) {
    const auto past = fetch_past(*wanted.watch, subject_.job, job, apis_);
    if (!past && is_left_to_sweep(past.error())) return leave(wanted.alarm.name);
    if (!past) return failed(Error(past.error()).in(wanted.alarm.name));
    if (!*past) {
      ++without_past_;
      return note(fmt::format("{}: {}", wanted.watch->name, rules::text(past->error())));
    }
    const rules::AlarmPlan plan =
        rules::plan_alarms(rules::with_past(*wanted.watch, **past), subject_.job.name.view(), job,
                           apis_.config.alarm_topic, apis_.config.alarm_prefix);
    for (const rules::PlannedAlarm& alarm : plan.alarms) put(alarm);
  }

  // After a throttled put no other is tried, since each would wait as long.
  void put(const rules::PlannedAlarm& alarm) {
    if (!outcome_.alarms.left.empty() ||
        (apis_.sweep_alarms != nullptr && !apis_.sweep_alarms->wait_to_put()))
      return leave(alarm.name);
    if (const auto put = apis_.cloudwatch.put_metric_alarm(alarm.body, apis_.context, alarm.name))
      outcome_.alarms.created.push_back(alarm.name);
    else if (put.error().code == ErrorCode::kThrottled)
      leave(alarm.name);
    else
      failed(Error(put.error()).in(alarm.name));
  }

  // Leaves an alarm to the sweep, which puts missing alarms and looks again at those in ALARM.
  void leave(std::string name) {
    outcome_.alarms.left.push_back(std::move(name));
    if (outcome_.result.is(Kind::kPending)) outcome_.result = {Kind::kLeftToSweep};
  }

  void reset(const std::string& name) {
    const auto set = apis_.cloudwatch.set_alarm_state(
        name, "INSUFFICIENT_DATA",
        "Trainwarden: the job began to train anew after this alarm was raised", apis_.context);
    if (set)
      outcome_.alarms.reset.push_back(name);
    else if (set.error().code == ErrorCode::kThrottled)
      leave(name);
    else if (set.error().code != ErrorCode::kNotFound)
      failed(Error(set.error()).in(name));
  }

  // If the job ended between the look and the put, no other event will come to delete its alarms.
  void look_again() {
    const auto found = ask_for_job();
    if (!found)
      handle_end(found.error());
    else if (rules::read_training_job(found->root()).has_ended())
      end({Kind::kEndedMeanwhile});
  }

  const Subject& subject_;
  const Apis& apis_;
  const rules::Action& action_;
  ActionOutcome outcome_;
  std::vector<Wanted> wanted_;
  std::size_t without_past_ = 0;  // of these: there is nothing to compare with (W6)
  std::vector<std::pair<std::string, std::size_t>> parts_;  // of each watch that has alarms
  std::set<std::string> calling_us_;  // watches of which an alarm calls our topic
  std::vector<rules::AlarmName> may_be_unasked_;
  std::vector<std::string> unasked_;  // to be deleted
  std::vector<std::string> stale_;    // in ALARM since an earlier Training segment
};

}  // namespace

ActionOutcome watch(const Subject& subject, const rules::Decision& /*decision*/,
                    const rules::Action& action) {
  return Watching(subject, action).run();
}

}  // namespace trainwarden::actions
