// The arguments of `trainwarden backtest`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "handlers/cli/backtest/findings_form.h"
#include "runtime/base/result.h"

namespace trainwarden::cli {

// A bound on how many jobs of an export a policy may stop: "12", or "2.5%" of them.
struct MostStopped {
  double most = 0;
  bool is_share = false;  // of 100

  bool allows(std::size_t stopped, std::size_t jobs) const {
    return static_cast<double>(stopped) <=
           (is_share ? most * static_cast<double>(jobs) / 100 : most);
  }
};

struct BacktestInputs {
  std::string policy_name = {};  // as it was given
  std::string policy = {};       // its text
  std::string against_name = {};
  std::string against = {};  // text of the policy to compare with
  std::string file = "-";    // an export; `-`: standard input
  std::optional<std::size_t> max_wrong = {};
  std::optional<MostStopped> max_stopped = {};
  std::string max_stopped_text = {};  // as it was given
  FindingsForm form = {};
};

// Parses everything after the command's name and reads the policies. kInvalidInput for arguments
// that the command does not take.
Result<BacktestInputs> read_backtest(std::span<char* const> arguments);

}  // namespace trainwarden::cli
