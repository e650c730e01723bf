#include "handlers/cli/test/test_arguments.h"

#include <fmt/core.h>

#include <array>
#include <string_view>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/files/output_file.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {
namespace {

constexpr std::array<std::string_view, 1> kTestOptionNames = {"--junit"};

std::unexpected<Error> not_for_test(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

}  // namespace

Result<TestInputs> read_test(const std::vector<char*>& arguments) {
  TestInputs out;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    if (option == "--junit") {
      ++i;
      if (i == arguments.size() || std::string_view(arguments[i]).empty())
        return needs_value(option);
      if (!out.junit.empty()) return given_twice(option);
      out.junit = arguments[i];
      continue;
    }
    if (option != "-" && option.starts_with('-')) return unknown_option(option, kTestOptionNames);
    if (option.empty()) return empty_argument("POLICY and CASES");
    if (names.size() == 2) return one_too_many("POLICY and CASES", option);
    names.emplace_back(option);
  }
  if (names.size() != 2) return not_for_test("expected POLICY and CASES, a file of JSON lines");
  if (names[0] == "-" && names[1] == "-")
    return not_for_test("standard input is the policy or the cases, not both");
  if (!out.junit.empty()) CHECK_OK(check_not_an_input("--junit", out.junit, names));
  out.policy_name = names[0];
  out.file = names[1];
  TRY(out.policy, read_argument(out.policy_name));
  return out;
}

}  // namespace trainwarden::cli
