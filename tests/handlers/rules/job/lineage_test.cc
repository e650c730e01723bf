#include "handlers/rules/job/lineage.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainwarden::rules::lineage_test {
namespace {

json::Document parse(std::string_view text) { return *json::Document::parse(text); }

TEST(Lineage, A3_AJobWithoutOurTagsIsTheRootOfItsLine) {
  const auto tags = parse(R"({"team": "vision"})");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "train-1");
  EXPECT_EQ(lineage.generation, 0);
  EXPECT_EQ(lineage.root, "train-1");
  EXPECT_EQ(lineage.parent, "");
}

TEST(Lineage, A3_ACopyTellsItsLine) {
  const auto tags = parse(
      R"({"trainwarden:generation": "2", "trainwarden:root": "a", "trainwarden:parent": "a-r1-0",
          "trainwarden:child": "a-r3-1"})");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "a-r2-9");
  EXPECT_EQ(lineage.generation, 2);
  EXPECT_EQ(lineage.root, "a");
  EXPECT_EQ(lineage.parent, "a-r1-0");
  EXPECT_EQ(lineage.child, "a-r3-1");
}

TEST(Lineage, A2_AGenerationThatCannotBeReadIsNotZero) {
  for (const char* const text :
       {R"({"trainwarden:generation": "two"})", R"({"trainwarden:generation": "-1"})",
        R"({"trainwarden:generation": ""})", R"({"trainwarden:generation": "1 "})",
        R"({"trainwarden:generation": "99999999999999999999"})"}) {
    const auto tags = parse(text);
    EXPECT_FALSE(lineage_of(read_job_tags(tags.root()), "b").generation) << text;
  }
}

TEST(Lineage, A2_TheGenerationIsTheHighestThatTagAndNameTell) {
  const auto generation = [](const char* tags, std::string_view name) {
    const auto document = parse(tags);
    return lineage_of(read_job_tags(document.root()), name).generation;
  };
  EXPECT_EQ(generation("{}", "exp"), 0);
  EXPECT_EQ(generation(R"({"trainwarden:generation": "3"})", "exp"), 3);
  // Its tag was taken from it, or lowered.
  EXPECT_EQ(generation("{}", "exp-r3-0badc0de"), 3);
  EXPECT_EQ(generation(R"({"trainwarden:generation": "1"})", "exp-r3-0badc0de"), 3);
  // A date, and what else only looks alike.
  for (const char* const name : {"exp-r2-20261122", "a", "a-r3", "a-r3-0badc0d", "a-r3-0badc0de1",
                                 "a-r3-0badc0dg", "a-r3-0badc0dF", "a-rx-0badc0de", "a-r-0badc0de",
                                 "a3-0badc0de", "0badc0de", "-r3-0badc0de", "a-r03-0badc0de"})
    EXPECT_EQ(generation("{}", name), 0) << name;
}

TEST(Lineage, A3_TheCopysTagsAreTheJobsWithoutAwssAndOurs) {
  const auto tags = parse(
      R"({"team": "vision", "AWS:owner": "x", "aws:cloudformation:stack-name": "s", "Aws:a": "b",
          "awsome": "yes", "trainwarden:mine": "x", "empty": "", "trainwarden:action": "restart",
          "trainwarden:rule": "r", "trainwarden:reason": "why", "trainwarden:at": "t",
          "trainwarden:child": "c", "trainwarden:root": "a",
          "trainwarden:parent": "a", "trainwarden:generation": "1"})");
  const Lineage lineage = lineage_of(read_job_tags(tags.root()), "a-r1-0");
  using Tags = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(copy_tags(tags.root(), lineage, "a-r1-0"), (Tags{{"team", "vision"},
                                                             {"awsome", "yes"},
                                                             {"empty", ""},
                                                             {"trainwarden:root", "a"},
                                                             {"trainwarden:parent", "a-r1-0"},
                                                             {"trainwarden:generation", "2"}}));
}

}  // namespace
}  // namespace trainwarden::rules::lineage_test
