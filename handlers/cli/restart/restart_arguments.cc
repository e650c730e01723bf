#include "handlers/cli/restart/restart_arguments.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "handlers/cli/terminal/command_line.h"
#include "handlers/rules/job/instance_types.h"
#include "runtime/base/digits.h"

namespace trainwarden::cli {
namespace {

constexpr std::array<std::string_view, 4> kRestartOptionNames = {"--spot", "--instance-type",
                                                                 "--limit", "--dry-run"};

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

Result<bool> read_bool(std::string_view option, std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  return wrong(fmt::format("{}: expected true or false, found `{}`", option, text));
}

Result<std::int64_t> read_limit(std::string_view text) {
  if (const auto limit = whole_number(text, 1)) return *limit;
  return wrong(fmt::format("--limit: expected a number of generations, found `{}`", text));
}

}  // namespace

Result<RestartInputs> read_restart(std::span<char* const> arguments) {
  RestartInputs inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--dry-run") {
      inputs.dry_run = true;
    } else if (argument == "--spot" || argument == "--instance-type" || argument == "--limit") {
      if (++i == arguments.size() || std::string_view(arguments[i]).empty())
        return needs_value(argument);
      const std::string_view value = arguments[i];
      if (argument == "--spot") {
        TRY(inputs.options.spot, read_bool(argument, value));
      } else if (argument == "--limit") {
        TRY(inputs.options.limit, read_limit(value));
      } else if (rules::is_instance_type(value)) {
        inputs.options.instance_types = {std::string(value)};
      } else {
        return wrong(fmt::format("--instance-type: expected {}, found `{}`{}",
                                 rules::kInstanceTypeForm, value, rules::did_you_mean_type(value)));
      }
    } else if (argument.starts_with('-')) {
      return unknown_option(argument, kRestartOptionNames);
    } else if (argument.empty()) {
      return empty_argument("one job");
    } else if (inputs.job.empty()) {
      inputs.job = argument;
    } else {
      return one_too_many("one job", argument);
    }
  }
  if (inputs.job.empty()) return wrong("expected the name of a training job");
  return inputs;
}

std::string same_command(const RestartInputs& inputs) {
  std::string out = fmt::format("trainwarden restart {}", inputs.job);
  const rules::Restart& options = inputs.options;
  if (options.spot) out += fmt::format(" --spot {}", *options.spot);
  for (const std::string& type : options.instance_types)
    out += fmt::format(" --instance-type {}", type);
  if (options.limit != rules::Restart().limit) out += fmt::format(" --limit {}", options.limit);
  return out + inputs.aws;
}

}  // namespace trainwarden::cli
