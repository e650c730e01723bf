#include "handlers/cli/backtest/backtest_arguments.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/files/output_file.h"
#include "handlers/cli/terminal/command_line.h"
#include "runtime/base/digits.h"

namespace trainwarden::cli {
namespace {

constexpr std::string_view kAsText = "text or --json";

Result<std::size_t> read_most_wrong(const std::string& value) {
  if (const auto most = whole_number(value, 0)) return static_cast<std::size_t>(*most);
  return wrong_argument(fmt::format("expected a number of stops such as 0, found `{}`", value));
}

Result<MostStopped> read_most_stopped(const std::string& value) {
  constexpr double kWhole = 100;
  std::string_view digits = value;
  const bool is_share = digits.ends_with('%');
  if (is_share) digits.remove_suffix(1);
  double most = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, most, std::chars_format::fixed);
  const bool whole = digits.find('.') == digits.npos;
  if (digits.find_first_not_of("0123456789.") == digits.npos && read.ec == std::errc() &&
      read.ptr == end && (is_share ? most <= kWhole : whole))
    return MostStopped{most, is_share};
  return wrong_argument(
      fmt::format("expected a number of jobs such as 12, or a share of them such as 5%, found "
                  "`{}`",
                  value));
}

Result<void> check_backtest(const BacktestInputs& inputs, const GivenOptions& given) {
  if (inputs.policy_name.empty())
    return wrong_argument("expected POLICY and the file of an export");
  CHECK_OK(check_form(inputs.form));
  if (inputs.policy_name == "-" && inputs.file == "-")
    return wrong_argument("standard input is the policy or the export, not both");
  if (inputs.form.html.empty()) return {};
  CHECK_OK(given.check_form("a page", "a page shows one policy"));
  CHECK_OK(check_page_name("--html", inputs.form.html));
  const std::array read{inputs.file, inputs.policy_name};
  return check_not_an_input("--html", inputs.form.html, read);
}

}  // namespace

Result<BacktestInputs> read_backtest(std::span<char* const> arguments) {
  BacktestInputs out;
  const auto take_against = [&out](const std::string& value) -> Result<void> {
    out.against_name = value;
    TRY(out.against, read_argument(value));
    return {};
  };
  const auto take_most_wrong = [&out](const std::string& value) -> Result<void> {
    TRY(out.max_wrong, read_most_wrong(value));
    return {};
  };
  const auto take_most_stopped = [&out](const std::string& value) -> Result<void> {
    out.max_stopped_text = value;
    TRY(out.max_stopped, read_most_stopped(value));
    return {};
  };
  TRY(const GivenOptions given, read_arguments(arguments,
                                               {{"--against", take_against, kAsText},
                                                {"--max-wrong", take_most_wrong},
                                                {"--max-stopped", take_most_stopped},
                                                {"--html", &out.form.html},
                                                {"--json", &out.form.json}},
                                               {"POLICY and one export",
                                                {&out.policy_name, &out.file},
                                                /*takes_standard_input=*/true}));
  CHECK_OK(check_backtest(out, given));
  TRY(out.policy, read_argument(out.policy_name));
  return out;
}

}  // namespace trainwarden::cli
