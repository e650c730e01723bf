// What `trainwarden restart` is given.
#pragma once

#include <span>
#include <string>

#include "handlers/rules/policy/action.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct RestartInputs {
  std::string job;
  rules::Restart options = {};
  bool dry_run = false;  // reports what the guards say and what would be created
  std::string aws = {};  // the options that say where and as whom, as they were given
};

// Everything after the command's name; kInvalidInput for what is no use of it.
Result<RestartInputs> read_restart(std::span<char* const> arguments);

// The command that these inputs come from, for a person to give again.
std::string same_command(const RestartInputs& inputs);

}  // namespace trainwarden::cli
