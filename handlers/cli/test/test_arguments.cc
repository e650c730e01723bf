#include "handlers/cli/test/test_arguments.h"

#include <fmt/core.h>

#include <string_view>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/files/output_file.h"

namespace trainwarden::cli {
namespace {

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
        return not_for_test("--junit needs a file");
      if (!out.junit.empty()) return not_for_test("expected one --junit, found two");
      out.junit = arguments[i];
      continue;
    }
    if (option != "-" && option.starts_with('-'))
      return not_for_test(fmt::format("expected --junit, found `{}`", option));
    if (option.empty()) return not_for_test("expected a file, found an empty name");
    if (names.size() == 2)
      return not_for_test(fmt::format("expected POLICY and CASES, found `{}` too", option));
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
