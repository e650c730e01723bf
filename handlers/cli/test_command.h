// `trainwarden test POLICY CASES`: whether the policy comes to what a person expects, case by case
// (policy.md T1-T4). Asks nobody.
#pragma once

#include <istream>
#include <string>

#include "handlers/cli/text.h"

namespace trainwarden::cli {

struct TestInputs {
  std::string policy_name = {};  // as it was given
  std::string policy = {};       // its text
  std::string file = {};         // the cases; `-`: standard input
  std::string junit = {};        // where the results go as XML; empty: nowhere
  Screen screen = {.columns = Screen::kUnbroken};
};

// Status 0: all cases pass; 1: one fails; 2: there is a mistake in the policy, the cases or their
// file, or the results cannot be written.
Printed test_policy(const TestInputs& inputs);
// Of lines that are open; inputs.file names them.
Printed test_policy(const TestInputs& inputs, std::istream& lines);

}  // namespace trainwarden::cli
