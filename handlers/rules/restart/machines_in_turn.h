// The machines that a copy is asked for, one after the other, and whether the account's quotas let
// it have them (policy.md A4).
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

// What a restart asks for, by the policy or as it is remembered.
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

// What the copy is asked for first (changes_for), then with each further type of the list. At least
// one.
std::vector<CopyChanges> machines_in_turn(const TrainingJob& job, const AskedMachines& asked);

// The same, and last the job's own machines: of a job that was stopped for others, so that it is
// not left with none. Not after a capacity error, which says that its own are not to be had.
std::vector<CopyChanges> machines_or_own(const TrainingJob& job, const AskedMachines& asked);

// Whether the copy needs machines that the job does not have: of another type, on the other market,
// or more of them.
bool is_move(const TrainingJob& job, const CopyChanges& changes);

// Why the copy can never have any of these machines: each needs more than a quota allows. nullopt
// where one fits, or its quota is not known.
std::optional<Reason> why_never(const TrainingJob& job, std::span<const CopyChanges> turns,
                                const MachineCounts& quotas);

// "2 × ml.p5.48xlarge on demand"; empty of a job without machines of its own.
std::string machines_text(const TrainingJob& job, const CopyChanges& changes);

}  // namespace trainwarden::rules
