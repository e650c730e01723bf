// `trainwarden lineage`: the tree (policy.md A3: what copies and their originals are tagged with).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "handlers/cli/lineage/lineage_tree.h"

namespace trainwarden::cli::lineage_command_test {
namespace {

sys_seconds at(int hour) { return sys_seconds(std::chrono::hours(490'000 + hour)); }

// A job of the line of x1: an hour for ten dollars.
LineageJob job(std::string parent, std::string child, int created, std::string root = "x1") {
  return {.root = std::move(root),
          .parent = std::move(parent),
          .child = std::move(child),
          .state = "Failed/Failed",
          .hours = 1,
          .usd = 10,
          .created = at(created)};
}

// The names with their indents, and those that are gone: "x1,  x2,  x3 gone".
std::string names(const LineageJobs& jobs, std::string_view asked) {
  const std::string tree = lineage_tree(jobs, asked);
  std::string out;
  for (std::size_t begin = 0; begin < tree.size();) {
    const std::string line = tree.substr(begin, tree.find('\n', begin) - begin);
    begin += line.size() + 1;
    if (line.starts_with("together")) continue;
    out += out.empty() ? "" : ",";
    out += line.substr(0, line.find(' ', line.find_first_not_of(' ')));
    if (line.find(" gone ") != std::string::npos) out += " gone";
  }
  return out;
}

TEST(Lineage, A3_CopiesStandBelowWhatTheyCopy) {
  const LineageJobs jobs{
      {"x1", job("", "x2", 0)}, {"x2", job("x1", "x3", 1)}, {"x3", job("x2", "", 2)}};
  for (const char* const asked : {"x1", "x2", "x3"})
    EXPECT_EQ(names(jobs, asked), "x1,  x2,    x3") << asked;
}

// The tags of the one before and of the one after know where it stood.
TEST(Lineage, A3_AJobThatWasDeletedKeepsItsPlace) {
  const LineageJobs jobs{
      {"x1", job("", "x2", 0)}, {"x2", job("x1", "x3", 1)}, {"x4", job("x3", "", 3)}};
  for (const char* const asked : {"x1", "x2", "x4"})
    EXPECT_EQ(names(jobs, asked), "x1,  x2,    x3 gone,      x4") << asked;
}

TEST(Lineage, A3_TheFirstAndTheLastMayBeGone) {
  EXPECT_EQ(names({{"x2", job("x1", "x3", 1)}}, "x2"), "x1 gone,  x2,    x3 gone");
}

TEST(Lineage, A3_ALaterNamesakeOfADeletedParentIsNotTheParent) {
  const LineageJobs jobs{{"x1", job("", "x2", 0)},
                         {"x2", job("x1", "x3", 1)},
                         {"x3", job("", "", 9, "x3")},
                         {"x4", job("x3", "", 3)}};
  EXPECT_EQ(names(jobs, "x4"), "x1,  x2,    x3 gone,      x4");
}

// Created again, it has copies of its own, which Search finds by the same root; and an old copy may
// be copied after that.
TEST(Lineage, A3_TwoLinesThatBeganWithOneName) {
  const LineageJobs jobs{{"x1", job("", "new2", 5)},
                         {"new2", job("x1", "", 6)},
                         {"old2", job("x1", "old3", 1)},
                         {"old3", job("old2", "", 7)}};
  for (const char* const asked : {"x1", "new2"})
    EXPECT_EQ(names(jobs, asked), "x1,  new2") << asked;
  for (const char* const asked : {"old2", "old3"})
    EXPECT_EQ(names(jobs, asked), "x1 gone,  old2,    old3") << asked;
}

TEST(Lineage, TagsThatPointInACircleEndTheTree) {
  const LineageJobs jobs{{"x1", job("x2", "x2", 0)}, {"x2", job("x1", "x1", 0)}};
  EXPECT_EQ(names(jobs, "x1"), "x1,  x2");
}

std::string together(const LineageJobs& jobs) {
  const std::string tree = lineage_tree(jobs, "x1");
  return tree.substr(tree.find(" h", tree.find("together")) - 4);
}

TEST(Lineage, TheSumSaysWhatItLeavesOut) {
  LineageJobs jobs{{"x1", job("", "x2", 0)}, {"x2", job("x1", "x3", 1)}, {"x3", job("x2", "", 2)}};
  EXPECT_EQ(together(jobs), " 3.0 h        30.00 USD\n");
  jobs["x2"].usd = std::nullopt;
  EXPECT_EQ(together(jobs), " 3.0 h at least 20.00 USD (1 job without a price)\n");
  jobs["x3"].usd = std::nullopt;
  EXPECT_EQ(together(jobs), " 3.0 h at least 10.00 USD (2 jobs without a price)\n");
  jobs.erase("x3");
  EXPECT_EQ(together(jobs), " 2.0 h at least 10.00 USD (1 job without a price, 1 gone)\n");
  jobs["x1"].usd = std::nullopt;
  EXPECT_EQ(together(jobs), " 2.0 h at least (1 gone)\n");
}

TEST(Lineage, ACostThatIsABoundIsSaid) {
  LineageJobs jobs{{"x1", job("", "x2", 0)}, {"x2", job("x1", "", 1)}};
  jobs["x2"].usd_is_bound = true;
  EXPECT_NE(lineage_tree(jobs, "x1").find(" 1.0 h at most 10.00 USD\n"), std::string::npos);
  EXPECT_EQ(together(jobs), " 2.0 h at most 20.00 USD\n");
  jobs["x1"].usd = std::nullopt;
  EXPECT_EQ(together(jobs), " 2.0 h about 10.00 USD (1 job without a price)\n");
}

// F14: at the end of the line, with and without a price.
TEST(Lineage, F14_WhatSpotSavedIsSaid) {
  LineageJobs jobs{{"x1", job("", "x2", 0)}, {"x2", job("x1", "x3", 1)}, {"x3", job("x2", "", 2)}};
  jobs["x1"].spot_saved = 1.0 / 3;
  jobs["x2"].spot_saved = 0;
  jobs["x2"].usd = std::nullopt;
  const std::string tree = lineage_tree(jobs, "x1");
  EXPECT_NE(tree.find(" 1.0 h        10.00 USD  spot saved 33 %\n"), std::string::npos) << tree;
  EXPECT_NE(tree.find(" 1.0 h  spot saved 0 %\n"), std::string::npos) << tree;
  EXPECT_NE(tree.find(" 1.0 h        10.00 USD\ntogether"), std::string::npos) << tree;
}

// Of a job that cost no time the price is nothing that is missing.
TEST(Lineage, AJobThatRanForNoTimeLacksNoPrice) {
  LineageJobs jobs{{"x1", job("", "x2", 0)}, {"x2", job("x1", "", 1)}};
  jobs["x2"].hours = 0;
  jobs["x2"].usd = std::nullopt;
  EXPECT_EQ(together(jobs), " 1.0 h        10.00 USD\n");
}

}  // namespace
}  // namespace trainwarden::cli::lineage_command_test
