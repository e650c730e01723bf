#include "handlers/cli/diagnose/diagnose_arguments.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {
namespace {

Result<rules::Policy> read_policy_of_failures(const std::string& value) {
  TRY(const std::string text, read_argument(value));
  return rules::parse_policy(text);
}

}  // namespace

Result<DiagnoseArguments> read_diagnose(std::span<char* const> arguments) {
  DiagnoseArguments out;
  std::string source;
  const auto take_policy = [&out](const std::string& value) -> Result<void> {
    auto policy = read_policy_of_failures(value);
    if (!policy) return fail(ErrorCode::kInvalidPolicy, std::move(policy).error().message);
    out.policy.emplace(*std::move(policy));
    return {};
  };
  TRY(const GivenOptions given,
      read_arguments(arguments,
                     aws_options(out.aws, {{"--policy", take_policy},
                                           {"--file", &out.file, "use without another name"},
                                           {"--why", &out.why}}),
                     {"one job or file", {&source}, /*takes_standard_input=*/true}));
  if (!source.empty()) CHECK_OK(given.check_form("a name", fmt::format("`{}` is one", source)));
  if (source.empty()) return out;
  const bool names_file = source == "-" || source.find_first_of("./") != source.npos;
  (names_file ? out.file : out.job) = source;
  return out;
}

}  // namespace trainwarden::cli
