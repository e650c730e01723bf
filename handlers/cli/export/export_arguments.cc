#include "handlers/cli/export/export_arguments.h"

#include <fmt/core.h>

#include <string_view>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/terminal/command_line.h"
#include "handlers/cli/terminal/text.h"
#include "runtime/base/day.h"
#include "runtime/base/digits.h"

namespace trainwarden::cli {
namespace {

constexpr std::string_view kToFile = "a file, --out FILE";
constexpr std::string_view kToStandardOutput = "standard output";

Result<void> check_export(const ExportInputs& inputs, const GivenOptions& given) {
  if (inputs.policy_name.empty())
    return wrong_argument("expected --for POLICY: it decides what is fetched");
  return inputs.out.empty()
             ? given.check_form(kToStandardOutput, "standard output goes on with --after DAY")
             : given.check_form(kToFile, "a file goes on with --resume");
}

}  // namespace

Result<std::chrono::seconds> read_span(std::string_view text) {
  constexpr std::chrono::days kLongest{455};
  const auto wrong = [&] {
    return wrong_argument(
        fmt::format("expected days such as 90d (hours h, weeks w; at most {} days), found `{}`",
                    kLongest.count(), text));
  };
  if (text.empty()) return wrong();
  const auto count = whole_number(text.substr(0, text.size() - 1), 1);
  if (!count || *count > 100'000) return wrong();
  std::chrono::seconds unit{};
  switch (text.back()) {
    case 'h':
      unit = std::chrono::hours(1);
      break;
    case 'd':
      unit = std::chrono::days(1);
      break;
    case 'w':
      unit = std::chrono::weeks(1);
      break;
    default:
      return wrong();
  }
  if (unit * *count > kLongest) return wrong();
  return unit * *count;
}

Result<std::chrono::sys_days> read_day(std::string_view text) {
  if (const auto begin = parse_rfc3339_day(text))
    return std::chrono::floor<std::chrono::days>(*begin);
  return wrong_argument(fmt::format("expected a day such as 2026-11-20, found `{}`", text));
}

Result<ExportInputs> read_export(std::span<char* const> arguments) {
  ExportInputs out;
  out.aws.patient = true;
  const auto take_policy = [&out](const std::string& value) -> Result<void> {
    out.policy_name = value;
    TRY(out.policy, read_argument(value));
    return {};
  };
  const auto take_last = [&out](const std::string& value) -> Result<void> {
    out.last = value;
    TRY(out.span, read_span(value));
    return {};
  };
  const auto take_after = [&out](const std::string& value) -> Result<void> {
    TRY(out.after, read_day(value));
    return {};
  };
  TRY(const GivenOptions given,
      read_arguments(arguments, aws_options(out.aws, {{"--for", take_policy},
                                                      {"--last", take_last},
                                                      {"--after", take_after, kToStandardOutput},
                                                      {"--out", &out.out},
                                                      {"--resume", &out.resume, kToFile}})));
  CHECK_OK(check_export(out, given));
  return out;
}

std::string command_to_go_on(const ExportInputs& inputs, std::optional<std::chrono::sys_days> day) {
  std::string out = fmt::format("trainwarden export --for {} --last {}",
                                shell_word(inputs.policy_name), inputs.last);
  if (!inputs.out.empty()) out += fmt::format(" --out {} --resume", shell_word(inputs.out));
  out += inputs.aws.text();
  if (!inputs.out.empty()) return out;
  if (day) out += fmt::format(" --after {}", rfc3339_day(*day));
  return out + " >> FILE";
}

}  // namespace trainwarden::cli
