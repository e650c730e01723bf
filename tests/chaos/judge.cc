#include "tests/chaos/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace trainwarden::chaos {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// By which hours may be cut short: the clocks of two functions.
constexpr milliseconds kHourError = 2 * kClockError;
// For so long before the end a rule has to hold before its job should have been stopped.
constexpr hours kFindsWithin{6};
// A tag or a description may be that old, and times are in whole seconds.
constexpr seconds kSlack = kMostLag + seconds(2);
// When all mishaps are over, the kill switch and all that was late among them. From then on sweeps
// come each kInterval until kOnTime, and each two hours afterwards.
constexpr hours kCalm{3};
constexpr hours kOnTime{5};
constexpr minutes kInterval{15};
// By then a stop that AWS denied three times has been tried again.
constexpr hours kTriedAgain{9};

class Judge {
 public:
  explicit Judge(const Evidence& evidence)
      : evidence_(evidence),
        story_(evidence.story),
        law_(law_at(story_, evidence.end - evidence.start)) {}

  std::vector<Violation> judge() {
    for (const Act& act : evidence_.acts) {
      if (act.done && act.operation == "StopTrainingJob") judge_stop(act);
      if (act.done && act.operation == "StopHyperParameterTuningJob") judge_tuner_stop(act);
      if (act.done && act.operation == "UpdateTrainingJob") judge_release(act);
      if (act.done && act.operation == "CreateTrainingJob") judge_copy(act);
      judge_mode(act);
    }
    judge_one_copy();
    for (const auto& [name, job] : evidence_.jobs) {
      judge_left(job);
      judge_spared(job);
      judge_not_told(job);
      judge_not_watched(job);
      judge_not_copied(job);
      judge_pool(job);
    }
    judge_crowd();
    judge_report();
    judge_ends();
    judge_limits();
    judge_notices();
    return std::move(found_);
  }

 private:
  template <class... Args>
  void wrong(const char* invariant, fmt::format_string<Args...> text, Args&&... args) {
    found_.push_back({invariant, fmt::format(text, std::forward<Args>(args)...)});
  }
  std::string clock(sys_millis time) const { return clock_text(time - evidence_.start); }
  const Truth& job(const std::string& name) const { return evidence_.jobs.at(name); }
  // As the function that did it had it.
  Law law_of(const Act& act) const { return law_when(of(act).began); }
  Law law_when(sys_millis time) const { return law_at(story_, time - evidence_.start); }
  const Invocation& of(const Act& act) const { return evidence_.invocations[act.invocation]; }

  // Whether the rule was broken when the function looked, and asks for the stop that it made.
  bool justifies(const Rule& rule, const Act& act) const {
    if (rule.breach == Breach::kFailed || (!rule.stops() && !rule.restarts())) return false;
    const Truth& stopped = job(act.job);
    const bool of_tuner = rule.breach == Breach::kTuner && !stopped.tuner.empty();
    return law_of(act).enforces(rule) && (!of_tuner || is_tuner_stopped(act.at)) &&
           held(rule, stopped, of(act).began - kSlack, act.at + seconds(1));
  }
  // The rules that do.
  std::vector<Rule> reasons_for(const Act& act) const {
    Law law = law_of(act);
    std::erase_if(law.rules, [&](const Rule& rule) { return !justifies(rule, act); });
    return std::move(law.rules);
  }

  bool is_tuner_stopped(sys_millis by) const {
    return std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.done && act.operation == "StopHyperParameterTuningJob" && act.at <= by;
    });
  }

  // A1: by a job that it launched.
  void judge_tuner_stop(const Act& act) {
    const Law law = law_of(act);
    const Rule* const rule = law.find(Breach::kTuner);
    const bool broken =
        rule != nullptr && law.enforces(*rule) &&
        std::ranges::any_of(evidence_.jobs, [&](const auto& one) {
          return !one.second.tuner.empty() &&
                 held(*rule, one.second, of(act).began - kSlack, act.at + seconds(1));
        });
    if (!broken)
      wrong("stopped without a rule", "{} [{}] stopped {}", clock(act.at), of(act).id, act.job);
  }

  // A7.
  void judge_release(const Act& act) {
    const Law law = law_of(act);
    const Rule* const rule = law.find(Breach::kPool);
    if (rule == nullptr || !law.enforces(*rule) ||
        !held(*rule, job(act.job), of(act).began - kSlack, act.at + seconds(1)))
      wrong("released without a rule", "{} [{}] released the pool of {}", clock(act.at), of(act).id,
            act.job);
  }

  // A7: of a pool that ran out by itself while sweeps came on time.
  void judge_pool(const Truth& of) {
    const Rule* const rule = law_.find(Breach::kPool);
    const auto ended = of.ended();
    const bool restarts = std::ranges::any_of(law_.rules, &Rule::restarts);
    if (rule == nullptr || !law_.enforces(*rule) || rule->spares || restarts || !ended ||
        of.pool != "Terminated" || of.keep_alive < kPoolIdles + 2 * kInterval ||
        *ended < evidence_.start + kCalm || *ended > evidence_.start + kOnTime - hours(1))
      return;
    const bool released = std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.done && act.operation == "UpdateTrainingJob" && act.job == of.name;
    });
    if (!released) wrong("pool left", "the pool of {} stood idle until it ran out", of.name);
  }

  // A1: with this grace at least, whatever the policy said when.
  seconds shortest_grace(const Rule& rule, sys_millis by) const {
    long out = rule.grace;
    for (const Law& law : laws_until(story_, by - evidence_.start))
      if (const Rule* const was = law.find(rule.breach); was != nullptr && was->grace > 0)
        out = std::min(out, was->grace);
    return seconds(out);
  }

  // Whether the rule of that name was enforced and broken then.
  bool held_then(const Rule& rule, const Truth& job, sys_millis time) const {
    const Law law = law_when(time);
    const Rule* const then = law.find(rule.breach);
    return then != nullptr && law.enforces(*then) && holds(*then, job, time);
  }

  // For longer than an announcement counts that nothing confirms.
  bool has_lapsed(const Rule& rule, const Truth& job, sys_millis from, sys_millis to) const {
    constexpr minutes kStep{1};
    minutes without{0};
    for (sys_millis at = from; at < to; at += kStep) {
      without = held_then(rule, job, at) ? minutes(0) : without + kStep;
      if (without > 2 * kInterval + minutes(2)) return true;
    }
    return false;
  }

  // A1: nobody is stopped unannounced, by rules that announce their stops. An announcement may be
  // late by half of the time that it promises.
  void judge_announced(const Act& act, const std::vector<Rule>& reasons) {
    if (reasons.empty() ||
        std::ranges::any_of(reasons, [](const Rule& rule) { return rule.grace == 0; }))
      return;
    const bool announced = std::ranges::any_of(evidence_.notices, [&](const Notice& notice) {
      return notice.job == act.job && notice.outcome == "warned" &&
             std::ranges::any_of(reasons, [&](const Rule& rule) {
               return rule.rule_name() == notice.rule &&
                      notice.at + shortest_grace(rule, act.at) / 2 <= act.at + seconds(3) &&
                      !has_lapsed(rule, job(act.job), notice.at, act.at);
             });
    });
    if (!announced)
      wrong("unannounced", "{} [{}] stopped {}, by `{}`", clock(act.at), of(act).id, act.job,
            reasons.front().rule_name());
  }

  void judge_stop(const Act& act) {
    const std::vector<Rule> reasons = reasons_for(act);
    if (reasons.empty())
      wrong("stopped without a rule", "{} [{}] stopped {}", clock(act.at), of(act).id, act.job);
    judge_announced(act, reasons);
    if (!of(act).died && !evidence_.has_record(act.invocation, act.job))
      wrong("silent", "{} [{}] stopped {}, and its log has no record of that", clock(act.at),
            of(act).id, act.job);
    // Where the policy observes in the end, what was not told by then waits (P3).
    const bool all_tell =
        law_.mode != "observe" && std::ranges::all_of(law_of(act).rules, [](const Rule& rule) {
          return rule.notify || (!rule.stops() && rule.breach != Breach::kInterrupted);
        });
    const bool heard = std::ranges::any_of(evidence_.notices, [&](const Notice& notice) {
      return notice.job == act.job && notice.at >= of(act).began;
    });
    if (all_tell && !heard)
      wrong("silent", "{} [{}] stopped {}, and nobody was told of it", clock(act.at), of(act).id,
            act.job);
  }

  // Whether a restart had a function stop it, and no other stop came first.
  bool was_stopped_to_move(const Truth& parent) const {
    return std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      if (!act.done || act.operation != "StopTrainingJob" || act.job != parent.name) return false;
      const Law law = law_of(act);
      const Rule* const rule = law.find(Breach::kInterrupted);
      return rule != nullptr && law.enforces(*rule) &&
             held(*rule, parent, of(act).began - kSlack, act.at + seconds(1));
    });
  }

  void judge_copy(const Act& act) {
    const auto found = evidence_.jobs.find(act.parent);
    if (found == evidence_.jobs.end()) {
      wrong("copied without a rule", "{} [{}] created {}, the copy of `{}`, which there never was",
            clock(act.at), of(act).id, act.job, act.parent);
      return;
    }
    const Truth& parent = found->second;
    // What was ordered is made whatever the policy says by then (A2).
    const bool after_failure =
        std::ranges::any_of(laws_until(story_, act.at - evidence_.start), [&](Law law) {
          law.ceiling = "enforce";
          const Rule* const failed = law.find(Breach::kFailed);
          return failed != nullptr && law.enforces(*failed) &&
                 held(*failed, parent, of(act).began - kSlack, act.at);
        });
    if (!after_failure && !was_stopped_to_move(parent))
      wrong("copied without a rule", "{} [{}] made {}, a copy of {}", clock(act.at), of(act).id,
            act.job, act.parent);
    if (const std::string ceiling = law_of(act).ceiling; ceiling != "enforce")
      wrong("copied without a rule", "{} [{}] made {}, although TRAINWARDEN_MODE is {}",
            clock(act.at), of(act).id, act.job, ceiling);
    judge_checkpoint(act, parent);
    judge_generation(act);
    if (!of(act).died && !evidence_.has_record(act.invocation, act.parent))
      wrong("silent", "{} [{}] copied {}, and its log has no record of that", clock(act.at),
            of(act).id, act.parent);
  }

  // Of other people's jobs the guard can know only what Search tells.
  void judge_checkpoint(const Act& act, const Truth& parent) {
    if (parent.lives(act.at))
      wrong("two live jobs", "{} [{}] made {} while {} lived", clock(act.at), of(act).id, act.job,
            act.parent);
    const Truth& copy = job(act.job);
    if (copy.checkpoint.empty()) return;
    if (copy.checkpoint != parent.checkpoint)
      wrong("two live jobs", "{} writes to {}, {} wrote to {}", act.job, copy.checkpoint,
            act.parent, parent.checkpoint);
    const sys_millis seen = of(act).began - evidence_.story.search_lag - kSlack;
    for (const auto& [name, other] : evidence_.jobs) {
      if (name == act.job || name == act.parent || other.checkpoint != copy.checkpoint) continue;
      if (!other.lives(act.at) || (other.of_person && other.created() > seen)) continue;
      wrong("two live jobs", "{} [{}] made {} while {} lived, on the same checkpoint",
            clock(act.at), of(act).id, act.job, name);
    }
  }

  void judge_generation(const Act& act) {
    long generation = 0;
    std::map<std::string, std::string> parents;
    for (const Act& one : evidence_.acts)
      if (one.done && one.operation == "CreateTrainingJob") parents[one.job] = one.parent;
    for (auto at = parents.find(act.job); at != parents.end(); at = parents.find(at->second))
      if (++generation > 50) break;
    long limit = 0;
    for (const Law& law : laws_until(story_, act.at - evidence_.start))
      for (const Rule& rule : law.rules)
        if (rule.restarts()) limit = std::max(limit, rule.limit);
    if (generation > limit)
      wrong("endless chain", "{} is of generation {}, and the limit is {}", act.job, generation,
            limit);
  }

  void judge_one_copy() {
    std::map<std::string, std::string> copies;
    for (const Act& act : evidence_.acts) {
      if (!act.done || act.operation != "CreateTrainingJob") continue;
      const auto [at, first] = copies.emplace(act.parent, act.job);
      if (!first) wrong("two copies", "{} has {} and {}", act.parent, at->second, act.job);
    }
  }

  void judge_mode(const Act& act) {
    const auto is = [&](std::initializer_list<const char*> operations) {
      return std::ranges::find(operations, act.operation) != operations.end();
    };
    if (!act.done || is({"PutMetricAlarm", "DeleteAlarms", "SetAlarmState"})) return;  // W2
    const Law law = law_of(act);
    const auto any = [&](const char* mode) {
      return std::ranges::any_of(law.rules,
                                 [&](const Rule& rule) { return law.mode_of(rule) == mode; });
    };
    if (any("enforce")) return;
    const std::string& mode = weaker(law.mode, law.ceiling);
    // The weekly report is no rule's.
    const bool reports = story_.weekly && law.ceiling != "observe";
    if (reports && (act.item.starts_with("report/") || act.operation == "Publish")) return;
    // What was begun under another policy is finished, and nobody is told where this one observes.
    const bool goes_on = law.ceiling == "enforce" && begun_before(act);
    if (goes_on && act.item != "sweep" && act.operation != "StopTrainingJob" &&
        (mode != "observe" || act.operation != "Publish"))
      return;
    if (!any("notify") || !is({"PutItem", "Publish"}) || act.item == "sweep")
      wrong("wrote without enforce", "{} [{}] {} {}", clock(act.at), of(act).id, act.operation,
            act.job);
  }

  // Whether another policy enforced anything before that.
  bool begun_before(const Act& act) const {
    const auto before = laws_until(story_, of(act).began - evidence_.start);
    return std::any_of(before.begin(), before.end() - 1, [](const Law& law) {
      return std::ranges::any_of(law.rules, [&](const Rule& rule) { return law.enforces(rule); });
    });
  }

  bool enforces(const std::string& named) const {
    return std::ranges::any_of(law_.rules, [&](const Rule& rule) {
      return rule.rule_name() == named && law_.enforces(rule);
    });
  }

  // Of the job's stop, in the hours before that. Rules that ask for the same are told of under one.
  const Said* last_word(const Truth& job, const Rule& rule, sys_millis by) const {
    const Said* last = nullptr;
    for (const Said& said : evidence_.said) {
      const sys_millis began = evidence_.invocations[said.invocation].began;
      const bool late = began > by - kFindsWithin && began < by;
      const bool skipped = said.action == "skipped" && said.rule == rule.rule_name();
      const bool acts = said.action == "stop" && enforces(said.rule);
      if (late && said.job == job.name && (acts || skipped)) last = &said;
    }
    return last;
  }

  // Jobs that are stopped by what describes them, that live in the end.
  std::size_t violators() const {
    return static_cast<std::size_t>(std::ranges::count_if(evidence_.jobs, [&](const auto& one) {
      return std::ranges::any_of(
          law_.rules, [&](const Rule& rule) { return is_broken_in_the_end(rule, one.second); });
    }));
  }

  std::size_t violators_of(const Rule& rule) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        evidence_.jobs, [&](const auto& one) { return is_broken_in_the_end(rule, one.second); }));
  }

  // Late sweeps are too far apart for stops that are announced (A1).
  bool is_broken_in_the_end(const Rule& rule, const Truth& job) const {
    return rule.stops() && rule.grace == 0 && law_.enforces(rule) && held_for_hours(rule, job);
  }

  bool held_for_hours(const Rule& rule, const Truth& job) const {
    return holds(rule, job, evidence_.end - seconds(1)) &&
           holds(rule, job, evidence_.end - kFindsWithin);
  }

  // P7: of rules that have been enforced for a day, each sweep stops some of those that are too
  // many.
  bool stops_some_in_the_end() const {
    return std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.operation == "StopTrainingJob" && of(act).sweep &&
             of(act).began > evidence_.end - hours(5);
    });
  }

  // Rules that only tell are not held back by anything.
  void judge_not_told(const Truth& job) {
    for (const Rule& rule : law_.rules) {
      if (!rule.notify || law_.mode_of(rule) != "notify" || !held_for_hours(rule, job)) continue;
      const bool told = std::ranges::any_of(evidence_.notices, [&](const Notice& notice) {
        return notice.job == job.name && notice.rule == rule.rule_name();
      });
      if (!told) wrong("not told", "{} breaks `{}`, and nobody heard", job.name, rule.rule_name());
    }
  }

  void judge_not_watched(const Truth& job) {
    const Truth::Step* const before = job.at(evidence_.end - kFindsWithin);
    if (before == nullptr || before != job.at(evidence_.end) || before->secondary != "Training")
      return;
    const auto watches =
        static_cast<std::size_t>(std::ranges::count_if(law_.rules, &Rule::watches));
    const auto found = evidence_.alarms_of.find(job.name);
    const std::size_t alarms = found == evidence_.alarms_of.end() ? 0 : found->second.size();
    if (alarms != watches)
      wrong("not watched", "{} trains, and has {} alarms instead of {}", job.name, alarms, watches);
  }

  void judge_left(const Truth& job) {
    for (const Rule& rule : law_.rules) {
      if (!is_broken_in_the_end(rule, job)) continue;
      const Said* const word = last_word(job, rule, evidence_.end);
      if (word == nullptr) {
        wrong("left running", "{} breaks `{}`, and nothing says why it was not stopped", job.name,
              rule.rule_name());
        continue;
      }
      const bool many = std::cmp_greater(violators_of(rule), law_.stops_per_sweep) ||
                        std::cmp_greater(violators(), 3 * law_.stops_per_sweep);
      const bool too_many = many && (law_.stops_per_sweep == 0 || stops_some_in_the_end());
      const bool held_back = word->code == "held-back";
      if (held_back && (too_many || law_.stops_per_hour == 0 || rule.breach == Breach::kSilent))
        continue;
      wrong("left running", "{} breaks `{}`; the last word is: {} {}: {}", job.name,
            rule.rule_name(), word->rule, word->action, word->result);
    }
  }

  // Jobs that break a rule on descriptions at any time of the calm.
  std::size_t violators_until(sys_millis by) const {
    return static_cast<std::size_t>(std::ranges::count_if(evidence_.jobs, [&](const auto& one) {
      return std::ranges::any_of(law_.rules, [&](const Rule& rule) {
        return rule.stops() && !rule.watches() && law_.enforces(rule) &&
               held(rule, one.second, evidence_.start + kCalm, by);
      });
    }));
  }

  // How many jobs' stops were asked for in vain.
  std::size_t refused_stops() const {
    std::set<std::string> out;
    for (const Act& act : evidence_.acts)
      if (act.operation == "StopTrainingJob" && !act.done) out.insert(act.job);
    return out.size();
  }

  // A1, P7: no refusal that passes, nothing that people write and no backlog spares a job for long,
  // if so few break the rules that no limit can be reached.
  void judge_spared(const Truth& job) {
    for (const Rule& rule : law_.rules) {
      if (!rule.stops() || rule.watches() || !law_.enforces(rule)) continue;
      const sys_millis by = evidence_.start + (rule.grace > 0 ? hours(kOnTime) : kTriedAgain);
      bool broken = by < evidence_.end;
      for (sys_millis at = evidence_.start + kCalm; broken && at < by; at += minutes(5))
        broken = holds(rule, job, at);
      if (!broken) continue;
      const auto few = static_cast<long>(violators_until(by));
      if (few > law_.stops_per_sweep || 2 * few > law_.stops_per_hour || refused_stops() > 1)
        continue;
      const Said* const word = last_word(job, rule, by);
      wrong("spared", "{} breaks `{}` and runs at {}; the last word is: {}", job.name,
            rule.rule_name(), clock(by), word == nullptr ? std::string("nothing") : word->result);
    }
  }

  // P8: two hundred at once, and nothing goes wrong. That another delivery of the same job's event
  // holds the claim of its notice is no crowd's doing: that event comes again (A5).
  void judge_crowd() {
    if (!story_.burst) return;
    for (const Invocation& one : evidence_.invocations)
      if (one.died ||
          (!one.error.empty() && !one.error.ends_with("another delivery is about to tell it")))
        wrong("crowded out", "[{}] failed: {}", one.id, one.error);
    for (const auto& [name, job] : evidence_.jobs)
      if (job.at(job.created() + minutes(10))->status == "InProgress")
        wrong("crowded out", "{} was not stopped within ten minutes", name);
  }

  // S2: once, although its event comes again and may come twice.
  void judge_report() {
    if (!story_.weekly) return;
    bool may_tell = true;
    for (seconds at = *story_.weekly; at < story_.end; at += minutes(5))
      may_tell = may_tell && law_at(story_, at).ceiling != "observe";
    const auto is_report = [](const Notice& notice) { return notice.outcome == "report"; };
    if (may_tell && std::ranges::none_of(evidence_.notices, is_report))
      wrong("not told", "the weekly report was not sent");
    const auto noted = std::ranges::count_if(evidence_.notices, [&](const Notice& notice) {
      return is_report(notice) && was_noted(notice);
    });
    if (noted > 1) wrong("told twice", "the weekly report was sent {} times", noted);
  }

  // A function stopped it, and nothing but a restart's rule asked for that.
  bool was_stopped_only_to_move(const Truth& job) const {
    return std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.done && act.operation == "StopTrainingJob" && act.job == job.name &&
             std::ranges::all_of(reasons_for(act), &Rule::restarts);
    });
  }

  // A record says why, in one of the hours after its end.
  void judge_not_copied(const Truth& failed) {
    const Rule* const rule = law_.find(Breach::kFailed);
    const bool after_failure =
        rule != nullptr && law_.enforces(*rule) && holds(*rule, failed, evidence_.end - seconds(1));
    if (!after_failure && !was_stopped_only_to_move(failed)) return;
    if (!failed.ended() || *failed.ended() > evidence_.end - kFindsWithin ||
        failed.steps.back().status == "Deleting")
      return;
    const bool copied = std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.done && act.operation == "CreateTrainingJob" && act.parent == failed.name;
    });
    const Said* last = nullptr;  // after its end
    for (const Said& one : evidence_.said)
      if (one.job == failed.name && one.action == "restart" && !one.result.empty() &&
          evidence_.invocations[one.invocation].ended >= *failed.ended())
        last = &one;
    const bool said = last != nullptr && last->code != "failed";
    if (!copied && !said)
      wrong("not copied", "{} ended to be copied, and no record says why it was not", failed.name);
  }

  // Stops by rules that hold, or are not enforced any more, stay announced (A1).
  bool may_stay_announced(const Rule& rule, const Truth& job) const {
    const Rule* const now = law_.find(rule.breach);
    if (now == nullptr || rule.grace == 0 || !job.lives(evidence_.end)) return false;
    return !law_.enforces(*now) || held_for_hours(*now, job);
  }
  bool is_announced_in_the_end(const std::string& item) const {
    const auto laws = laws_until(story_, story_.end);
    return std::ranges::any_of(evidence_.jobs, [&](const auto& one) {
      return item.starts_with("job/" + one.first + "/") &&
             std::ranges::any_of(laws, [&](const Law& law) {
               return std::ranges::any_of(law.rules, [&](const Rule& rule) {
                 return may_stay_announced(rule, one.second);
               });
             });
    });
  }

  void judge_ends() {
    // What a weaker mode leaves alone stays as it is (P3).
    const bool all_is_done = story_.edits.empty() || weaker(law_.mode, law_.ceiling) == "enforce";
    for (const std::string& item : evidence_.due)
      if (all_is_done && !is_announced_in_the_end(item))
        wrong("endless chain", "{} waits for something in the end", item);
    for (const auto& [name, alarms] : evidence_.alarms_of) {
      const auto found = evidence_.jobs.find(name);
      const auto ended =
          found == evidence_.jobs.end() ? std::optional(evidence_.start) : found->second.ended();
      // Who ends after the last sweep has nobody who would hear of it.
      if (ended && *ended < evidence_.end - hours(2) - minutes(10))
        wrong("alarm without a job", "{} is there, and {} has ended", alarms.front(), name);
    }
  }

  void judge_limits() {
    const auto any = [](const Act&) { return true; };
    judge_hour("StopTrainingJob", law_.stops_per_hour, any);
    judge_hour("StopTrainingJob", law_.silent_stops_per_hour, [this](const Act& act) {
      return std::ranges::all_of(reasons_for(act),
                                 [](const Rule& rule) { return rule.breach == Breach::kSilent; });
    });
    judge_hour("CreateTrainingJob", law_.restarts_per_hour, any);
    judge_hour("StopTrainingJob", std::max((law_.stops_per_hour + 1) / 2, 1L),
               [this](const Act& act) { return is_of_event(act); });
    judge_hour("CreateTrainingJob", std::max((law_.restarts_per_hour + 1) / 2, 1L),
               [this](const Act& act) { return is_of_event(act) && !was_stopped(act.parent); });
    judge_sweeps();
    judge_turns();
  }

  // By its own permit, and not by that of a sweep, which may have died, or be about to stop the
  // job.
  bool is_of_event(const Act& act) const {
    return !of(act).sweep && is_first(act) &&
           std::ranges::none_of(evidence_.invocations, [&](const Invocation& one) {
             return one.sweep && one.began < act.at && one.ended > act.at - hours(1) &&
                    (one.died || one.ended >= act.at);
           });
  }

  // By a function, which took the permit of the copy then.
  bool was_stopped(const std::string& parent) const {
    return std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.operation == "StopTrainingJob" && act.job == parent;
    });
  }

  // No earlier one was tried for the same job: that would hold a permit.
  bool is_first(const Act& act) const {
    return std::ranges::none_of(evidence_.acts, [&](const Act& other) {
      return other.operation == act.operation && other.at < act.at &&
             (act.parent.empty() ? other.job == act.job : other.parent == act.parent);
    });
  }

  std::size_t copies_within(const std::string& role, sys_millis from, sys_millis to) const {
    return static_cast<std::size_t>(std::ranges::count_if(evidence_.acts, [&](const Act& act) {
      return act.done && act.operation == "CreateTrainingJob" && act.at > from && act.at < to &&
             job(act.job).role == role;
    }));
  }

  // That the limit held that job's copy back, an invocation before.
  bool waits_for_copy(const Truth& of, const Act& before) const {
    bool waits = false;
    for (const Said& said : evidence_.said)
      if (said.job == of.name && said.action == "restart" && said.invocation != before.invocation &&
          evidence_.invocations[said.invocation].ended <
              evidence_.invocations[before.invocation].began)
        waits = said.code == "held-back";
    return waits;
  }

  // P7: the next copy is for the role that has had the fewest within the hour.
  void judge_turns() {
    std::map<std::string, const Act*> copies;  // by the job that was copied
    for (const Act& act : evidence_.acts)
      if (act.done && act.operation == "CreateTrainingJob") copies.emplace(act.parent, &act);
    for (const auto& [copied, act] : copies) {
      if (act->at < evidence_.start + kCalm || !of(*act).sweep || !is_first(*act)) continue;
      const std::string& role = job(act->job).role;
      const sys_millis hour = act->at - hours(1);
      const std::size_t had = copies_within(role, hour + seconds(30), act->at);
      for (const auto& [waits, later] : copies) {
        const std::string& other = job(later->job).role;
        if (later->at <= act->at || later->invocation == act->invocation || other == role ||
            !waits_for_copy(job(waits), *act))
          continue;
        if (had > copies_within(other, hour - seconds(30), act->at))
          wrong("out of turn", "{} [{}] copied {} of {}, which had {}, while {} of {} waited",
                clock(act->at), of(*act).id, copied, role, had, waits, other);
      }
    }
  }

  template <class Counts>
  void judge_hour(const char* operation, long limit, const Counts& counts) {
    std::vector<std::pair<sys_millis, std::string>> done;
    for (const Act& act : evidence_.acts)
      if (act.done && act.operation == operation && counts(act)) done.emplace_back(act.at, act.job);
    for (const auto& [until, last] : done) {
      std::set<std::string> jobs;
      for (const auto& [at, name] : done)
        if (at <= until && at > until - hours(1) + kHourError) jobs.insert(name);
      if (std::cmp_greater(jobs.size(), limit)) {
        wrong("limit", "{} jobs within the hour before {}: {}; the limit is {}", jobs.size(),
              clock(until), operation, limit);
        return;
      }
    }
  }

  // P7: of a rule that rests on descriptions alone no more, and of all of them three times as many.
  // A stop that was announced or denied before does not count again.
  void judge_sweeps() {
    std::map<std::size_t, std::map<std::string, std::set<std::string>>> by_sweep;
    std::map<std::size_t, std::set<std::string>> all;
    for (const Act& act : evidence_.acts) {
      if (!act.done || act.operation != "StopTrainingJob" || !of(act).sweep) continue;
      const std::vector<Rule> reasons = reasons_for(act);
      const bool counts = std::ranges::none_of(
          reasons, [](const Rule& rule) { return rule.watches() || rule.grace > 0; });
      if (!counts || !is_first(act)) continue;
      all[act.invocation].insert(act.job);
      if (reasons.size() == 1)
        by_sweep[act.invocation][reasons.front().rule_name()].insert(act.job);
    }
    const auto too_many = [&](std::size_t invocation, std::size_t jobs, const std::string& rule,
                              long limit) {
      if (std::cmp_greater(jobs, limit))
        wrong("limit", "[{}] stopped {} jobs by {}, and stops_per_sweep is {}",
              evidence_.invocations[invocation].id, jobs, rule, law_.stops_per_sweep);
    };
    for (const auto& [invocation, rules] : by_sweep)
      for (const auto& [rule, jobs] : rules)
        too_many(invocation, jobs.size(), rule, law_.stops_per_sweep);
    for (const auto& [invocation, jobs] : all)
      too_many(invocation, jobs.size(), "all rules", 3 * law_.stops_per_sweep);
  }

  // Whether it was written down that it was told: what the function did next.
  bool was_noted(const Notice& notice) const {
    const auto same = std::ranges::find_if(evidence_.acts, [&](const Act& act) {
      return act.invocation == notice.invocation && act.operation == "Publish" &&
             act.at == notice.at;
    });
    if (same == evidence_.acts.end() || !same->heard) return false;
    const auto after = std::find_if(same, evidence_.acts.end(), [&](const Act& act) {
      return act.invocation == notice.invocation && act.operation != "Publish";
    });
    return after != evidence_.acts.end() && after->operation == "PutItem" && after->done;
  }

  static bool is_of_alarm(const Notice& notice) {
    return notice.rule == name(Breach::kIdle) || notice.rule == name(Breach::kSilent);
  }

  // Whether the job's copy, made by then, was first refused by AWS in the same invocation: it has
  // other machines (A4).
  bool has_other_machines(const Notice& notice) const {
    const auto of_copy = [&](const Act& act, bool done) {
      return act.operation == "CreateTrainingJob" && act.parent == notice.job &&
             act.at <= notice.at && act.done == done;
    };
    return std::ranges::any_of(evidence_.acts, [&](const Act& made) {
      return of_copy(made, true) && std::ranges::any_of(evidence_.acts, [&](const Act& refused) {
               return of_copy(refused, false) && refused.invocation == made.invocation;
             });
    });
  }

  // A1: the one before has lapsed, or its rule ceased to hold meanwhile.
  bool may_be_announced_anew(const Notice& notice, sys_millis before) const {
    if (notice.at - before > 2 * kInterval) return true;
    const Truth& job = evidence_.jobs.at(notice.job);
    for (sys_millis at = before; at < notice.at; at += minutes(1))
      if (std::ranges::none_of(law_when(at).rules, [&](const Rule& rule) {
            return rule.rule_name() == notice.rule && held_then(rule, job, at);
          }))
        return true;
    return false;
  }

  // What was told and noted is not told again. What an alarm asks for is told each time, and who
  // heard that a copy could not be made hears when it is, or once that it has other machines (A5).
  void judge_notices() {
    using Thing = std::tuple<std::string, std::string, std::string>;
    std::map<Thing, std::set<std::size_t>> told;
    std::set<std::pair<std::string, std::string>> corrected;
    std::map<std::pair<std::string, std::string>, sys_millis> warned;
    for (const Notice& notice : evidence_.notices) {
      if (notice.outcome == "warned") {
        const auto [before, is_first] = warned.try_emplace({notice.job, notice.rule}, notice.at);
        if (!is_first && may_be_announced_anew(notice, before->second))
          told.erase({notice.job, notice.rule, "warned"});
        before->second = notice.at;
      }
      if (notice.outcome == "failed" ||
          (notice.outcome == "restarted" && has_other_machines(notice) &&
           corrected.emplace(notice.job, notice.rule).second))
        told.erase({notice.job, notice.rule, "restarted"});
      if (notice.job.empty() || is_of_alarm(notice) || !was_noted(notice)) continue;
      auto& all = told[{notice.job, notice.rule, notice.outcome}];
      all.insert(notice.invocation);
      if (all.size() == 2)
        wrong("told twice", "{}: {} of `{}`", notice.job, notice.outcome, notice.rule);
    }
  }

  const Evidence& evidence_;
  const Story& story_;
  const Law law_;  // in the end
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> judge(const Evidence& evidence) { return Judge(evidence).judge(); }

}  // namespace trainwarden::chaos
