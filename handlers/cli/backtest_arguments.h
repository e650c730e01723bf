// What `trainwarden backtest` is given.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "handlers/cli/findings_form.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

struct BacktestInputs {
  std::string policy_name = {};  // as it was given
  std::string policy = {};       // its text
  std::string against_name = {};
  std::string against = {};  // the text of the policy that it is compared with
  std::string file = "-";    // an export; `-`: standard input
  std::optional<std::size_t> max_wrong = {};
  FindingsForm form = {};
};

// Everything after the command's name; the policies are read. kInvalidInput for what is no use of
// it.
Result<BacktestInputs> read_backtest(std::vector<char*> arguments);

}  // namespace trainwarden::cli
