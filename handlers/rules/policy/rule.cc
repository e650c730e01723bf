#include <algorithm>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

const Condition* Conjunction::find(Group group, std::string_view path) const {
  const auto part = std::ranges::find(parts, group, &Part::group);
  if (part == parts.end()) return nullptr;
  const auto at = std::ranges::find(part->conditions, path, &Condition::path);
  return at == part->conditions.end() ? nullptr : &*at;
}

bool Conjunction::looks_into(Group group) const {
  return std::ranges::any_of(parts, [group](const Part& part) {
    return part.group == group &&
           std::ranges::none_of(part.conditions, &Condition::accepts_absence);
  });
}

bool Conjunction::refuses(Group group, std::string_view path,
                          std::span<const std::string_view> texts) const {
  const Condition* const condition = find(group, path);
  return condition != nullptr && std::ranges::none_of(texts, [condition](std::string_view text) {
           return condition->accepts(Scalar::of(text));
         });
}

const FactPattern& Rule::policy_wide() const {
  static const FactPattern kNone = {};
  return unless_of_policy ? *unless_of_policy : kNone;
}

bool Rule::has(ActionKind kind) const {
  return std::ranges::find(actions, kind, &Action::kind) != actions.end();
}

}  // namespace trainwarden::rules
