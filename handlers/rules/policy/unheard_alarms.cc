#include "handlers/rules/policy/unheard_alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "handlers/rules/facts/source.h"
#include "handlers/rules/patterns/nearest.h"
#include "handlers/rules/policy/remarks.h"

namespace trainwarden::rules {
namespace {

constexpr std::array<std::string_view, 1> kAlarm = {kInAlarm};
constexpr std::array<std::string_view, 1> kInProgress = {"InProgress"};
constexpr std::array<std::string_view, 1> kTraining = {"Training"};

bool waits_for_alarm(const Conjunction& match) { return match.looks_into(Group::kAlarm); }

// Of the job while it trains, a condition on its statuses keeps the alternative from holding.
bool is_never_training(const Conjunction& match) {
  return match.refuses(Group::kJob, "TrainingJobStatus", kInProgress) ||
         match.refuses(Group::kJob, "SecondaryStatus", kTraining);
}

bool accepts(const Conjunction& match, const Watch& watch) {
  const std::string_view name = watch.name;
  return waits_for_alarm(match) && !match.refuses(Group::kAlarm, "watch", {&name, 1});
}

bool names(const Conjunction& match, const Watch& watch) {
  const Condition* const condition = match.find(Group::kAlarm, "watch");
  return condition != nullptr && std::ranges::any_of(condition->tests, [&watch](const Test& test) {
           return test.kind == Test::Kind::kText && test.text == watch.name;
         });
}

bool puts(const Rule& rule, const Watch& watch) {
  return std::ranges::any_of(rule.actions, [&watch](const Action& action) {
    return std::ranges::find(action.watches, watch.name) != action.watches.end();
  });
}

bool asks_for_blindness(const Conjunction& match) {
  const Condition* const state = match.find(Group::kAlarm, "state");
  return state != nullptr && std::ranges::any_of(state->tests, [](const Test& test) {
           return test.kind == Test::Kind::kText && test.text == kBlindState;
         });
}

// Why an alternative that waits for an alarm comes to nothing; nullopt where it may well.
std::optional<std::string> why_unreachable(const Conjunction& match, const Policy& policy) {
  if (match.refuses(Group::kAlarm, "state", kAlarm) && !asks_for_blindness(match))
    return "never acts: only messages of the state `ALARM` lead to anything (W5)";
  if (is_never_training(match))
    return "never acts: an alarm is confirmed only of a job that is InProgress and Training (W4)";
  if (policy.watches().empty()) return "never acts: the policy has no watches, and so no alarms";
  if (std::ranges::none_of(policy.watches(),
                           [&match](const Watch& watch) { return accepts(match, watch); })) {
    std::vector<std::string_view> known;
    for (const Watch& watch : policy.watches()) known.push_back(watch.name);
    return fmt::format("never matches: the policy has no such watch, only {}", one_of(known));
  }
  return std::nullopt;
}

class Review {
 public:
  explicit Review(const Policy& policy) : policy_(policy) {}

  std::vector<Remark> take() {
    for (std::size_t i = 0; i < policy_.rules().size(); ++i) {
      review_match(i);
      review_blindness(i);
      review_watch_action(i);
    }
    for (const Watch& watch : policy_.watches()) review_watch(watch);
    return std::move(out_);
  }

 private:
  void warn(std::size_t rule, std::string_view what) {
    out_.push_back(remark(policy_, rule, what));
  }

  void warn(const Watch& watch, std::string_view what) {
    out_.push_back({fmt::format("watches.{}", watch.name), fmt::format("/watches/{}", watch.name),
                    std::string(what)});
  }

  void review_match(std::size_t rule) {
    const std::vector<Conjunction>& any = policy_.rules()[rule].match.any;
    for (std::size_t n = 0; n < any.size(); ++n) {
      if (!waits_for_alarm(any[n])) continue;
      if (const auto why = why_unreachable(any[n], policy_))
        warn(rule, any.size() == 1 ? *why : fmt::format("alternative {} {}", n + 1, *why));
    }
  }

  void review_blindness(std::size_t rule) {
    const Rule& its = policy_.rules()[rule];
    if (names_blindness(its) && (its.has(ActionKind::kStop) || its.has(ActionKind::kRestart)))
      warn(rule,
           "stops no job in the alarm's state `BLIND`: of what nobody can hear, nobody knows "
           "whether it hangs, and only `notify` and `tag` are done (W4)");
  }

  void review_watch_action(std::size_t rule) {
    const Rule& its = policy_.rules()[rule];
    if (!its.has(ActionKind::kWatch)) return;
    if (std::ranges::all_of(its.match.any, waits_for_alarm))
      warn(rule,
           "`watch` puts no alarm where one has called: expected it in a rule on "
           "{\"job\": {\"SecondaryStatus\": [\"Training\"]}}");
    else if (std::ranges::all_of(its.match.any, is_never_training))
      warn(rule, "`watch` puts no alarm: it does for a job that is InProgress and Training (W2)");
  }

  void review_watch(const Watch& watch) {
    bool put = false;
    bool heard = false;
    std::size_t waiting = policy_.rules().size();  // the first that waits for it by name
    for (std::size_t i = 0; i < policy_.rules().size(); ++i) {
      const Rule& rule = policy_.rules()[i];
      put = put || puts(rule, watch);
      for (const Conjunction& match : rule.match.any) {
        heard = heard || accepts(match, watch) || is_of_alarms_only(match);
        if (names(match, watch)) waiting = std::min(waiting, i);
      }
    }
    if (put && !heard)
      warn(watch, fmt::format("its alarm calls, and no rule waits for it: expected one on "
                              "{{\"alarm\": {{\"watch\": [\"{}\"], \"state\": [\"ALARM\"]}}}}",
                              watch.name));
    if (put) return;
    if (waiting == policy_.rules().size())
      warn(watch, "no rule uses it");
    else
      warn(waiting, fmt::format("waits for the alarm of the watch `{0}`, which no rule puts: "
                                "expected the action {{\"watch\": [\"{0}\"]}} in another rule",
                                watch.name));
  }

  // Without a word about the alarm itself.
  static bool is_of_alarms_only(const Conjunction& match) {
    static constexpr std::array<std::string_view, 2> kOthers = {"state", "sweep"};
    return match.refuses(Group::kEvent, "trigger", kOthers);
  }

  const Policy& policy_;
  std::vector<Remark> out_;
};

}  // namespace

bool names_blindness(const Rule& rule) {
  return std::ranges::any_of(rule.match.any, asks_for_blindness);
}

std::vector<Remark> unheard_alarms(const Policy& policy) { return Review(policy).take(); }

}  // namespace trainwarden::rules
