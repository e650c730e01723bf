#include "handlers/actions/handle/execute.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "handlers/actions/handle/notify.h"
#include "handlers/actions/handle/tag.h"
#include "handlers/actions/restart/restart.h"
#include "handlers/actions/stop/stop.h"

namespace trainwarden::actions {
namespace {

using rules::Action;
using rules::ActionKind;
using rules::Decision;
using Kind = rules::ActionResult::Kind;

// Alarms are put in every mode (P3), if the function has the power to.
ActionOutcome watch(const Subject& subject, const Decision& decision, const Action& action) {
  if (subject.apis.powers.watch == nullptr) return {action.kind, {Kind::kLeft}};
  return subject.apis.powers.watch(subject, decision, action);
}

bool is_of_sweep(const rules::ActionResult& hold) {
  return hold.is_because(rules::Why::kStopsPerSweep);
}

bool is_let_through(const Decision& decision, const rules::ActionResult& hold,
                    const std::set<std::size_t>& passes) {
  return is_of_sweep(hold) && (decision.measured || passes.contains(decision.index));
}

// Carries out the decisions of one mode; there is a subclass for each.
struct Executor {
  explicit Executor(const Subject& the_subject) : subject(the_subject) {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  // Every kind of action but notify.
  virtual ActionOutcome carry_out(const Decision& decision, const Action& action) = 0;
  virtual ActionOutcome tell(const Decision& decision, const Action& action,
                             std::span<const ActionOutcome> done) = 0;

  const Subject& subject;
};

class Observer final : public Executor {
 public:
  using Executor::Executor;
  ActionOutcome carry_out(const Decision& decision, const Action& action) override {
    if (action.kind == ActionKind::kWatch) return watch(subject, decision, action);
    return {action.kind, {Kind::kObserved}};
  }
  ActionOutcome tell(const Decision& /*decision*/, const Action& action,
                     std::span<const ActionOutcome> /*done*/) override {
    return {action.kind, {Kind::kObserved}};
  }
};

// Mode notify: notifies people and does nothing else to the job.
class Notifier final : public Executor {
 public:
  using Executor::Executor;
  ActionOutcome carry_out(const Decision& decision, const Action& action) override {
    if (action.kind == ActionKind::kWatch) return watch(subject, decision, action);
    return {action.kind, rules::not_done(rules::Why::kModeIsNotify)};
  }
  ActionOutcome tell(const Decision& decision, const Action& action,
                     std::span<const ActionOutcome> done) override {
    return notify(subject, decision, action, done);
  }
};

class Enforcer final : public Executor {
 public:
  Enforcer(const Subject& the_subject, const std::optional<rules::ActionResult>& hold,
           bool copy_may_come, const std::set<std::size_t>& passes)
      : Executor(the_subject), hold_(hold), passes_(passes), copy_may_come_(copy_may_come) {}
  ActionOutcome carry_out(const Decision& decision, const Action& action) override {
    if (rules::acts_on_job(action.kind) && is_held(decision)) {
      copy_may_come_ = copy_may_come_ || action.kind == ActionKind::kRestart;
      return {action.kind, *hold_};
    }
    switch (action.kind) {
      case ActionKind::kStop:
        return stop_once(decision);
      case ActionKind::kRestart:
        return restart_first(decision, action);
      case ActionKind::kWatch:
        return watch(subject, decision, action);
      case ActionKind::kTag:
        return tag(subject, decision, action);
      case ActionKind::kRelease:
        return release_once(decision, action);
      case ActionKind::kNotify:
        break;
    }
    return {action.kind, {Kind::kNotCarriedOut}};
  }
  ActionOutcome tell(const Decision& decision, const Action& action,
                     std::span<const ActionOutcome> done) override {
    if (std::ranges::any_of(decision.actions, rules::acts_on_job, &Action::kind) &&
        is_held(decision))
      return {action.kind,
              {.kind = Kind::kNotNotified, .reason = hold_->reason, .held = hold_->kind}};
    return notify(subject, decision, action, done);
  }

 private:
  // If another rule's measurement has already stopped the job, a rule that asks for the same stop
  // is not held back: it has what it asks for.
  bool is_held(const Decision& decision) const {
    return hold_ && stopped_by_.empty() && !is_let_through(decision, *hold_, passes_);
  }

  ActionOutcome stop_once(const Decision& decision) {
    if (tuner_stop_) return *tuner_stop_;
    if (!stopped_by_.empty())
      return {ActionKind::kStop, {.kind = Kind::kStoppedByRule, .name = stopped_by_}};
    ActionOutcome outcome = stop(subject, decision);
    if (outcome.result.is(Kind::kStopped) || outcome.result.stopped_tuner())
      stopped_by_ = decision.rule;
    if (outcome.result.stopped_tuner()) {
      tuner_stop_ = outcome;
      tuner_stop_->result.kind = Kind::kTunerStoppedBefore;
      tuner_stop_->saved_usd.reset();
      tuner_stop_->error.reset();
    }
    return outcome;
  }

  ActionOutcome restart_first(const Decision& decision, const Action& action) {
    ActionOutcome outcome = restart(subject, decision, action);
    // If the copy has been made, release() finds it in the job's item.
    const bool over = outcome.result.is(Kind::kNotDone) || outcome.result.is_refusal() ||
                      outcome.result.is(Kind::kRestartClosed) || outcome.result.has_copy();
    copy_may_come_ = copy_may_come_ || !over;
    return outcome;
  }

  // If a copy may come, the pool is kept, since the copy would miss it.
  ActionOutcome release_once(const Decision& decision, const Action& action) {
    if (!released_by_.empty())
      return {action.kind, {.kind = Kind::kReleasedByRule, .name = released_by_}};
    if (copy_may_come_) return {action.kind, rules::not_done(rules::Why::kPoolForCopy)};
    if (subject.apis.powers.release == nullptr) return {action.kind, {Kind::kLeft}};
    ActionOutcome outcome = subject.apis.powers.release(subject, decision, action);
    if (outcome.result.is(Kind::kReleased)) released_by_ = decision.rule;
    return outcome;
  }

  const std::optional<rules::ActionResult>& hold_;
  const std::set<std::size_t>& passes_;
  std::string stopped_by_;  // equal actions merge (P4)
  // The stop of the tuner that launched the job, as the result for every other rule that stops the
  // job.
  std::optional<ActionOutcome> tuner_stop_;
  std::string released_by_;
  bool copy_may_come_;  // of this job, by what a rule asks for just now
};

// The decisions in the order in which they are carried out. If a sweep's limit holds back the rest,
// those that it lets through come first. A tuner's stop comes before the stop of its job alone.
// Announced stops (grace_seconds) come last, since another rule may stop the job at once.
std::vector<DecisionOutcome*> in_order(std::vector<DecisionOutcome>& outcomes,
                                       const std::optional<rules::ActionResult>& hold,
                                       const std::set<std::size_t>& passes) {
  std::vector<DecisionOutcome*> out;
  out.reserve(outcomes.size());
  for (DecisionOutcome& outcome : outcomes) out.push_back(&outcome);
  std::ranges::stable_sort(out, {}, [&](const DecisionOutcome* outcome) {
    const Decision& decision = outcome->decision;
    return std::tuple(hold && is_of_sweep(*hold) && !is_let_through(decision, *hold, passes),
                      std::ranges::none_of(decision.actions, rules::stops_tuner),
                      std::ranges::any_of(decision.actions, rules::is_announced));
  });
  return out;
}

bool only_notifies(const Decision& decision) {
  return decision.mode != rules::Mode::kObserve &&
         !(decision.mode == rules::Mode::kEnforce &&
           std::ranges::any_of(decision.actions, rules::ends_match, &Action::kind));
}

// Whether carrying out the one may end the match of the other.
bool may_end(const Decision& one, const Decision& other) {
  return one.mode == rules::Mode::kEnforce &&
         std::ranges::any_of(one.actions, [&](const Action& action) {
           return action.kind == ActionKind::kTag ||
                  (&one != &other && rules::ends_match(action.kind));
         });
}

// The name of another rule that asks for the job's stop or restart; empty if there is none.
std::string_view stopped_by(const std::vector<DecisionOutcome>& outcomes, const Decision& other) {
  for (const auto& [decision, actions] : outcomes)
    if (&decision != &other && decision.mode == rules::Mode::kEnforce &&
        std::ranges::any_of(decision.actions, rules::acts_on_job, &Action::kind))
      return decision.rule;
  return {};
}

// The notices of rules that only notify, claimed before other rules do what may end their match.
// Keyed by the outcome that each leads to.
using Ahead = std::map<const ActionOutcome*, ClaimedNotice>;

Ahead claim_ahead(const Subject& subject, std::vector<DecisionOutcome>& outcomes) {
  Ahead out;
  for (DecisionOutcome& of : outcomes) {
    const Decision& decision = of.decision;
    if (!only_notifies(decision) || std::ranges::none_of(outcomes, [&](const DecisionOutcome& one) {
          return may_end(one.decision, decision);
        }))
      continue;
    for (std::size_t i = 0; i < decision.actions.size(); ++i) {
      if (decision.actions[i].kind != ActionKind::kNotify) continue;
      auto result = notify_ahead(subject, decision, decision.actions[i], of.actions,
                                 stopped_by(outcomes, decision));
      if (auto* const claimed = std::get_if<ClaimedNotice>(&result))
        out.emplace(&of.actions[i], std::move(*claimed));
      else
        of.actions[i] = std::get<ActionOutcome>(std::move(result));
    }
  }
  return out;
}

// The stage in which an action is carried out. Tags come first, since rules about running jobs no
// longer hold after a stop; warm pools after it is known whether a copy comes; notices last.
int stage_of(ActionKind kind) {
  if (kind == ActionKind::kTag) return 0;
  if (kind == ActionKind::kRelease) return 2;
  return kind == ActionKind::kNotify ? 3 : 1;
}

}  // namespace

std::vector<DecisionOutcome> execute(const Subject& subject, std::vector<Decision> decisions,
                                     const std::optional<rules::ActionResult>& hold,
                                     bool copy_may_come, const std::set<std::size_t>& passes) {
  Observer observer(subject);
  Notifier notifier(subject);
  Enforcer enforcer(subject, hold, copy_may_come, passes);
  const auto executor = [&](rules::Mode mode) -> Executor& {
    if (mode == rules::Mode::kEnforce) return enforcer;
    if (mode == rules::Mode::kNotify) return notifier;
    return observer;
  };
  std::vector<DecisionOutcome> outcomes;
  for (Decision& decision : decisions) {
    DecisionOutcome outcome{std::move(decision), {}};
    for (const Action& action : outcome.decision.actions) outcome.actions.push_back({action.kind});
    outcomes.push_back(std::move(outcome));
  }
  const Ahead ahead = claim_ahead(subject, outcomes);
  const std::vector<DecisionOutcome*> order = in_order(outcomes, hold, passes);
  for (const int stage : {0, 1, 2, 3})
    for (DecisionOutcome* const one : order) {
      DecisionOutcome& outcome = *one;
      const Decision& decision = outcome.decision;
      for (std::size_t i = 0; i < decision.actions.size(); ++i) {
        const Action& action = decision.actions[i];
        if (stage_of(action.kind) != stage) continue;
        // Skip an action whose result is known already.
        if (!outcome.actions[i].result.is(Kind::kPending)) continue;
        if (const auto claimed = ahead.find(&outcome.actions[i]); claimed != ahead.end()) {
          outcome.actions[i] = publish(claimed->second, subject.rules, subject.apis);
          continue;
        }
        Executor& by = executor(decision.mode);
        outcome.actions[i] = action.kind == ActionKind::kNotify
                                 ? by.tell(decision, action, outcome.actions)
                                 : by.carry_out(decision, action);
      }
    }
  return outcomes;
}

}  // namespace trainwarden::actions
