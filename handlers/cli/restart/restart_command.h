// `trainwarden restart`: runs a job again by hand (policy.md A2), with the rights of the user who
// gives the command and nobody else's. It stops the job if it is running, waits for its end, and
// creates the copy itself: nothing is left for the functions to carry out, and nothing of theirs is
// read. The copy's name follows from the job, so that the command is idempotent: it can be repeated
// at any point and goes on from there. It refuses what would lose data, and warns of everything
// else that speaks against a restart.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/cli/restart/restart_arguments.h"
#include "handlers/cli/terminal/console.h"
#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {

// Exit status: 0 done, or would be done; 1 refused; 2 if AWS could not be asked or denied a call;
// 130 interrupted. console: for warnings and progress.
Printed restart(const RestartInputs& inputs, const actions::Apis& session, Console& console);

}  // namespace trainwarden::cli
