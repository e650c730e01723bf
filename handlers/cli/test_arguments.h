// What `trainwarden test` is given.
#pragma once

#include <string>
#include <vector>

#include "handlers/cli/test_command.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

// Everything after the command's name; the policy is read, the cases are not. kInvalidInput for
// what is no use of it.
Result<TestInputs> read_test(const std::vector<char*>& arguments);

}  // namespace trainwarden::cli
