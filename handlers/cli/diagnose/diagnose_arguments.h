// The arguments of `trainwarden diagnose`: either a file of lines, or a job to ask AWS about.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "handlers/cli/access/aws_access.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct DiagnoseArguments {
  std::string job = {};    // empty: read lines from the file
  std::string file = "-";  // lines; `-`: standard input
  bool why = false;
  std::optional<rules::Policy> policy = {};
  AwsOptions aws = {};

  std::span<const rules::OwnSignature> own() const {
    return policy ? policy->failures() : std::span<const rules::OwnSignature>();
  }
};

// Parses everything after the command's name and reads the policy. An argument with a dot or a
// slash, which no job's name has, is a file. kInvalidInput for arguments that the command does not
// take, kInvalidPolicy for an invalid policy.
Result<DiagnoseArguments> read_diagnose(std::span<char* const> arguments);

}  // namespace trainwarden::cli
