#include "handlers/cli/diagnose/diagnose_arguments.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {
namespace {

constexpr std::array<std::string_view, 3> kDiagnoseOptionNames = {"--why", "--policy", "--file"};

}  // namespace

Result<DiagnoseArguments> read_diagnose(std::vector<char*> arguments) {
  DiagnoseArguments out;
  TRY(out.aws, take_aws_options(arguments));
  std::string source;
  bool has_file = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--why") {
      out.why = true;
      continue;
    }
    if (argument == "--policy" || argument == "--file") {
      if (argument == "--policy" ? out.policy.has_value() : has_file) return given_twice(argument);
      if (++i == arguments.size() || std::string_view(arguments[i]).empty())
        return needs_value(argument);
    }
    if (argument == "--policy") {
      auto text = read_argument(arguments[i]);
      if (!text) return fail(ErrorCode::kInvalidPolicy, std::move(text).error().message);
      auto policy = rules::parse_policy(*text);
      if (!policy) return fail(ErrorCode::kInvalidPolicy, std::move(policy).error().message);
      out.policy.emplace(*std::move(policy));
    } else if (argument == "--file") {
      out.file = arguments[i];
      has_file = true;
    } else if (argument != "-" && argument.starts_with('-')) {
      return unknown_option(argument, kDiagnoseOptionNames);
    } else if (argument.empty()) {
      return empty_argument("one job or file");
    } else if (!source.empty()) {
      return one_too_many("one job or file", argument);
    } else {
      source = argument;
    }
  }
  if (has_file && !source.empty())
    return not_for_form("--file", "use without another name", fmt::format("`{}` is one", source));
  if (source.empty()) return out;
  const bool names_file = source == "-" || source.find_first_of("./") != source.npos;
  (names_file ? out.file : out.job) = source;
  return out;
}

}  // namespace trainwarden::cli
