// The arguments of `trainwarden backtest`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "handlers/cli/backtest/findings_form.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct BacktestInputs {
  std::string policy_name = {};  // as it was given
  std::string policy = {};       // its text
  std::string against_name = {};
  std::string against = {};  // text of the policy to compare with
  std::string file = "-";    // an export; `-`: standard input
  std::optional<std::size_t> max_wrong = {};
  FindingsForm form = {};
};

// Parses everything after the command's name and reads the policies. kInvalidInput for arguments
// that the command does not take.
Result<BacktestInputs> read_backtest(std::span<char* const> arguments);

}  // namespace trainwarden::cli
