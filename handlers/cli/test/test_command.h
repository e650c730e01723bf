// `trainwarden test POLICY CASES`: checks case by case whether the policy decides what is expected
// (policy.md T1-T4). Makes no calls.
#pragma once

#include <istream>
#include <string>

#include "handlers/cli/terminal/text.h"

namespace trainwarden::cli {

struct TestInputs {
  std::string policy_name = {};  // as it was given
  std::string policy = {};       // its text
  std::string file = {};         // the cases; `-`: standard input
  std::string junit = {};        // file for results as XML; empty: none
  Screen screen = {.columns = Screen::kUnbroken};
};

// Status 0: all cases pass; 1: one fails; 2: there is a mistake in the policy, the cases or their
// file, or the results cannot be written.
Printed test_policy(const TestInputs& inputs);
// The same for cases from an open stream; inputs.file is its name in messages.
Printed test_policy(const TestInputs& inputs, std::istream& lines);

}  // namespace trainwarden::cli
