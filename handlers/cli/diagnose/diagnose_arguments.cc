#include "handlers/cli/diagnose/diagnose_arguments.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "handlers/cli/files/inputs.h"

namespace trainwarden::cli {
namespace {

std::unexpected<Error> not_for_diagnose(std::string_view found) {
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("expected --why, --policy FILE, and a job or --file FILE, found `{}`", found));
}

}  // namespace

Result<DiagnoseArguments> read_diagnose(std::vector<char*> arguments) {
  DiagnoseArguments out;
  TRY(out.aws, take_aws_options(arguments));
  bool has_source = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool more = i + 1 < arguments.size();
    if (argument == "--why") {
      out.why = true;
    } else if (argument == "--policy" && more && !out.policy) {
      auto text = read_argument(arguments[++i]);
      if (!text) return fail(ErrorCode::kInvalidPolicy, std::move(text).error().message);
      auto policy = rules::parse_policy(*text);
      if (!policy) return fail(ErrorCode::kInvalidPolicy, std::move(policy).error().message);
      out.policy.emplace(*std::move(policy));
    } else if (argument == "--file" && more && !has_source) {
      out.file = arguments[++i];
      has_source = true;
    } else if (!has_source && (argument == "-" || !argument.starts_with('-'))) {
      const bool names_file = argument == "-" || argument.find_first_of("./") != argument.npos;
      (names_file ? out.file : out.job) = argument;
      has_source = true;
    } else if (!more && (argument == "--policy" || argument == "--file")) {
      return fail(ErrorCode::kInvalidInput, fmt::format("{} needs a file", argument));
    } else {
      return not_for_diagnose(argument);
    }
  }
  return out;
}

}  // namespace trainwarden::cli
