// The arguments of `trainwarden export`.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "handlers/cli/access/aws_access.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

struct ExportInputs {
  std::string policy_name;  // as it was given
  std::string policy;       // its text
  std::string last = "90d";
  std::chrono::seconds span = std::chrono::days(90);
  std::optional<std::chrono::sys_days> after = {};  // last day that was exported already
  std::string out = {};                             // empty: standard output
  bool resume = false;
  AwsOptions aws = {};
};

// Parses everything after the command's name and reads the policy. kInvalidInput for arguments that
// the command does not take.
Result<ExportInputs> read_export(std::span<char* const> arguments);

// "90d", "12h", "2w": at most as long as CloudWatch keeps any data.
Result<std::chrono::seconds> read_span(std::string_view text);
// "2026-11-20"
Result<std::chrono::sys_days> read_day(std::string_view text);

// The command that continues an export which is complete up to that day (nullopt: no day is). An
// export to standard output is continued with `>> FILE`, which only the user knows.
std::string command_to_go_on(const ExportInputs& inputs, std::optional<std::chrono::sys_days> day);

}  // namespace trainwarden::cli
