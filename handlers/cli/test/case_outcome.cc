#include "handlers/cli/test/case_outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "handlers/cli/explain/explanation.h"
#include "handlers/rules/alarms/measured_text.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "handlers/rules/policy/unheard_alarms.h"

namespace trainwarden::cli {
namespace {

using rules::Truth;

struct JudgedRule {
  Truth verdict = Truth::kFalse;
  std::string missing = {};  // why it is not decided
  std::string because = {};  // why it holds
  bool is_exempted = false;  // by the policy's own `unless`
};

struct JudgedCase {
  std::vector<JudgedRule> rules = {};
  rules::Evaluation evaluation = {};
  std::optional<rules::Measurement> unconfirmed =
      {};  // W4: why the alarm's actions are not carried out
};

std::string reasons_of(const rules::Decision& decision) {
  std::vector<std::string> out;
  out.reserve(decision.because.size());
  for (const rules::Because& one : decision.because) out.push_back(because_text(one));
  return fmt::format("{}", fmt::join(out, " and "));
}

JudgedRule judge_rule(const PolicyCase& given, const rules::Policy& policy, std::size_t index,
                      const rules::Facts& facts, rules::Evaluation& evaluation) {
  JudgedRule out;
  const GivenVerdict by_given = given_verdict(given.given(), policy.rules()[index], facts);
  out.verdict = by_given.verdict;
  out.is_exempted = by_given.is_exempted;
  out.missing = fmt::format("{}", fmt::join(by_given.missing, "; "));
  if (out.verdict != Truth::kTrue) return out;
  rules::RuleVerdict rule = rules::evaluate_rule(policy, index, facts, rules::Mode::kEnforce);
  // In a policy with `since`, a stop needs the job's creation time as well.
  if (rule.verdict != Truth::kTrue) {
    out.verdict = Truth::kUnavailable;
    out.missing = "job.CreationTime is not given, and the policy has `since`";
    return out;
  }
  for (rules::Dropped& dropped : rule.dropped) evaluation.dropped.push_back(std::move(dropped));
  if (!rule.decision) return out;
  out.because = reasons_of(*rule.decision);
  evaluation.decisions.push_back(*std::move(rule.decision));
  return out;
}

// W4: if no metric of a job can be measured, the job is only notified about or tagged, and only by
// rules that name this state.
void keep_only_blindness(const rules::Policy& policy, JudgedCase& judged) {
  for (std::size_t i = 0; i < judged.rules.size(); ++i)
    if (!rules::names_blindness(policy.rules()[i])) judged.rules[i] = {};
  rules::keep_blindness(judged.evaluation.decisions, policy, {.why = rules::Why::kNoMetricArrives});
}

// W4: nothing that an alarm's message asks for is done before the alarm is confirmed.
void judge_alarm(const PolicyCase& given, const rules::Policy& policy, sys_seconds now,
                 JudgedCase& judged) {
  const std::set<std::string> missing = missing_for_alarms(given.given());
  if (!given.sources.event().alarm->calls() || missing.empty()) {
    judged.unconfirmed = explain_offline(policy, given.sources, now).unconfirmed;
    return;
  }
  for (JudgedRule& rule : judged.rules)
    if (rule.verdict == Truth::kTrue)
      rule = {Truth::kUnavailable, fmt::format("{}", fmt::join(missing, "; "))};
  judged.evaluation = {};
}

JudgedCase judge_case(const PolicyCase& given, const rules::Policy& policy) {
  // Without `now`, everything that depends on it is not decided, so this value does not matter.
  const sys_seconds now = given.now.value_or(sys_seconds());
  const rules::Facts facts =
      rules::facts_from(given.sources, policy.prices(), now, policy.failures());
  JudgedCase out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i)
    out.rules.push_back(judge_rule(given, policy, i, facts, out.evaluation));
  const auto& alarm = given.sources.event().alarm;
  if (alarm && alarm->state == rules::kBlindState) keep_only_blindness(policy, out);
  if (alarm) judge_alarm(given, policy, now, out);
  rules::drop_overridden(out.evaluation);
  if (out.unconfirmed) {
    out.rules.assign(policy.rules().size(), {});
    out.evaluation = {};
  }
  return out;
}

// ---- the comparison

class CaseComparison {
 public:
  CaseComparison(const PolicyCase& given, const rules::Policy& policy, const JudgedCase& judged)
      : expect_(given.expect), policy_(policy), judged_(judged) {}

  std::vector<std::string> differences() {
    if (expect_.rules || expect_.actions) compare_undecided();
    if (expect_.rules) compare_rules();
    compare_verdicts();
    if (expect_.actions) compare_actions();
    if (!out_.empty() && judged_.unconfirmed)
      out_.push_back("nothing would be done: the alarm is not confirmed: " +
                     rules::text(*judged_.unconfirmed));
    return std::move(out_);
  }

 private:
  std::string name_of(std::size_t rule) const {
    return fmt::format("rule `{}`", policy_.rules()[rule].name);
  }

  // An undecided rule might hold, so exact lists cannot be compared, unless the case expects this
  // rule to be undecided.
  void compare_undecided() {
    for (std::size_t i = 0; i < judged_.rules.size(); ++i)
      if (judged_.rules[i].verdict == Truth::kUnavailable && !expect_.verdicts.contains(i))
        out_.push_back(fmt::format("{}: not decided: {}", name_of(i), judged_.rules[i].missing));
  }

  void compare_rules() {
    for (std::size_t i = 0; i < judged_.rules.size(); ++i) {
      const JudgedRule& rule = judged_.rules[i];
      const bool expected = expect_.rules->contains(i);
      if (expected && rule.verdict == Truth::kFalse)
        out_.push_back(
            fmt::format("{}: expected to hold, and does not{}", name_of(i),
                        rule.is_exempted ? ": the policy's own `unless` exempts the job" : ""));
      if (!expected && rule.verdict == Truth::kTrue)
        out_.push_back(
            fmt::format("{}: holds, which is not expected{}", name_of(i), because(rule)));
    }
  }

  void compare_verdicts() {
    for (const auto& [index, expected] : expect_.verdicts) {
      const JudgedRule& rule = judged_.rules[index];
      if (rule.verdict == expected) continue;
      out_.push_back(rule.verdict == Truth::kUnavailable
                         ? fmt::format("{}: expected {}, but it is not decided: {}", name_of(index),
                                       rules::name(expected), rule.missing)
                         : fmt::format("{}: expected {}, found {}{}", name_of(index),
                                       rules::name(expected), rules::name(rule.verdict),
                                       because(rule)));
    }
  }

  void compare_actions() {
    std::set<rules::ActionKind> found;
    for (const rules::Decision& decision : judged_.evaluation.decisions)
      for (const rules::Action& action : decision.actions) found.insert(action.kind);
    if (found == *expect_.actions) return;
    out_.push_back(
        fmt::format("actions: expected {}, found {}", names_of(*expect_.actions), names_of(found)));
    for (const rules::Dropped& dropped : judged_.evaluation.dropped)
      out_.push_back(fmt::format("rule `{}`: {} is dropped: {}", dropped.rule,
                                 rules::name(dropped.action), rules::text(dropped.reason)));
  }

  static std::string because(const JudgedRule& rule) {
    return rule.because.empty() ? std::string() : ", because " + rule.because;
  }

  static std::string names_of(const std::set<rules::ActionKind>& actions) {
    std::vector<std::string> names;
    names.reserve(actions.size());
    for (const rules::ActionKind action : actions)
      names.push_back(fmt::format("`{}`", rules::name(action)));
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  }

  const CaseExpectation& expect_;
  const rules::Policy& policy_;
  const JudgedCase& judged_;
  std::vector<std::string> out_ = {};
};

}  // namespace

CaseOutcome outcome_of_case(const PolicyCase& given, const rules::Policy& policy) {
  const JudgedCase judged = judge_case(given, policy);
  CaseOutcome out;
  for (const JudgedRule& rule : judged.rules) out.verdicts.push_back(rule.verdict);
  out.differences = CaseComparison(given, policy, judged).differences();
  return out;
}

}  // namespace trainwarden::cli
