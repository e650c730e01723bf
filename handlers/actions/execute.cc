#include "handlers/actions/execute.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "handlers/actions/stop.h"

namespace trainwarden::actions {
namespace {

using rules::Action;
using rules::ActionKind;
using rules::Decision;

// Carries out the decisions of one mode.
struct Executor {
  virtual ~Executor() = default;
  virtual ActionOutcome carry_out(const Decision& decision, const Action& action) = 0;
};

class Observer final : public Executor {
 public:
  ActionOutcome carry_out(const Decision& /*decision*/, const Action& action) override {
    return {action.kind, "observed"};
  }
};

// Tells people, and does nothing else. This version tells them in the record and the log.
class Notifier final : public Executor {
 public:
  ActionOutcome carry_out(const Decision& /*decision*/, const Action& action) override {
    return {action.kind,
            action.kind == ActionKind::kNotify ? "logged" : "not done: the mode is notify"};
  }
};

class Enforcer final : public Executor {
 public:
  Enforcer(const RuleAt& rules, const JobRef& job, const rules::JobEvent& event, const Apis& apis)
      : rules_(rules), job_(job), event_(event), apis_(apis) {}

  ActionOutcome carry_out(const Decision& decision, const Action& action) override {
    if (action.kind == ActionKind::kNotify) return {action.kind, "logged"};
    if (action.kind != ActionKind::kStop) return {action.kind, "not carried out by this version"};
    if (!stopped_by_.empty()) return {action.kind, "done by rule " + stopped_by_};
    ActionOutcome outcome = stop(rules_, decision, job_, event_, apis_);
    if (outcome.result == "stopped") stopped_by_ = decision.rule;
    return outcome;
  }

 private:
  const RuleAt& rules_;
  const JobRef& job_;
  const rules::JobEvent& event_;
  const Apis& apis_;
  std::string stopped_by_;  // equal actions merge (P4)
};

}  // namespace

std::vector<DecisionOutcome> execute(const RuleAt& rules, std::vector<Decision> decisions,
                                     const JobRef& job, const rules::JobEvent& event,
                                     const Apis& apis) {
  Observer observer;
  Notifier notifier;
  Enforcer enforcer(rules, job, event, apis);
  const auto executor = [&](rules::Mode mode) -> Executor& {
    if (mode == rules::Mode::kEnforce) return enforcer;
    if (mode == rules::Mode::kNotify) return notifier;
    return observer;
  };
  std::vector<DecisionOutcome> outcomes;
  for (Decision& decision : decisions) {
    DecisionOutcome outcome{std::move(decision), {}};
    for (const Action& action : outcome.decision.actions)
      outcome.actions.push_back(
          executor(outcome.decision.mode).carry_out(outcome.decision, action));
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace trainwarden::actions
