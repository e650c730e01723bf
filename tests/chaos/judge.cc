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

class Judge {
 public:
  explicit Judge(const Evidence& evidence) : evidence_(evidence), law_(evidence.story.law) {}

  std::vector<Violation> judge() {
    for (const Act& act : evidence_.acts) {
      if (act.done && act.operation == "StopTrainingJob") judge_stop(act);
      if (act.done && act.operation == "CreateTrainingJob") judge_copy(act);
      judge_mode(act);
    }
    judge_one_copy();
    for (const auto& [name, job] : evidence_.jobs) {
      judge_left(job);
      judge_not_told(job);
      judge_not_watched(job);
      judge_not_copied(job);
    }
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
  Law law_of(const Act& act) const {
    return law_at(evidence_.story, of(act).began - evidence_.start);
  }
  const Invocation& of(const Act& act) const { return evidence_.invocations[act.invocation]; }

  // Whether the rule was broken when the function looked, and asks for the stop that it made.
  bool justifies(const Rule& rule, const Act& act) const {
    return law_of(act).enforces(rule) && rule.breach != Breach::kFailed &&
           held(rule, job(act.job), of(act).began - kSlack, act.at + seconds(1));
  }

  void judge_stop(const Act& act) {
    if (std::ranges::none_of(law_.rules, [&](const Rule& rule) { return justifies(rule, act); }))
      wrong("stopped without a rule", "{} [{}] stopped {}", clock(act.at), of(act).id, act.job);
    if (!of(act).died && !evidence_.has_record(act.invocation, act.job))
      wrong("silent", "{} [{}] stopped {}, and its log has no record of that", clock(act.at),
            of(act).id, act.job);
    const bool all_tell = std::ranges::all_of(
        law_.rules, [](const Rule& rule) { return rule.notify || rule.breach == Breach::kFailed; });
    const bool heard = std::ranges::any_of(evidence_.notices, [&](const Notice& notice) {
      return notice.job == act.job && notice.at >= of(act).began;
    });
    if (all_tell && !heard)
      wrong("silent", "{} [{}] stopped {}, and nobody was told of it", clock(act.at), of(act).id,
            act.job);
  }

  // Whether a restart had a function stop it, and no other stop came first.
  bool was_stopped_to_move(const Truth& parent) const {
    const Rule* const rule = law_.find(Breach::kInterrupted);
    if (rule == nullptr || !law_.enforces(*rule)) return false;
    return std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.done && act.operation == "StopTrainingJob" && act.job == parent.name &&
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
    const Rule* const failed = law_.find(Breach::kFailed);
    const bool after_failure = failed != nullptr && law_.enforces(*failed) &&
                               held(*failed, parent, of(act).began - kSlack, act.at);
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
    for (const Rule& rule : law_.rules)
      if (rule.restarts() && law_.enforces(rule)) limit = std::max(limit, rule.limit);
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
    if (!any("notify") || !is({"PutItem", "Publish"}))
      wrong("wrote without enforce", "{} [{}] {} {}", clock(act.at), of(act).id, act.operation,
            act.job);
  }

  bool enforces(const std::string& named) const {
    return std::ranges::any_of(law_.rules, [&](const Rule& rule) {
      return rule.rule_name() == named && law_.enforces(rule);
    });
  }

  // Of the job's stop, in the last hours. Rules that ask for the same are told of under one.
  const Said* last_word(const Truth& job, const Rule& rule) const {
    const Said* last = nullptr;
    for (const Said& said : evidence_.said) {
      const bool late = evidence_.invocations[said.invocation].began > evidence_.end - kFindsWithin;
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

  bool is_broken_in_the_end(const Rule& rule, const Truth& job) const {
    return rule.stops() && law_.enforces(rule) && held_for_hours(rule, job);
  }

  bool held_for_hours(const Rule& rule, const Truth& job) const {
    return holds(rule, job, evidence_.end - seconds(1)) &&
           holds(rule, job, evidence_.end - kFindsWithin);
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
      const Said* const word = last_word(job, rule);
      if (word == nullptr) {
        wrong("left running", "{} breaks `{}`, and nothing says why it was not stopped", job.name,
              rule.rule_name());
        continue;
      }
      const bool too_many = std::cmp_greater(violators(), law_.stops_per_sweep);
      const bool held_back = word->code == "held-back";
      if (held_back && (too_many || law_.stops_per_hour == 0 || rule.breach == Breach::kSilent))
        continue;
      wrong("left running", "{} breaks `{}`; the last word is: {} {}: {}", job.name,
            rule.rule_name(), word->rule, word->action, word->result);
    }
  }

  // A function stopped it, and nothing but a restart's rule asked for that.
  bool was_stopped_only_to_move(const Truth& job) const {
    return std::ranges::any_of(evidence_.acts, [&](const Act& act) {
      return act.done && act.operation == "StopTrainingJob" && act.job == job.name &&
             std::ranges::all_of(law_.rules, [&](const Rule& rule) {
               return rule.restarts() || !justifies(rule, act);
             });
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
    const bool said = std::ranges::any_of(evidence_.said, [&](const Said& one) {
      return one.job == failed.name && one.action == "restart" && !one.result.empty() &&
             evidence_.invocations[one.invocation].ended >= *failed.ended();
    });
    if (!copied && !said)
      wrong("not copied", "{} ended to be copied, and no record says why it was not", failed.name);
  }

  void judge_ends() {
    for (const std::string& item : evidence_.due) {
      wrong("endless chain", "{} waits for something in the end", item);
    }
    for (const auto& [name, alarms] : evidence_.alarms_of) {
      const auto found = evidence_.jobs.find(name);
      if (found == evidence_.jobs.end() || !found->second.lives(evidence_.end))
        wrong("alarm without a job", "{} is there, and {} has ended", alarms.front(), name);
    }
  }

  void judge_limits() {
    const auto any = [](const Act&) { return true; };
    judge_hour("StopTrainingJob", law_.stops_per_hour, any);
    judge_hour("StopTrainingJob", law_.silent_stops_per_hour, [this](const Act& act) {
      return std::ranges::all_of(law_.rules, [&](const Rule& rule) {
        return rule.breach == Breach::kSilent || !justifies(rule, act);
      });
    });
    judge_hour("CreateTrainingJob", law_.restarts_per_hour, any);
    judge_sweeps();
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

  // P7: by what describes them alone, each rule stops_per_sweep and all three times that. A job
  // whose stop was refused before does not count.
  void judge_sweeps() {
    std::map<std::size_t, std::map<std::string, std::set<std::string>>> stopped;
    for (const Act& act : evidence_.acts) {
      if (!act.done || act.operation != "StopTrainingJob" || !of(act).sweep) continue;
      if (was_refused_before(act)) continue;
      std::vector<std::string> rules;
      bool measured = false;
      for (const Rule& rule : law_.rules) {
        if (!justifies(rule, act)) continue;
        measured = measured || rule.watches();
        rules.push_back(rule.rule_name());
      }
      if (measured) continue;
      stopped[act.invocation]["all rules"].insert(act.job);
      if (rules.size() == 1) stopped[act.invocation][rules.front()].insert(act.job);
    }
    for (const auto& [invocation, by_rule] : stopped)
      for (const auto& [rule, jobs] : by_rule)
        if (std::cmp_greater(jobs.size(), law_.stops_per_sweep * (rule == "all rules" ? 3 : 1)))
          wrong("limit", "[{}] stopped {} jobs by {}, and stops_per_sweep is {}",
                evidence_.invocations[invocation].id, jobs.size(), rule, law_.stops_per_sweep);
  }

  bool was_refused_before(const Act& act) const {
    return std::ranges::any_of(evidence_.acts, [&](const Act& before) {
      return before.denied && before.operation == act.operation && before.job == act.job &&
             before.at < act.at;
    });
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

  // What was told and noted is not told again. What an alarm asks for is told each time, and who
  // heard that a copy could not be made hears when it is, or once that it has other machines (A5).
  void judge_notices() {
    using Thing = std::tuple<std::string, std::string, std::string>;
    std::map<Thing, std::set<std::size_t>> told;
    std::set<std::pair<std::string, std::string>> corrected;
    for (const Notice& notice : evidence_.notices) {
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
  const Law& law_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> judge(const Evidence& evidence) { return Judge(evidence).judge(); }

}  // namespace trainwarden::chaos
