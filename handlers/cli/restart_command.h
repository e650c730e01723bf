// `trainwarden restart`: runs a job again by hand, as the action restart does and with its guards.
// Because a person asks, the hours since the job's end and the wait for capacity do not count. A
// running job is stopped, and the state function makes its copy when it has ended.
#pragma once

#include <span>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/cli/text.h"
#include "handlers/rules/policy/action.h"

namespace trainwarden::cli {

struct RestartInputs {
  std::string job;
  rules::Restart options = {};
  bool dry_run = false;  // reports what the guards say and what would be created
};

// Everything after the command's name; kInvalidInput for what is no use of it.
Result<RestartInputs> read_restart(std::span<char* const> arguments);

// Exit status: 0 done or would be done, 1 refused by a guard, 2 where AWS could not be asked or
// refused.
Printed restart(const RestartInputs& inputs, const actions::Apis& apis);

}  // namespace trainwarden::cli
