// `trainwarden restart`: runs a job again by hand (policy.md A2), with the rights of whoever gives
// the command and nobody else's: a running job is stopped, its end is waited for, and its copy is
// created here. Nothing is left for the functions to carry out, and nothing of theirs is read. The
// copy's name follows from the job, so that the command can be given again at any point and goes on
// from there. What would cost data refuses; all else that speaks against it is told.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/cli/console.h"
#include "handlers/cli/restart_arguments.h"
#include "handlers/cli/text.h"

namespace trainwarden::cli {

// Exit status: 0 done or would be done, 1 refused, 2 where AWS could not be asked or refused, 130
// interrupted. console: warnings and what is going on.
Printed restart(const RestartInputs& inputs, const actions::Apis& session, Console& console);

}  // namespace trainwarden::cli
