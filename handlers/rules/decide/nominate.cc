#include "handlers/rules/decide/nominate.h"

#include <algorithm>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/facts.h"
#include "runtime/base/arn.h"

namespace trainwarden::rules {
namespace {

// A job keeps its machines, so a rule that lacks their price or their GPUs, or that cannot read
// them, would be skipped whatever a look found. The records of the job's events have reported that
// already.
bool lacks_machines_only(const Policy& policy, std::size_t index, const Facts& facts) {
  const RuleVerdict judged = evaluate_rule(policy, index, facts, Mode::kEnforce);
  constexpr SourceSet kOfMachines{Source::kPrices, Source::kMachines, Source::kGpus};
  return judged.skipped && !judged.skipped->sources.empty() &&
         kOfMachines.includes(judged.skipped->sources);
}

}  // namespace

std::optional<Sources> sources_of_search(const TrainingJob& job) {
  if (job.name.empty()) return std::nullopt;
  JobEvent event{.trigger = Trigger::kSweep, .job_name = std::string(job.name)};
  event.creation_time = job.created;
  const std::string_view account = arn_field(job.arn, ArnField::kAccount);
  const std::string_view region = arn_field(job.arn, ArnField::kRegion);
  if (!account.empty() && !region.empty()) {
    event.account = account;
    event.region = region;
  }
  Sources out(std::move(event));
  out.set(Source::kDescribe, json::Document::build([&](json::Sink& sink) { sink.value(job.raw); }));
  out.set(Source::kTags, search_tags(job.raw));
  out.mark_provisional();
  return out;
}

Nomination nominate(const Policy& policy, const Sources& search, sys_seconds now) {
  Nomination out;
  const Facts facts = facts_from(search, policy.prices(), now, policy.failures());
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    const Rule& rule = policy.rules()[i];
    const Truth verdict = rule_verdict(policy, i, facts);
    if (verdict == Truth::kFalse) continue;
    if (verdict == Truth::kUnavailable && lacks_machines_only(policy, i, facts)) continue;
    if (verdict != Truth::kTrue || !only_watches(rule.actions)) {
      out.look = true;
      return out;
    }
    for (const Action& action : rule.actions)
      for (const std::string& name : action.watches) {
        const Watch* const watch = policy.find_watch(name);
        if (watch != nullptr && std::ranges::find(out.watches, watch) == out.watches.end())
          out.watches.push_back(watch);
      }
  }
  return out;
}

}  // namespace trainwarden::rules
