// The arguments of `trainwarden test`.
#pragma once

#include <span>
#include <string>

#include "handlers/cli/test/test_command.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

// Parses everything after the command's name and reads the policy, but not the cases. kInvalidInput
// for arguments that the command does not take.
Result<TestInputs> read_test(std::span<char* const> arguments);

}  // namespace trainwarden::cli
