#include "handlers/cli/backtest/backtest_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

#include "handlers/cli/backtest/findings_changes.h"
#include "handlers/cli/backtest/findings_form.h"
#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/backtest/replay_export.h"
#include "handlers/cli/export/export_reader.h"
#include "handlers/cli/files/input_lines.h"
#include "handlers/cli/terminal/amounts.h"
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
  const std::size_t wrong = totals.wrong_with_behind();
  if (wrong <= *most) return;
  const std::size_t behind = wrong - totals.wrong();
  out.status = 1;
  out.error +=
      fmt::format("trainwarden: backtest: {}{}, and --max-wrong allows {}\n",
                  counted(wrong, "stop is wrong", "stops are wrong"),
                  behind == 0 ? "" : fmt::format(" ({} behind another stop)", behind), *most);
}

// The rules that ask first for most stops, with how many: "needs-project 603, no-p5 12".
std::string first_to_ask(const rules::Findings& findings, const rules::Totals& totals) {
  constexpr std::size_t kNamed = 3;
  std::vector<rules::RuleTotal> ordered = totals.rules;
  std::ranges::stable_sort(ordered, std::greater{}, &rules::RuleTotal::asked);
  std::string out;
  for (std::size_t i = 0; i < std::min(ordered.size(), kNamed) && ordered[i].asked > 0; ++i)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", rule_name(findings, ordered[i].rule),
                       ordered[i].asked);
  return out;
}

// So does a policy that stops too many jobs, whatever is right or wrong about each. Limits do not
// count, since they only delay.
void judge_stopped(const rules::Findings& findings, const BacktestInputs& inputs, Printed& out) {
  if (!inputs.max_stopped) return;
  const rules::Totals totals = rules::totals_of(findings);
  const std::size_t stopped = totals.stopped.jobs;
  if (inputs.max_stopped->allows(stopped, totals.all.jobs)) return;
  out.status = 1;
  out.error += fmt::format(
      "trainwarden: backtest: {} of {} would have been stopped ({}), and --max-stopped allows {}\n",
      number_text(stopped), counted(totals.all.jobs, "job", "jobs"),
      printable(first_to_ask(findings, totals)), inputs.max_stopped_text);
  for (const rules::MissingKey& missing : findings.missing_keys)
    out.error +=
        fmt::format("trainwarden: backtest: misspelt? {}\n", printable(missing_key_text(missing)));
}

Printed replay_and_print(const BacktestInputs& inputs, const rules::Policy& policy,
                         const std::optional<rules::Policy>& against, std::istream& lines) {
  const auto after = replay_for(inputs.policy_name, policy, lines);
  if (!after) return no_backtest(2, Error(after.error()).in(inputs.file));
  if ((inputs.max_wrong || inputs.max_stopped) && after->jobs.empty())
    return no_backtest(
        2, {ErrorCode::kInvalidInput,
            fmt::format("{}: expected jobs to judge the policy by, for {}, found none", inputs.file,
                        inputs.max_wrong ? "--max-wrong" : "--max-stopped")});
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
  judge_stopped(*after, inputs, out);
  return out;
}

}  // namespace

Printed backtest(const BacktestInputs& inputs) {
  const auto policy = rules::parse_policy(inputs.policy);
  if (!policy && read_header_line(inputs.policy.substr(0, inputs.policy.find('\n'))))
    return no_backtest(2, {ErrorCode::kInvalidInput,
                           fmt::format("{} is an export: expected the policy first, and the export "
                                       "behind it",
                                       inputs.policy_name)});
  if (!policy) return no_backtest(1, Error(policy.error()).in(inputs.policy_name));
  std::optional<rules::Policy> against;
  if (!inputs.against_name.empty()) {
    auto other = rules::parse_policy(inputs.against);
    if (!other) return no_backtest(1, Error(other.error()).in(inputs.against_name));
    against = *std::move(other);
  }
  auto lines = open_lines(inputs.file);
  if (!lines) return no_backtest(2, lines.error());
  if (inputs.file == "-") {
    if (!against) return replay_and_print(inputs, *policy, against, **lines);
    std::stringstream kept;  // the other policy reads it again
    kept << (*lines)->rdbuf();
    return replay_and_print(inputs, *policy, against, kept);
  }
  if ((*lines)->peek() == std::istream::traits_type::eof())
    return no_backtest(2,
                       {ErrorCode::kInvalidInput,
                        fmt::format("{}: expected an export, found an empty file", inputs.file)});
  return replay_and_print(inputs, *policy, against, **lines);
}

}  // namespace trainwarden::cli
