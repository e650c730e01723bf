// Whether a stop would have been right, by how the job went on without it. The terms stand in
// replay_findings.h; where several hold, the first of them counts.
#pragma once

#include <optional>
#include <utility>

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/job/training_job.h"

namespace trainwarden::rules {

// Whether all that the decision rests on was fixed when the job was created: its settings, machines
// and tags, what it costs an hour and at most. That it runs is no ground of its own.
bool was_fixed_at_creation(const Decision& decision);

struct Aftermath {
  const Decision& decision;
  const TrainingJob& whole;             // as it ended
  std::optional<Verdict> failure = {};  // of a failed job whose diagnosis is known
  // Of a stop by an alarm: whether the breach lasted to the end.
  std::optional<bool> lasted = {};
};
std::pair<StopVerdict, StopGround> verdict_of_stop(const Aftermath& after);

}  // namespace trainwarden::rules
