#include "handlers/cli/backtest/backtest_arguments.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/files/output_file.h"
#include "handlers/cli/terminal/command_line.h"
#include "runtime/base/digits.h"

namespace trainwarden::cli {
namespace {

constexpr std::array<std::string_view, 4> kBacktestOptionNames = {"--against", "--max-wrong",
                                                                  "--html", "--json"};

std::unexpected<Error> not_for_backtest(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

Result<void> take_backtest_option(std::string_view option, const std::string& value,
                                  BacktestInputs& out) {
  if (option == "--html") {
    out.form.html = value;
  } else if (option == "--against") {
    auto text = read_argument(value);
    if (!text) return fail(std::move(text).error().in(option));
    out.against_name = value;
    out.against = *std::move(text);
  } else {
    const auto most = whole_number(value, 0);
    if (!most)
      return not_for_backtest(
          fmt::format("--max-wrong: expected a number of stops such as 0, found `{}`", value));
    out.max_wrong = static_cast<std::size_t>(*most);
  }
  return {};
}

Result<void> check_backtest(const BacktestInputs& inputs, std::size_t names) {
  if (names == 0) return not_for_backtest("expected POLICY and the file of an export");
  CHECK_OK(check_form(inputs.form));
  if (!inputs.against.empty() && !inputs.form.html.empty())
    return not_for_form("--against", "text or --json", "a page shows one policy");
  if (inputs.policy_name == "-" && inputs.file == "-")
    return not_for_backtest("standard input is the policy or the export, not both");
  if (inputs.form.html.empty()) return {};
  CHECK_OK(check_page_name("--html", inputs.form.html));
  const std::array read{inputs.file, inputs.policy_name};
  return check_not_an_input("--html", inputs.form.html, read);
}

}  // namespace

Result<BacktestInputs> read_backtest(std::vector<char*> arguments) {
  BacktestInputs out;
  std::size_t names = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    if (option == "--json") {
      out.form.json = true;
      continue;
    }
    if (option == "-" || !option.starts_with('-')) {
      if (option.empty()) return empty_argument("POLICY and one export");
      if (names == 2) return one_too_many("POLICY and one export", option);
      if (names++ == 0)
        out.policy_name = option;
      else
        out.file = option;
      continue;
    }
    if (option != "--against" && option != "--max-wrong" && option != "--html")
      return unknown_option(option, kBacktestOptionNames);
    ++i;
    if (i == arguments.size() || std::string_view(arguments[i]).empty()) return needs_value(option);
    CHECK_OK(take_backtest_option(option, arguments[i], out));
  }
  CHECK_OK(check_backtest(out, names));
  TRY(out.policy, read_argument(out.policy_name));
  return out;
}

}  // namespace trainwarden::cli
