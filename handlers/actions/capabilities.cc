#include "handlers/actions/capabilities.h"

#include <fmt/core.h>

#include <algorithm>

namespace trainwarden::actions {
namespace {

using rules::ActionKind;

// These facts rest on the job's logs where FailureReason alone does not tell.
bool may_need_logs(const rules::FactPattern& pattern) {
  for (const auto& conjunction : pattern.any)
    for (const auto& part : conjunction.parts)
      if (part.group == rules::Group::kDiagnosis) return true;
  return false;
}

}  // namespace

std::vector<std::string> not_yet(const rules::Policy& policy) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    const rules::Rule& rule = policy.rules()[i];
    const std::string where = fmt::format("rules[{}] {}", i, rule.name);
    if (may_need_logs(rule.match) || may_need_logs(rule.unless))
      found.push_back(
          fmt::format("{}: this version does not read logs: where FailureReason does not tell the "
                      "failure's label, the rule is skipped and the event fails",
                      where));
  }
  return found;
}

}  // namespace trainwarden::actions
