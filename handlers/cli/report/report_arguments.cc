#include "handlers/cli/report/report_arguments.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/files/output_file.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {
namespace {

// Part of the suggested command to go on, which the user may paste into a shell as it is.
constexpr std::string_view kFailuresOnly =
    R"({"version": 1, "rules": [{"name": "failures", "match": {"failure": {"label": [{"exists": true}]}}, "actions": ["notify"]}]})";
constexpr std::string_view kOwnExport = "jobs.jsonl";

constexpr std::array<std::string_view, 4> kReportOptionNames = {"--policy", "--last", "--html",
                                                                "--json"};

Result<void> take_report_option(std::string_view option, const std::string& value,
                                ReportInputs& out) {
  if (option == "--html") {
    out.form.html = value;
  } else if (option == "--last") {
    auto span = read_span(value);
    if (!span) return fail(std::move(span).error().in(option));
    out.wanted.last = value;
    out.wanted.span = *span;
  } else {
    auto text = read_argument(value);
    if (!text) return fail(std::move(text).error().in(option));
    out.has_policy = true;
    out.wanted.policy_name = value;
    out.wanted.policy = *std::move(text);
  }
  return {};
}

Result<void> check_report(const ReportInputs& inputs, bool has_span) {
  CHECK_OK(check_form(inputs.form));
  if (!inputs.file.empty() && has_span)
    return not_for_form("--last", "what AWS is asked", "the file has its own days");
  if (inputs.form.html.empty()) return {};
  CHECK_OK(check_page_name("--html", inputs.form.html));
  const std::array read{inputs.file, inputs.wanted.policy_name};
  return check_not_an_input("--html", inputs.form.html, read);
}

}  // namespace

Result<ReportInputs> read_report(std::vector<char*> arguments) {
  ReportInputs out;
  TRY(out.wanted.aws, take_aws_options(arguments));
  out.wanted.aws.patient = true;
  out.wanted.out = kOwnExport;
  out.wanted.policy_name = out.wanted.policy = kFailuresOnly;
  bool has_span = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    if (option == "--json") {
      out.form.json = true;
      continue;
    }
    if (option == "-" || !option.starts_with('-')) {
      if (!out.file.empty()) return one_too_many("one export", option);
      if (option.empty()) return empty_argument("one export");
      out.file = option;
      continue;
    }
    if (option != "--policy" && option != "--last" && option != "--html")
      return unknown_option(option, kReportOptionNames);
    ++i;
    if (i == arguments.size() || std::string_view(arguments[i]).empty()) return needs_value(option);
    CHECK_OK(take_report_option(option, arguments[i], out));
    has_span = has_span || option == "--last";
  }
  CHECK_OK(check_report(out, has_span));
  return out;
}

}  // namespace trainwarden::cli
