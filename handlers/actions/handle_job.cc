#include "handlers/actions/handle_job.h"

#include <fmt/core.h>

#include <utility>

#include "handlers/actions/execute.h"
#include "handlers/actions/gather.h"
#include "handlers/rules/facts.h"
#include "handlers/rules/lineage.h"

namespace trainwarden::actions {
namespace {

std::string state_of(const rules::Sources& sources) {
  const auto describe = sources.known(rules::Source::kDescribe);
  const auto member = [&](const char* name, const std::optional<std::string>& told) {
    const auto value = describe ? describe->find_present(name) : std::nullopt;
    if (value && value->is_string()) return std::string(value->as_string());
    return told.value_or("?");
  };
  return fmt::format("{}/{}", member("TrainingJobStatus", sources.event().training_job_status),
                     member("SecondaryStatus", sources.event().secondary_status));
}

}  // namespace

Considered consider(const RuleAt& rules, const JobRef& job, const rules::JobEvent& event,
                    const Apis& apis) {
  Considered out{job, rules::Sources(event), {}, {}};
  Record& record = out.record;
  record.trigger = event.trigger;
  record.job = job.name.str();
  record.state = state_of(out.sources);
  record.conclusion = "decided";
  record.policy_hash = rules.policy.hash();
  // Each round fetches at least one source, so there cannot be more rounds than sources.
  for (std::size_t round = 0; round <= rules::kSourceCount; ++round) {
    const rules::Facts facts = rules::facts_from(out.sources, rules.policy.prices(), apis.now());
    out.evaluation = rules::decide(rules.policy, facts, rules.ceiling);
    if (out.evaluation.needs.empty()) break;
    const Gathered gathered = gather(out.sources, out.evaluation.needs, job, apis);
    record.state = state_of(out.sources);
    if (gathered == Gathered::kJob) continue;
    record.conclusion = gathered == Gathered::kGone ? "gone" : "namesake";
    out.evaluation = {};
    break;
  }
  return out;
}

Record carry_out(const RuleAt& rules, Considered considered, const Apis& apis) {
  Record record = std::move(considered.record);
  const Subject subject{rules, considered.job, considered.sources, apis};
  record.dropped = std::move(considered.evaluation.dropped);
  record.skipped = std::move(considered.evaluation.skipped);
  record.decisions = execute(subject, std::move(considered.evaluation.decisions));
  if (const auto tags = considered.sources.known(rules::Source::kTags))
    record.generation = rules::lineage_of(*tags, record.job).generation;
  return record;
}

Record handle_job(const RuleAt& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis) {
  return carry_out(rules, consider(rules, job, event, apis), apis);
}

}  // namespace trainwarden::actions
