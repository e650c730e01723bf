#include "handlers/actions/handle_job.h"

#include <fmt/core.h>

#include <utility>

#include "handlers/actions/execute.h"
#include "handlers/actions/gather.h"
#include "handlers/rules/facts.h"

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

Record handle_job(const RuleAt& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis) {
  rules::Sources sources(event);
  Record record{.trigger = event.trigger,
                .job = job.name.str(),
                .state = state_of(sources),
                .conclusion = "decided"};
  record.policy_hash = rules.policy.hash();
  rules::Evaluation evaluation;
  // Each round fetches at least one source, so there cannot be more rounds than sources.
  for (std::size_t round = 0; round <= rules::kSourceCount; ++round) {
    const rules::Facts facts = rules::facts_from(sources, rules.policy.prices(), apis.now());
    evaluation = rules::decide(rules.policy, facts, rules.ceiling);
    if (evaluation.needs.empty()) break;
    const Gathered gathered = gather(sources, evaluation.needs, job, apis);
    record.state = state_of(sources);
    if (gathered == Gathered::kJob) continue;
    record.conclusion = gathered == Gathered::kGone ? "gone" : "namesake";
    return record;
  }
  record.dropped = std::move(evaluation.dropped);
  record.skipped = std::move(evaluation.skipped);
  record.decisions = execute(rules, std::move(evaluation.decisions), job, event, apis);
  return record;
}

}  // namespace trainwarden::actions
