// Which rules a tag with a far time holds off, by `trainwarden check` (policy.md F15).
#include "handlers/cli/check/until_warnings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/check/check_command.h"
#include "handlers/cli/check/sample_jobs.h"

namespace trainwarden::cli::until_warnings_test {
namespace {

std::vector<std::string> warnings(const std::string& members,
                                  const std::string& actions = R"("stop", "notify")") {
  const auto policy = rules::parse_policy(R"({"version": 1, "rules": [{"name": "r", "actions": [)" +
                                          actions + "], " + members + "}]}");
  if (!policy) throw std::runtime_error(policy.error().message + " in " + members);
  std::vector<std::string> out;
  for (const rules::Remark& warning : until_warnings(*policy)) out.push_back(warning.text());
  return out;
}

std::string exempt(const std::string& unless) {
  return R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "unless": )" + unless;
}

std::string by_tag(const std::string& elements) {
  return R"({"until": {"keep-until": [)" + elements + "]}}";
}

struct Unbounded {
  std::string_view element;
  std::string_view words;
};

constexpr Unbounded kUnbounded[] = {
    {R"({"numeric": [">", 0]})", "a time however far ahead"},
    {R"({"numeric": [">=", -60]})", "a time however far ahead"},
    {R"({"numeric": [">", 0, "<", 1000000000]})", "a time however far ahead"},  // 31 years
    {R"({"exists": true})", "a time however far away"},
    {R"({"anything-but": 0})", "a time however far away"},
    {R"({"anything-but": [1, 2]})", "a time however far away"},
    {R"({"numeric": ["<=", 604800]})", "a time however long past"},
    {R"({"numeric": [">", 0, "<=", 604800]}, {"numeric": [">", 604800]})",
     "a time however far ahead"},
    {R"({"exists": false}, {"numeric": [">", 0]})", "a time however far ahead"},
};

TEST(UntilWarnings, F15_AnExemptionWithoutABound) {
  for (const Unbounded& c : kUnbounded) {
    const auto found = warnings(exempt(by_tag(std::string(c.element))));
    ASSERT_EQ(found.size(), 1U) << c.element;
    EXPECT_TRUE(found[0].starts_with("rules[0] (r): " + std::string(c.words) +
                                     " in the tag `keep-until` exempts a job"))
        << found[0];
  }
}

TEST(UntilWarnings, F15_TheBoundedFormIsSilent) {
  for (const char* element :
       {R"({"numeric": [">", 0, "<=", 604800]})", R"({"numeric": [">=", 0, "<", 86400]})",
        R"({"numeric": [">", -3600, "<=", 2592000]})", "60",
        R"({"numeric": [">", 0, "<=", 3600]}, {"numeric": [">", 7200, "<=", 604800]})",
        R"({"exists": false})"})
    EXPECT_EQ(warnings(exempt(by_tag(element))), std::vector<std::string>()) << element;
}

TEST(UntilWarnings, F15_ThroughAlternatives) {
  constexpr const char* kBounded = R"({"until": {"a": [{"numeric": [">", 0, "<=", 604800]}]}})";
  EXPECT_EQ(warnings(exempt(R"({"$or": [)" + std::string(kBounded) +
                            R"(, {"until": {"b": [{"numeric": [">", 0]}]}}]})"))
                .size(),
            1U);
  EXPECT_EQ(warnings(exempt(R"({"until": {"$or": [{"a": [{"exists": true}]},
                                {"b": [{"numeric": [">", 0, "<=", 60]}]}]}})"))
                .size(),
            1U);
  EXPECT_EQ(warnings(exempt("[" + std::string(kBounded) + R"(, {"tags": {"keep": ["yes"]}}])")),
            std::vector<std::string>());
  EXPECT_EQ(warnings(exempt("[" + by_tag(R"({"exists": true})") + ", " +
                            R"({"until": {"b": [{"numeric": [">", 0]}]}}])"))
                .size(),
            2U);
}

// What stands beside the time may bound it.
TEST(UntilWarnings, F15_ABoundBesideTheTime) {
  const auto beside = [](const std::string& more) {
    return warnings(exempt(R"({"until": {"a": [{"numeric": [">", 0]}]}, )" + more + "}"));
  };
  EXPECT_TRUE(beside(R"("runtime": {"training_seconds": [{"numeric": ["<", 864000]}]})").empty());
  EXPECT_TRUE(beside(R"("time": {"date": [{"numeric": ["<=", 20261231]}]})").empty());
  EXPECT_TRUE(beside(R"("cost": {"spent_usd": [{"numeric": ["<", 9000]}]})").empty());
  EXPECT_EQ(beside(R"("runtime": {"training_seconds": [{"numeric": [">", 60]}]})").size(), 1U);
  EXPECT_EQ(beside(R"("tags": {"approved_by": ["platform"]})").size(), 1U);
  // Both tags must have a time, and one of them is bounded.
  EXPECT_TRUE(warnings(exempt(R"({"until": {"a": [{"numeric": [">", 0]}],
                                            "b": [{"numeric": [">", 0, "<=", 604800]}]}})"))
                  .empty());
}

std::string match(const std::string& until) {
  return R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "until": )" + until + "}";
}

TEST(UntilWarnings, F15_ARuleThatHoldsWithoutTheTag) {
  for (const char* until :
       {R"({"keep-until": [{"exists": false}]})",
        R"({"$or": [{"keep-until": [{"exists": false}]}, {"other": [{"numeric": ["<=", 0]}]}]})"}) {
    const auto found = warnings(match(until));
    ASSERT_EQ(found.size(), 1U) << until;
    EXPECT_TRUE(found[0].starts_with(
        "rules[0] (r): holds without the tag `keep-until`, and a time however far away in it"))
        << found[0];
  }
  const auto ahead =
      warnings(match(R"({"keep-until": [{"exists": false}, {"numeric": ["<=", 0]}]})"));
  ASSERT_EQ(ahead.size(), 1U);
  EXPECT_NE(ahead[0].find("a time however far ahead"), std::string::npos) << ahead[0];
  const auto past =
      warnings(match(R"({"keep-until": [{"exists": false}, {"numeric": [">", 604800]}]})"));
  ASSERT_EQ(past.size(), 1U);
  EXPECT_NE(past[0].find("a time however long past"), std::string::npos) << past[0];
}

TEST(UntilWarnings, F15_ARuleThatHoldsWithAFarTimeAsWell) {
  // In one list, and in alternatives.
  EXPECT_TRUE(warnings(match(R"({"a": [{"exists": false}, {"numeric": ["<=", 0]},
                                       {"numeric": [">", 604800]}]})"))
                  .empty());
  EXPECT_TRUE(
      warnings(match(R"({"$or": [{"a": [{"exists": false}]}, {"a": [{"numeric": ["<=", 0]}]},
                                         {"a": [{"numeric": [">", 604800]}]}]})"))
          .empty());
  EXPECT_TRUE(warnings(match(R"({"a": [{"exists": false}, {"anything-but": 0}]})")).empty());
  // The other alternatives ask for more than this one.
  EXPECT_EQ(warnings(R"("match": [{"until": {"a": [{"exists": false}]}},
                            {"until": {"a": [{"exists": true}]}, "tags": {"team": ["vision"]}}])")
                .size(),
            1U);
}

// The tag shortens what the job has without it: a far time grants no more than none.
TEST(UntilWarnings, F15_ADeadlineOfTheJobsOwnIsSilent) {
  EXPECT_TRUE(warnings(match(R"({"stop-at": [{"numeric": ["<=", 0]}]})")).empty());
  EXPECT_TRUE(warnings(match(R"({"stop-at": [{"exists": true}]})")).empty());
  EXPECT_TRUE(warnings(match(R"({"stop-at": [{"numeric": [">", 604800]}]})")).empty());
}

TEST(UntilWarnings, F15_RulesThatOnlyNotifyAreSilent) {
  const std::string far = exempt(by_tag(R"({"exists": true})"));
  EXPECT_TRUE(warnings(far, R"("notify")").empty());
  for (const char* actions :
       {R"("stop")", R"("restart")", R"({"tag": {"a": "b"}}, "notify")", R"("release", "notify")"})
    EXPECT_EQ(warnings(far, actions).size(), 1U) << actions;
}

TEST(UntilWarnings, F15_TagsThatAreNoTimesAreNoneOfItsBusiness) {
  EXPECT_TRUE(warnings(exempt(R"({"tags": {"keep-until": [{"exists": true}]}})")).empty());
  EXPECT_TRUE(warnings(R"("match": {"tags": {"a": [{"exists": false}]}})").empty());
}

// Half of the sample jobs have a time in the tag.
TEST(UntilWarnings, P2_ARuleThatATimeExemptsFromStopsNotEverySampleJob) {
  const auto stops = [](const std::string& members) {
    return stops_of_everything(*rules::parse_policy(
        R"({"version": 1, "rules": [{"name": "r", "actions": ["stop"], )" + members + "}]}"));
  };
  EXPECT_TRUE(stops(exempt(by_tag(R"({"numeric": [">", 0, "<=", 604800]})"))).empty());
  // No sample has that time, and a job of one's own may.
  EXPECT_TRUE(stops(exempt(by_tag(R"({"numeric": [">", 604800, "<=", 704800]})"))).empty());
}

TEST(UntilWarnings, F15_CheckTellsThem) {
  const std::string path =
      ::testing::TempDir() + "until_warnings_test_" + std::to_string(::getpid()) + ".json";
  std::ofstream(path) << R"({"version": 1, "rules": [{"name": "r", "actions": ["stop"], )"
                      << exempt(by_tag(R"({"exists": true})")) << "}]}";
  const Printed printed = check({.path = path});
  std::remove(path.c_str());
  EXPECT_EQ(printed.status, 0);
  EXPECT_NE(printed.output.find("warning: rules[0] (r): a time however far away in the tag"),
            std::string::npos)
      << printed.output;
}

}  // namespace
}  // namespace trainwarden::cli::until_warnings_test
