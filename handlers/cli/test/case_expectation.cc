#include "handlers/cli/test/case_expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::cli {
namespace {

constexpr std::array<std::string_view, 3> kExpectations{"rules", "actions", "verdicts"};
constexpr std::array<std::pair<std::string_view, rules::Truth>, 3> kCaseVerdicts{
    {{"true", rules::Truth::kTrue},
     {"false", rules::Truth::kFalse},
     {"unavailable", rules::Truth::kUnavailable}}};

class ExpectationReader {
 public:
  ExpectationReader(const rules::Policy& policy, rules::Reader& reader)
      : policy_(policy), reader_(reader) {
    for (const rules::Rule& rule : policy.rules()) {
      rule_names_.push_back(rule.name);
      for (const rules::Action& action : rule.actions)
        if (std::ranges::find(action_names_, rules::name(action.kind)) == action_names_.end())
          action_names_.push_back(rules::name(action.kind));
    }
  }

  CaseExpectation read(json::Value expect) {
    CaseExpectation out;
    if (!reader_.check_object(expect, "what is expected")) return out;
    reader_.check_members(expect, kExpectations);
    if (expect.size() == 0)
      reader_.diagnostics.error(reader_.where, fmt::format("expected {}, found nothing that is "
                                                           "expected",
                                                           rules::one_of(kExpectations)));
    if (const auto rules = expect.find("rules")) {
      out.rules.emplace();
      read_names(*rules, "rules", [&](std::string_view name) {
        const auto rule = find_rule(name);
        return !rule || out.rules->insert(*rule).second;
      });
    }
    if (const auto actions = expect.find("actions")) {
      out.actions.emplace();
      read_names(*actions, "actions", [&](std::string_view name) {
        const auto action = find_action(name);
        return !action || out.actions->insert(*action).second;
      });
    }
    if (const auto verdicts = expect.find("verdicts")) read_verdicts(*verdicts, out);
    return out;
  }

 private:
  using PathStep = rules::JsonPath::Step;

  // add: returns false for a duplicate name.
  void read_names(json::Value list, std::string_view member,
                  const std::function<bool(std::string_view)>& add) {
    const PathStep step(reader_.where, member);
    if (!list.is_array()) {
      reader_.unexpected(fmt::format("a list of {}, empty where none is expected", member), list);
      return;
    }
    std::size_t i = 0;
    for (const json::Value element : list.elements()) {
      const PathStep inner(reader_.where, i++);
      if (!element.is_string())
        reader_.unexpected("a name", element);
      else if (!add(element.as_string()))
        reader_.diagnostics.error(reader_.where,
                                  fmt::format("`{}` is there twice", element.as_string()));
    }
  }

  void read_verdicts(json::Value verdicts, CaseExpectation& out) {
    const PathStep step(reader_.where, "verdicts");
    if (!verdicts.is_object() || verdicts.size() == 0) {
      reader_.unexpected(
          "an object of at least one rule's verdict, such as {\"my-rule\": \"true\"}", verdicts);
      return;
    }
    for (const json::Member one : verdicts.members()) {
      const PathStep inner(reader_.where, one.name);
      const auto rule = find_rule(one.name);
      const auto verdict = read_verdict(one.value);
      if (!rule || !verdict) continue;
      out.verdicts.emplace(*rule, *verdict);
      if (out.rules && out.rules->contains(*rule) != (*verdict == rules::Truth::kTrue))
        reader_.diagnostics.error(
            reader_.where, fmt::format("contradicts `rules`, by which `{}` {}", one.name,
                                       out.rules->contains(*rule) ? "holds" : "does not hold"));
    }
  }

  std::optional<rules::Truth> read_verdict(json::Value value) {
    if (value.is_string())
      for (const auto& [name, truth] : kCaseVerdicts)
        if (name == value.as_string()) return truth;
    reader_.unexpected("\"true\", \"false\" or \"unavailable\"", value);
    return std::nullopt;
  }

  std::optional<std::size_t> find_rule(std::string_view name) {
    const auto at = std::ranges::find(rule_names_, name);
    if (at != rule_names_.end()) return static_cast<std::size_t>(at - rule_names_.begin());
    unknown("rule", name, rule_names_);
    return std::nullopt;
  }

  // An action that none of the policy's rules has can never be asked for, so it is a mistake.
  std::optional<rules::ActionKind> find_action(std::string_view name) {
    if (std::ranges::find(action_names_, name) == action_names_.end()) {
      unknown("action", name, action_names_);
      return std::nullopt;
    }
    for (const rules::Rule& rule : policy_.rules())
      for (const rules::Action& action : rule.actions)
        if (rules::name(action.kind) == name) return action.kind;
    return std::nullopt;
  }

  void unknown(std::string_view what, std::string_view name,
               const std::vector<std::string_view>& known) {
    const std::string near = rules::did_you_mean(name, known);
    constexpr std::size_t kFew = 8;
    const std::string all = near.empty() && known.size() <= kFew
                                ? fmt::format("; it has {}", rules::one_of(known))
                                : "";
    reader_.diagnostics.error(reader_.where,
                              fmt::format("the policy has no {} `{}`{}{}", what, name, near, all));
  }

  const rules::Policy& policy_;
  rules::Reader& reader_;
  std::vector<std::string_view> rule_names_ = {};
  std::vector<std::string_view> action_names_ = {};
};

}  // namespace

CaseExpectation read_case_expectation(json::Value expect, const rules::Policy& policy,
                                      rules::Reader& reader) {
  return ExpectationReader(policy, reader).read(expect);
}

}  // namespace trainwarden::cli
