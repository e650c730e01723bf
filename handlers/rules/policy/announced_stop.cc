#include "handlers/rules/policy/announced_stop.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainwarden::rules {
namespace {

constexpr std::string_view kTrigger = "trigger";
constexpr std::array<std::string_view, 1> kOnSweep = {"sweep"};
constexpr std::array<std::string_view, 1> kOnState = {"state"};
constexpr std::array<std::string_view, 1> kOnAlarm = {"alarm"};

bool never_holds_for_sweeps(const Conjunction& match) {
  return match.refuses(Group::kEvent, kTrigger, kOnSweep);
}

// What an event announces, a sweep would exempt.
bool exempts_for_sweeps_alone(const Conjunction& unless) {
  return unless.find(Group::kEvent, kTrigger) != nullptr && !never_holds_for_sweeps(unless) &&
         (unless.refuses(Group::kEvent, kTrigger, kOnState) ||
          unless.refuses(Group::kEvent, kTrigger, kOnAlarm));
}

}  // namespace

void check_announced_stop(const Rule& rule, Reader& reader) {
  if (std::ranges::none_of(rule.actions, is_announced)) return;
  if (std::ranges::any_of(rule.match.any, never_holds_for_sweeps)) {
    const JsonPath::Step step(reader.where, "match");
    reader.diagnostics.error(
        reader.where,
        "expected no `event.trigger`, or one that takes `sweep` as well: a sweep looks again when "
        "`grace_seconds` are over, and this would not hold then");
  }
  if (std::ranges::any_of(rule.unless.any, exempts_for_sweeps_alone)) {
    const JsonPath::Step step(reader.where, "unless");
    reader.diagnostics.error(
        reader.where,
        "expected no `event.trigger`: a sweep looks again when `grace_seconds` are over, and this "
        "would exempt the job then");
  }
  if (std::ranges::any_of(rule.policy_wide().any, exempts_for_sweeps_alone))
    reader.diagnostics.error(
        reader.where,
        "expected no `event.trigger` in the policy's `unless`: a sweep looks again when "
        "`grace_seconds` are over, and this would exempt the job then");
}

}  // namespace trainwarden::rules
