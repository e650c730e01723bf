// Which jobs a sweep counts before it acts (policy.md P7).
#pragma once

#include <string>

#include "handlers/actions/handle/handle_job.h"

namespace trainwarden::actions {

// Whether a running job would be stopped: because a measurement confirmed an alarm (W4), because
// of what describes the job alone, or both.
struct Acting {
  bool measured = false;
  bool described = false;
};

// Fetches what that takes, and notes how dear the job is. Where nobody knows, it counts.
Acting would_act(Considered& considered, const ActivePolicy& rules, const Apis& apis);

// What describes all jobs of a tuner stops that once: the tuner, or the job.
std::string counted_as(const Considered& considered);

// Whether the job was stopped, or had ended before.
bool was_stopped(const Record& record);

}  // namespace trainwarden::actions
