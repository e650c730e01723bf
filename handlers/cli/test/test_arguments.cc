#include "handlers/cli/test/test_arguments.h"

#include <array>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/files/output_file.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {

Result<TestInputs> read_test(std::span<char* const> arguments) {
  TestInputs out;
  CHECK_OK(read_arguments(arguments, {{"--junit", &out.junit}},
                          {"POLICY and CASES",
                           {&out.policy_name, &out.file},
                           /*takes_standard_input=*/true}));
  if (out.policy_name.empty() || out.file.empty())
    return wrong_argument("expected POLICY and CASES, a file of JSON lines");
  if (out.policy_name == "-" && out.file == "-")
    return wrong_argument("standard input is the policy or the cases, not both");
  if (!out.junit.empty()) {
    const std::array read{out.policy_name, out.file};
    CHECK_OK(check_not_an_input("--junit", out.junit, read));
  }
  TRY(out.policy, read_argument(out.policy_name));
  return out;
}

}  // namespace trainwarden::cli
