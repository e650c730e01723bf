// Warnings and refusals of a restart, which the user sees before the money is spent.
#pragma once

#include <string>
#include <vector>

#include "handlers/cli/restart/restart_arguments.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"

namespace trainwarden::cli {

// One line for each doubt.
std::vector<std::string> doubt_lines(const RestartInputs& inputs, const rules::TrainingJob& job,
                                     const std::vector<rules::Reason>& doubts);

// "JOB: refused: it completed"
std::string refusal_line(const RestartInputs& inputs, const rules::Reason& reason);

}  // namespace trainwarden::cli
