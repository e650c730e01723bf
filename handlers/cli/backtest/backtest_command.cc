#include "handlers/cli/backtest/backtest_command.h"

#include <fmt/core.h>

#include <iostream>
#include <sstream>
#include <utility>

#include "handlers/cli/backtest/findings_changes.h"
#include "handlers/cli/backtest/findings_form.h"
#include "handlers/cli/backtest/replay_export.h"
#include "handlers/cli/files/input_lines.h"
#include "handlers/rules/backtest/totals.h"

namespace trainwarden::cli {
namespace {

Printed no_backtest(int status, const Error& error) {
  return {status, {}, fmt::format("trainwarden: backtest: {}\n", printable(error.message))};
}

Result<rules::Findings> replay_for(const std::string& name, const rules::Policy& policy,
                                   std::istream& lines) {
  lines.clear();
  if (lines.tellg() != std::istream::pos_type(-1)) lines.seekg(0);
  ReplayOptions options;
  options.policy_name = name;
  return replay_export(lines, &policy, options);
}

std::string comparison_of_policies(const rules::Findings& before, const rules::Findings& after,
                                   const FindingsForm& form) {
  if (!form.json) {
    Page page(form.screen);
    print_changes(before, after, page);
    return page.take();
  }
  json::Writer writer;
  writer.begin_object();
  write_changes(writer, before, after);
  writer.end_object();
  return printable(writer.take()) + "\n";
}

// Too many wrong stops count as a mistake of the policy, for a pipeline that checks it before it is
// deployed.
void judge_wrong(const rules::Findings& findings, std::optional<std::size_t> most, Printed& out) {
  if (!most) return;
  const rules::Totals totals = rules::totals_of(findings);
  const std::size_t wrong = totals.of(rules::StopVerdict::kWrong).stops + totals.wrong_restarts;
  if (wrong <= *most) return;
  out.status = 1;
  out.error += fmt::format("trainwarden: backtest: {} stops are wrong, and --max-wrong allows {}\n",
                           wrong, *most);
}

Printed replay_and_print(const BacktestInputs& inputs, const rules::Policy& policy,
                         const std::optional<rules::Policy>& against, std::istream& lines) {
  const auto after = replay_for(inputs.policy_name, policy, lines);
  if (!after) return no_backtest(2, Error(after.error()).in(inputs.file));
  if (inputs.max_wrong && after->jobs.empty())
    return no_backtest(2, {ErrorCode::kInvalidInput,
                           fmt::format("{}: expected jobs to judge the policy by, for --max-wrong, "
                                       "found none",
                                       inputs.file)});
  Printed out;
  if (against) {
    const auto before = replay_for(inputs.against_name, *against, lines);
    if (!before) return no_backtest(2, Error(before.error()).in(inputs.file));
    out.output = comparison_of_policies(*before, *after, inputs.form);
  } else {
    auto output = output_of(*after, inputs.form);
    if (!output) return no_backtest(2, output.error());
    out.output = *std::move(output);
  }
  judge_wrong(*after, inputs.max_wrong, out);
  return out;
}

}  // namespace

Printed backtest(const BacktestInputs& inputs) {
  const auto policy = rules::parse_policy(inputs.policy);
  if (!policy) return no_backtest(1, Error(policy.error()).in(inputs.policy_name));
  std::optional<rules::Policy> against;
  if (!inputs.against_name.empty()) {
    auto other = rules::parse_policy(inputs.against);
    if (!other) return no_backtest(1, Error(other.error()).in(inputs.against_name));
    against = *std::move(other);
  }
  if (inputs.file == "-") {
    if (!against) return replay_and_print(inputs, *policy, against, std::cin);
    std::stringstream kept;  // the other policy reads it again
    kept << std::cin.rdbuf();
    return replay_and_print(inputs, *policy, against, kept);
  }
  auto lines = open_lines(inputs.file);
  if (!lines) return no_backtest(2, lines.error());
  if (lines->peek() == std::ifstream::traits_type::eof())
    return no_backtest(2,
                       {ErrorCode::kInvalidInput,
                        fmt::format("{}: expected an export, found an empty file", inputs.file)});
  return replay_and_print(inputs, *policy, against, *lines);
}

}  // namespace trainwarden::cli
