#include "handlers/cli/export/export_arguments.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/terminal/command_line.h"
#include "handlers/cli/terminal/text.h"
#include "runtime/base/digits.h"

namespace trainwarden::cli {
namespace {

constexpr std::array<std::string_view, 5> kExportOptionNames = {"--for", "--last", "--after",
                                                                "--out", "--resume"};

std::unexpected<Error> not_for_export(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

std::string day_of_export(std::chrono::sys_days day) {
  return rfc3339(sys_seconds(day)).substr(0, 10);
}

Result<void> take_export_option(std::string_view option, const std::string& value,
                                ExportInputs& out) {
  if (option == "--for") {
    auto text = read_argument(value);
    if (!text) return fail(std::move(text).error().in(option));
    out.policy_name = value;
    out.policy = *std::move(text);
  } else if (option == "--last") {
    auto span = read_span(value);
    if (!span) return fail(std::move(span).error().in(option));
    out.last = value;
    out.span = *span;
  } else if (option == "--after") {
    auto day = read_day(value);
    if (!day) return fail(std::move(day).error().in(option));
    out.after = *day;
  } else {
    out.out = value;
  }
  return {};
}

}  // namespace

Result<std::chrono::seconds> read_span(std::string_view text) {
  constexpr std::chrono::days kLongest{455};
  const auto wrong = [&] {
    return not_for_export(
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
  const auto time = parse_rfc3339(fmt::format("{}T00:00:00Z", text));
  if (time) return std::chrono::floor<std::chrono::days>(*time);
  return not_for_export(fmt::format("expected a day such as 2026-11-20, found `{}`", text));
}

Result<ExportInputs> read_export(std::vector<char*> arguments) {
  ExportInputs out;
  TRY(out.aws, take_aws_options(arguments));
  out.aws.patient = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    if (option == "--resume") {
      out.resume = true;
      continue;
    }
    if (option != "--for" && option != "--last" && option != "--after" && option != "--out")
      return option.starts_with('-') ? unknown_option(option, kExportOptionNames)
                                     : options_only(option);
    ++i;
    if (i == arguments.size() || std::string_view(arguments[i]).empty()) return needs_value(option);
    CHECK_OK(take_export_option(option, arguments[i], out));
  }
  if (out.policy_name.empty())
    return not_for_export("expected --for POLICY: it decides what is fetched");
  if (out.resume && out.out.empty())
    return not_for_form("--resume", "a file, --out FILE",
                        "standard output goes on with --after DAY");
  if (out.after && !out.out.empty())
    return not_for_form("--after", "standard output", "a file goes on with --resume");
  return out;
}

std::string command_to_go_on(const ExportInputs& inputs, std::optional<std::chrono::sys_days> day) {
  std::string out = fmt::format("trainwarden export --for {} --last {}",
                                shell_word(inputs.policy_name), inputs.last);
  if (!inputs.out.empty()) out += fmt::format(" --out {} --resume", shell_word(inputs.out));
  out += inputs.aws.text();
  if (!inputs.out.empty()) return out;
  if (day) out += fmt::format(" --after {}", day_of_export(*day));
  return out + " >> FILE";
}

}  // namespace trainwarden::cli
