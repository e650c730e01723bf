// P2: the loader's half of policy_cases.json. The schema's is policy_schema_test.py.
#include <gtest/gtest.h>

#include <string>

#include "handlers/rules/policy/policy.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::policy_cases_test {
namespace {

TEST(PolicyCasesP2, TheLoaderSaysWhatTheTableSays) {
  const json::Document cases =
      test::doc(test::read_file("tests/handlers/rules/policy/policy_cases.json"));
  ASSERT_GT(cases.root().size(), 100U);
  for (json::Value c : cases.root().elements()) {
    const auto policy = parse_policy(json::to_text(*c.find("policy")));
    EXPECT_EQ(policy.has_value(), c.find("loader")->as_boolean())
        << c.find("why")->as_string() << (policy ? "" : ": " + policy.error().message);
  }
}

}  // namespace
}  // namespace trainwarden::rules::policy_cases_test
