#include "handlers/cli/check/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "handlers/cli/check/check_remarks.h"
#include "handlers/cli/files/inputs.h"
#include "handlers/cli/terminal/amounts.h"
#include "handlers/cli/terminal/command_line.h"
#include "handlers/cli/terminal/indented.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::cli {
namespace {

using CheckRemarks = std::vector<CheckRemark>;

std::size_t count_of(const CheckRemarks& remarks, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(remarks, severity, &CheckRemark::severity));
}

std::size_t strict_warnings(const CheckRemarks& remarks) {
  return static_cast<std::size_t>(std::ranges::count_if(remarks, [](const CheckRemark& remark) {
    return remark.severity == Severity::kWarning && !remark.is_hint;
  }));
}

// The form "FILE:LINE:COLUMN: error: ..." is understood by many tools.
std::string check_line(const CheckRemark& remark, const CheckInputs& inputs) {
  constexpr std::size_t kIndent = 4;
  const std::string line = printable(fmt::format(
      "{}:{}:{}: {}: {}{}{}", inputs.path, remark.at.line, remark.at.column, name(remark.severity),
      remark.shown, remark.shown.empty() ? "" : ": ", remark.message));
  return wrapped(line, inputs.screen.columns, kIndent);
}

std::string check_lines(const CheckRemarks& remarks, Severity severity, const CheckInputs& inputs) {
  std::string out;
  for (const CheckRemark& remark : remarks)
    if (remark.severity == severity) out += check_line(remark, inputs) + '\n';
  return out;
}

void write_remark(json::Sink& sink, const CheckRemark& remark) {
  sink.begin_object().member("severity", name(remark.severity)).member("path", remark.path);
  if (remark.rule) sink.member("rule", *remark.rule);
  sink.member("line", remark.at.line).member("column", remark.at.column);
  if (remark.is_hint) sink.member("strict", false);
  sink.member("message", remark.message).end_object();
}

std::string document_of(const CheckRemarks& remarks) {
  struct List {
    std::string_view name;
    Severity severity;
  };
  static constexpr std::array<List, 3> kLists = {
      {{"errors", Severity::kError}, {"warnings", Severity::kWarning}, {"notes", Severity::kNote}}};
  const json::Document document = json::Document::build([&remarks](json::Sink& sink) {
    sink.begin_object();
    for (const List& list : kLists) {
      sink.key(list.name).begin_array();
      for (const CheckRemark& remark : remarks)
        if (remark.severity == list.severity) write_remark(sink, remark);
      sink.end_array();
    }
    sink.end_object();
  });
  return printable_lines(indented(document.root()));
}

std::string check_summary(const CheckRemarks& remarks, const rules::Policy* policy,
                          const CheckInputs& inputs) {
  const std::string path = printable(inputs.path);
  const std::size_t errors = count_of(remarks, Severity::kError);
  if (policy == nullptr || errors != 0) {
    const bool all = errors < rules::kMaxErrors;
    return fmt::format("{}: {}{}\n", path, counted(errors, "error", "errors"),
                       all ? "" : " or more: the rest was not read");
  }
  const std::size_t warnings = strict_warnings(remarks);
  if (inputs.strict && warnings != 0)
    return fmt::format("{}: {}, which --strict takes for mistakes\n", path,
                       counted(warnings, "warning", "warnings"));
  return fmt::format("{}: sound; {}, mode {}, hash {}\n", path,
                     counted(policy->rules().size(), "rule", "rules"), rules::name(policy->mode()),
                     policy->hash());
}

}  // namespace

Result<CheckInputs> read_check(std::span<char* const> arguments) {
  CheckInputs out;
  CHECK_OK(read_arguments(arguments, {{"--strict", &out.strict}, {"--json", &out.json}},
                          {"one file", {&out.path}, /*takes_standard_input=*/true}));
  if (out.path.empty()) return wrong_argument("expected one file");
  return out;
}

Printed check(const CheckInputs& inputs) {
  const auto text = read_file_or_input(inputs.path);
  if (!text) return {2, {}, fmt::format("trainwarden: {}\n", printable(text.error().message))};
  CheckRemarks remarks = mistakes_of(*text);
  const auto policy = rules::parse_policy(*text);
  if (policy) remarks = doubts_of(*policy, *text);
  Printed printed;
  const bool refused = count_of(remarks, Severity::kError) != 0;
  const bool doubtful = inputs.strict && strict_warnings(remarks) != 0;
  printed.status = refused || doubtful ? 1 : 0;
  if (inputs.json) {
    printed.output = document_of(remarks);
    return printed;
  }
  printed.output = check_lines(remarks, Severity::kError, inputs) +
                   check_lines(remarks, Severity::kWarning, inputs) +
                   check_summary(remarks, policy ? &*policy : nullptr, inputs) +
                   check_lines(remarks, Severity::kNote, inputs);
  return printed;
}

}  // namespace trainwarden::cli
