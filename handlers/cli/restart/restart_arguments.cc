#include "handlers/cli/restart/restart_arguments.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>

#include "handlers/cli/terminal/command_line.h"
#include "handlers/rules/job/instance_types.h"
#include "runtime/base/digits.h"

namespace trainwarden::cli {
namespace {

Result<bool> read_bool(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  return wrong_argument(fmt::format("expected true or false, found `{}`", text));
}

Result<std::int64_t> read_limit(std::string_view text) {
  if (const auto limit = whole_number(text, 1)) return *limit;
  return wrong_argument(fmt::format("expected a number of generations, found `{}`", text));
}

Result<std::string> read_instance_type(const std::string& text) {
  if (rules::is_instance_type(text)) return text;
  return wrong_argument(fmt::format("expected {}, found `{}`{}", rules::kInstanceTypeForm, text,
                                    rules::did_you_mean_type(text)));
}

}  // namespace

Result<RestartInputs> read_restart(std::span<char* const> arguments) {
  RestartInputs inputs;
  const auto take_spot = [&inputs](const std::string& value) -> Result<void> {
    TRY(inputs.options.spot, read_bool(value));
    return {};
  };
  const auto take_type = [&inputs](const std::string& value) -> Result<void> {
    TRY(std::string type, read_instance_type(value));
    inputs.options.instance_types = {std::move(type)};
    return {};
  };
  const auto take_limit = [&inputs](const std::string& value) -> Result<void> {
    TRY(inputs.options.limit, read_limit(value));
    return {};
  };
  CHECK_OK(read_arguments(arguments,
                          aws_options(inputs.aws, {{"--spot", take_spot},
                                                   {"--instance-type", take_type},
                                                   {"--limit", take_limit},
                                                   {"--dry-run", &inputs.dry_run}}),
                          {"one job", {&inputs.job}}));
  if (inputs.job.empty()) return wrong_argument("expected the name of a training job");
  return inputs;
}

std::string same_command(const RestartInputs& inputs) {
  std::string out = fmt::format("trainwarden restart {}", inputs.job);
  const rules::Restart& options = inputs.options;
  if (options.spot) out += fmt::format(" --spot {}", *options.spot);
  for (const std::string& type : options.instance_types)
    out += fmt::format(" --instance-type {}", type);
  if (options.limit != rules::Restart().limit) out += fmt::format(" --limit {}", options.limit);
  return out + inputs.aws.text();
}

}  // namespace trainwarden::cli
