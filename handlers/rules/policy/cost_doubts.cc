#include "handlers/rules/policy/cost_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "handlers/rules/job/instances.h"
#include "handlers/rules/policy/remarks.h"

namespace trainwarden::rules {
namespace {

using Types = std::set<std::string, std::less<>>;

struct TypePath {
  Group group;
  std::string_view path;
};

constexpr std::array<TypePath, 5> kTypePaths = {{
    {Group::kMachines, "instance_types"},
    {Group::kJob, "ResourceConfig.InstanceType"},
    {Group::kJob, "ResourceConfig.InstanceGroups.InstanceType"},
    {Group::kJob, "ResourceConfig.InstancePreferences.InstanceType"},
    {Group::kJob, "ResourceConfig.SelectedInstanceType"},
}};

// Warm pools are left by no spot job: their cost is no upper bound.
bool asks_for_cost_of_job(const Conjunction& conjunction) {
  return std::ranges::find(conjunction.parts, Group::kCost, &Part::group) !=
         conjunction.parts.end();
}

bool asks_for_cost(const Conjunction& conjunction) {
  return asks_for_cost_of_job(conjunction) ||
         std::ranges::find(conjunction.parts, Group::kPoolCost, &Part::group) !=
             conjunction.parts.end();
}

bool exemption_asks(const Rule& rule, bool (*asks)(const Conjunction& conjunction)) {
  return rule.any_exemption(asks);
}

// Whether the rule is skipped for a job that this alternative may match, if the job has no price.
bool needs_prices(const Rule& rule, const Conjunction& match) {
  return asks_for_cost(match) || exemption_asks(rule, asks_for_cost);
}

// The types that the alternative names; none where it leaves them open.
Types named_types(const Conjunction& match) {
  Types out;
  for (const TypePath& at : kTypePaths) {
    const Condition* const condition = match.find(at.group, at.path);
    if (condition == nullptr) continue;
    for (const Test& test : condition->tests) {
      if (test.kind != Test::Kind::kText) return {};
      out.insert(test.text);
    }
  }
  return out;
}

bool may_match(const Conjunction& match, std::string_view type) {
  static constexpr std::array<std::string_view, 1> kGpu = {"gpu"};
  if (match.refuses(Group::kAccelerator, "accelerator", kGpu)) return false;
  return std::ranges::none_of(kTypePaths, [&](const TypePath& at) {
    const Condition* const condition = match.find(at.group, at.path);
    return condition != nullptr && !condition->accepts(Scalar::of(type)) &&
           !condition->accepts_absence();
  });
}

bool may_match_spot(const Rule& rule, const Conjunction& match) {
  const Scalar yes{json::Type::kBoolean, true, 0, {}};
  const auto accepts = [&yes](const Conjunction& some, Group group, std::string_view path) {
    const Condition* const condition = some.find(group, path);
    return condition != nullptr && condition->accepts(yes);
  };
  const auto refuses = [&](Group group, std::string_view path) {
    return match.find(group, path) != nullptr && !accepts(match, group, path);
  };
  if (refuses(Group::kResources, "spot") || refuses(Group::kJob, "EnableManagedSpotTraining"))
    return false;
  // An exemption of spot jobs and nothing else.
  return !rule.any_exemption([&](const Conjunction& unless) {
    return unless.parts.size() == 1 && unless.parts[0].conditions.size() == 1 &&
           (accepts(unless, Group::kResources, "spot") ||
            accepts(unless, Group::kJob, "EnableManagedSpotTraining"));
  });
}

// The types that a rule of the policy names, be it as allowed, refused or for copies.
Types types_of(const Policy& policy) {
  Types out;
  const auto add = [&out](const FactPattern& pattern) {
    for (const Conjunction& one : pattern.any)
      for (const TypePath& at : kTypePaths)
        if (const Condition* const condition = one.find(at.group, at.path))
          for (const Test& test : condition->tests)
            for (const std::string& text : test.whole_texts()) out.insert(text);
  };
  for (const Rule& rule : policy.rules()) {
    add(rule.match);
    for (const FactPattern* const unless : rule.exemptions()) add(*unless);
    for (const Action& action : rule.actions)
      out.insert(action.restart.instance_types.begin(), action.restart.instance_types.end());
  }
  return out;
}

Types unpriced_names(const Policy& policy, const Rule& rule) {
  Types out;
  for (const Conjunction& match : rule.match.any) {
    if (!needs_prices(rule, match)) continue;
    for (const std::string& type : named_types(match))
      if (!policy.prices().contains(type)) out.insert(type);
  }
  return out;
}

Types without_spot_factor(const Policy& policy, const Rule& rule) {
  Types out;
  for (const Conjunction& match : rule.match.any) {
    // An exemption of what costs little does not hold at an upper bound.
    if (!asks_for_cost_of_job(match) && !exemption_asks(rule, asks_for_cost_of_job)) continue;
    if (!may_match_spot(rule, match)) continue;
    const Types named = named_types(match);
    for (const auto& [type, price] : policy.prices())
      if (!price.spot_factor && (named.empty() || named.contains(type)) && may_match(match, type))
        out.insert(type);
  }
  return out;
}

// The types that the rule may meet and whose price is 0.
Types free_types(const Policy& policy, const Rule& rule) {
  Types out;
  for (const Conjunction& match : rule.match.any) {
    if (!needs_prices(rule, match)) continue;
    for (const auto& [type, price] : policy.prices())
      if (price.usd == 0 && may_match(match, type)) out.insert(type);
  }
  return out;
}

constexpr std::string_view kWherePricesAre = "`trainwarden prices --region REGION` prints them";

}  // namespace

std::vector<Remark> cost_doubts(const Policy& policy) {
  std::vector<Remark> out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    const Rule& rule = policy.rules()[i];
    const bool needs = std::ranges::any_of(
        rule.match.any, [&rule](const Conjunction& match) { return needs_prices(rule, match); });
    if (!needs) continue;
    if (policy.prices().empty()) {
      out.push_back(remark(
          policy, i,
          fmt::format("asks for cost, and is skipped for every job: the policy has no `prices`; {}",
                      kWherePricesAre)));
      continue;
    }
    if (const Types types = unpriced_names(policy, rule); !types.empty())
      out.push_back(remark(
          policy, i,
          fmt::format("asks for cost, and is skipped for jobs on {}, which `prices` lacks; {}",
                      fmt::join(types, ", "), kWherePricesAre)));
    if (const Types types = free_types(policy, rule); !types.empty())
      out.push_back(
          remark(policy, i,
                 fmt::format("asks for cost, and counts jobs on {} as free: `prices` has 0",
                             fmt::join(types, ", "))));
    if (std::ranges::none_of(rule.actions, acts_on_job, &Action::kind)) continue;
    if (const Types types = without_spot_factor(policy, rule); !types.empty())
      out.push_back(remark(
          policy, i,
          fmt::format(
              "acts on the cost of spot jobs too, which is an upper bound while they run: `prices` "
              "has no spot_factor for {}, so that it may stop a job that has spent a third of that",
              fmt::join(types, ", "))));
  }
  return out;
}

std::vector<Remark> unpriced_machines(const Policy& policy) {
  if (policy.prices().empty()) return {};  // cost_doubts says so
  const Types named = types_of(policy);
  Types known(named);
  for (const std::string_view type : gpu_types()) known.emplace(type);
  std::array<Types, 2> types;  // those that the policy names, and others
  std::array<std::vector<std::string_view>, 2> rules;
  for (const Rule& rule : policy.rules()) {
    std::array<Types, 2> of_rule;
    for (const Conjunction& match : rule.match.any) {
      if (!needs_prices(rule, match) || !named_types(match).empty()) continue;
      for (const std::string& type : known)
        if (!policy.prices().contains(type) && may_match(match, type))
          of_rule[named.contains(type) ? 0 : 1].insert(type);
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!of_rule[i].empty()) rules[i].push_back(rule.name);
      types[i].merge(of_rule[i]);
    }
  }
  std::vector<Remark> out;
  if (!types[0].empty())
    out.push_back(
        {"prices", "/prices",
         fmt::format("no price for {}, which the policy names or allows: rules that ask for cost "
                     "({}) are skipped for jobs on machines without one; {}",
                     fmt::join(types[0], ", "), fmt::join(rules[0], ", "), kWherePricesAre)});
  if (!types[1].empty())
    out.push_back({.path = "prices",
                   .pointer = "/prices",
                   .message = fmt::format(
                       "no price for {}: rules that ask for cost ({}) are skipped for jobs on "
                       "machines without one, if your region sells these; {}",
                       fmt::join(types[1], ", "), fmt::join(rules[1], ", "), kWherePricesAre),
                   .is_hint = true});
  return out;
}

}  // namespace trainwarden::rules
