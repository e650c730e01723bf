#include "handlers/cli/report/report_arguments.h"

#include <fmt/core.h>

#include <array>
#include <string_view>

#include "handlers/cli/files/inputs.h"
#include "handlers/cli/files/output_file.h"
#include "handlers/cli/terminal/command_line.h"

namespace trainwarden::cli {
namespace {

// Part of the suggested command to go on, which the user may paste into a shell as it is.
constexpr std::string_view kFailuresOnly =
    R"({"version": 1, "rules": [{"name": "failures", "match": {"failure": {"label": [{"exists": true}]}}, "actions": ["notify"]}]})";
constexpr std::string_view kOwnExport = "jobs.jsonl";

constexpr std::string_view kOfAws = "what AWS is asked";

Result<void> check_report(const ReportInputs& inputs, const GivenOptions& given) {
  CHECK_OK(check_form(inputs.form));
  if (!inputs.file.empty()) CHECK_OK(given.check_form("an export", "the file has its own days"));
  if (inputs.form.html.empty()) return {};
  CHECK_OK(check_page_name("--html", inputs.form.html));
  const std::array read{inputs.file, inputs.wanted.policy_name};
  return check_not_an_input("--html", inputs.form.html, read);
}

}  // namespace

Result<ReportInputs> read_report(std::span<char* const> arguments) {
  ReportInputs out;
  out.wanted.aws.patient = true;
  out.wanted.out = kOwnExport;
  out.wanted.policy_name = out.wanted.policy = kFailuresOnly;
  const auto take_policy = [&out](const std::string& value) -> Result<void> {
    out.has_policy = true;
    out.wanted.policy_name = value;
    TRY(out.wanted.policy, read_argument(value));
    return {};
  };
  const auto take_last = [&out](const std::string& value) -> Result<void> {
    out.wanted.last = value;
    TRY(out.wanted.span, read_span(value));
    return {};
  };
  TRY(const GivenOptions given,
      read_arguments(arguments,
                     aws_options(out.wanted.aws, {{"--policy", take_policy},
                                                  {"--last", take_last, kOfAws},
                                                  {"--html", &out.form.html},
                                                  {"--json", &out.form.json}}),
                     {"one export", {&out.file}, /*takes_standard_input=*/true}));
  CHECK_OK(check_report(out, given));
  return out;
}

}  // namespace trainwarden::cli
