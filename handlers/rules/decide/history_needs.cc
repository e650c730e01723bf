#include "handlers/rules/decide/history_needs.h"

#include <fmt/core.h>

#include <algorithm>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/job/describe_members.h"

namespace trainwarden::rules {
namespace {

void add_job_part(const Part& part, HistoryNeeds& out) {
  for (const Condition& condition : part.conditions) {
    out.describe = out.describe || search_lacks(condition.path);
    if (is_in_free_map(condition.path)) out.values.insert(condition.path);
  }
}

void add_lost(const Rule& rule, Group group, HistoryNeeds& out) {
  if (std::ranges::find(out.lost, group, &HistoryNeeds::Lost::group) == out.lost.end())
    out.lost.push_back({rule.name, group});
}

void add_pattern(const Rule& rule, const FactPattern& pattern, HistoryNeeds& out) {
  for (const Conjunction& conjunction : pattern.any)
    for (const Part& part : conjunction.parts) {
      if (part.group == Group::kJob) add_job_part(part, out);
      if (part.group == Group::kDiagnosis) out.logs = true;
      if (part.group == Group::kLogs || part.group == Group::kCheckpoint)
        add_lost(rule, part.group, out);
    }
}

}  // namespace

bool HistoryNeeds::names(std::string_view map, std::string_view key) const {
  return values.contains(fmt::format("{}.{}", map, key));
}

HistoryNeeds history_needs(const Policy& policy) {
  HistoryNeeds out;
  for (const Rule& rule : policy.rules()) {
    add_pattern(rule, rule.match, out);
    for (const FactPattern* const unless : rule.exemptions()) add_pattern(rule, *unless, out);
    out.logs = out.logs || std::ranges::any_of(rule.actions, acts_on_job, &Action::kind);
  }
  return out;
}

}  // namespace trainwarden::rules
