// The machine choices for a copy, in the order in which they are tried, and whether the account's
// quotas allow them (policy.md A4).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "handlers/rules/job/training_job.h"
#include "handlers/rules/job/training_quotas.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/restart/copy_request.h"
#include "handlers/rules/state/job_item.h"

namespace trainwarden::rules {

// What a restart requests, by the policy or by its stored record.
struct AskedMachines {
  std::optional<bool> spot;
  std::span<const std::string> types;
  const CopySettings& settings;
};
inline AskedMachines asked_by(const Restart& options) {
  return {options.spot, options.instance_types, options.settings};
}
inline AskedMachines asked_by(const RestartRecord& restart) {
  return {restart.spot, restart.types, restart.settings};
}

// The first choice (changes_for), then one for each further type of the list. At least one.
std::vector<CopyChanges> machines_in_order(const TrainingJob& job, const AskedMachines& asked);

// The same, and last the job's own machines, so that a job that was stopped in order to move is not
// left with none. Not after a capacity error, which means that its own are unavailable.
std::vector<CopyChanges> machines_or_own(const TrainingJob& job, const AskedMachines& asked);

// Whether the copy needs machines that the job does not have: of another type, on the other market,
// or more of them.
bool is_move(const TrainingJob& job, const CopyChanges& changes);

// Why the copy can have none of these machines: each exceeds a quota. nullopt if one fits, or if a
// quota is not known.
std::optional<Reason> why_never(const TrainingJob& job, std::span<const CopyChanges> candidates,
                                const MachineCounts& quotas);

// Why the functions may create no job on any of these machines: each choice has a type that is not
// in the list, or no type at all. allowed: types, with `*` and `?`; empty: any, and none at all.
std::optional<Reason> why_not_allowed(const TrainingJob& job,
                                      std::span<const CopyChanges> candidates,
                                      std::span<const std::string> allowed);

// "2 × ml.p5.48xlarge on demand"; empty for a job without machines of its own.
std::string machines_text(const TrainingJob& job, const CopyChanges& changes);

}  // namespace trainwarden::rules
