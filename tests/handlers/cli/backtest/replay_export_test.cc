// What a replay says of the policy itself, whatever the export holds.
#include "handlers/cli/backtest/replay_export.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "handlers/cli/export/export_lines.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::cli::replay_export_test {
namespace {

// Of a rule with that match, on an export without jobs.
bool rests_on_tags(std::string_view match) {
  const rules::Policy policy = rules::test::policy(fmt::format(
      R"({{"version": 1, "rules": [{{"name": "r", "match": {}, "actions": ["stop"]}}]}})", match));
  std::istringstream lines(header_line({}) + "\n" + end_line(0) + "\n");
  const auto findings = replay_export(lines, &policy, {});
  EXPECT_TRUE(findings) << (findings ? "" : findings.error().message);
  return findings && findings->rules.at(0).rests_on_tags;
}

TEST(ReplayExport, ARuleOnATagThatIsMissingRestsOnTags) {
  for (const std::string_view match :
       {R"({"tags": {"team": [{"exists": false}]}})", R"({"tags": {"team": ["vision"]}})",
        R"({"until": {"keep": [{"exists": false}]}})", R"({"lineage": {"parent": ["a"]}})",
        R"([{"job": {"RoleArn": ["a"]}}, {"tags": {"team": [{"exists": false}]}}])"})
    EXPECT_TRUE(rests_on_tags(match)) << match;
}

TEST(ReplayExport, ARuleOnTheJobAloneDoesNotRestOnTags) {
  for (const std::string_view match : {R"({"job": {"RoleArn": [{"exists": false}]}})",
                                       R"({"cost": {"spent_usd": [{"numeric": [">", 9]}]}})",
                                       R"({"resources": {"gpus": [{"numeric": [">", 8]}]}})"})
    EXPECT_FALSE(rests_on_tags(match)) << match;
}

}  // namespace
}  // namespace trainwarden::cli::replay_export_test
