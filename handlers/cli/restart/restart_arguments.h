// The arguments of `trainwarden restart`.
#pragma once

#include <span>
#include <string>

#include "handlers/cli/access/aws_access.h"
#include "handlers/rules/policy/action.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct RestartInputs {
  std::string job;
  rules::Restart options = {};
  bool dry_run = false;  // report the guards' verdict and the request only
  AwsOptions aws = {};
};

// Parses everything after the command's name. kInvalidInput for arguments that the command does not
// take.
Result<RestartInputs> read_restart(std::span<char* const> arguments);

// The command that these inputs came from, for the user to repeat.
std::string same_command(const RestartInputs& inputs);

}  // namespace trainwarden::cli
