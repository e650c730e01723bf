// What `trainwarden diagnose` is given: lines, or a job that AWS is asked about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "handlers/cli/aws_access.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct DiagnoseArguments {
  std::string job = {};    // empty: lines
  std::string file = "-";  // of lines; standard input
  bool why = false;
  std::optional<rules::Policy> policy = {};
  AwsOptions aws = {};

  std::span<const rules::OwnSignature> own() const {
    return policy ? policy->failures() : std::span<const rules::OwnSignature>();
  }
};

// Everything after the command's name; the policy is read. A name with a dot or a slash, which no
// job has, is a file's. kInvalidInput for what is no use of it, kInvalidPolicy for a wrong policy.
Result<DiagnoseArguments> read_diagnose(std::vector<char*> arguments);

}  // namespace trainwarden::cli
