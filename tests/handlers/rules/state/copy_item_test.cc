#include "handlers/rules/state/copy_item.h"

#include <gtest/gtest.h>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::rules::copy_item_test {
namespace {

constexpr std::string_view kDigest =
    "0123456a89abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(CopyName, A3_FollowsFromTheOriginalAlone) {
  EXPECT_EQ(copy_name_seed("arn:aws:sagemaker:eu-west-1:111122223333:training-job/exp",
                           sys_millis(std::chrono::milliseconds(1783000000123))),
            "arn:aws:sagemaker:eu-west-1:111122223333:training-job/exp\n1783000000123");
  EXPECT_EQ(next_copy_name("exp", kDigest), "exp-r1-0123456a");
}

TEST(CopyName, A3_TakesTheLineOneFurther) {
  struct Case {
    std::string original;
    std::string copy;
  };
  const Case cases[] = {
      {"exp-r1-0badc0de", "exp-r2-0123456a"},
      {"exp-r12-0badc0de", "exp-r13-0123456a"},
      {"exp-r2-r1-0badc0de", "exp-r2-r2-0123456a"},
      // None of these has our ending.
      {"exp-r2-20261122", "exp-r2-20261122-r1-0123456a"},
      {"exp-r2-0badc0d", "exp-r2-0badc0d-r1-0123456a"},
      {"exp-r2-0BADC0DE", "exp-r2-0BADC0DE-r1-0123456a"},
      {"exp-r2-0badc0dx", "exp-r2-0badc0dx-r1-0123456a"},
      {"exp-r02-0badc0de", "exp-r02-0badc0de-r1-0123456a"},
      {"exp-r0-0badc0de", "exp-r0-0badc0de-r1-0123456a"},
      {"exp-r-0badc0de", "exp-r-0badc0de-r1-0123456a"},
      {"exp-r1234567-0badc0de", "exp-r1234567-0badc0de-r1-0123456a"},
      {"exp-0badc0de", "exp-0badc0de-r1-0123456a"},
      {"-r2-0badc0de", "-r2-0badc0de-r1-0123456a"},
      {"r2", "r2-r1-0123456a"},
      // 63 characters in all, and never two hyphens at the seam.
      {std::string(63, 'a'), std::string(51, 'a') + "-r1-0123456a"},
      {std::string(50, 'a') + "--bbb", std::string(50, 'a') + "-r1-0123456a"},
      {std::string(51, 'a') + "-r9-0badc0de", std::string(50, 'a') + "-r10-0123456a"},
  };
  for (const Case& c : cases) {
    const std::string name = next_copy_name(c.original, kDigest);
    EXPECT_EQ(name, c.copy);
    EXPECT_LE(name.size(), 63U);
  }
}

// What looks like a date is never ours, whatever the digest.
TEST(CopyName, A3_ItsDigitsHoldALetter) {
  const std::string digest = "20261122" + std::string("1234567890abcdef0000");
  EXPECT_EQ(next_copy_name("exp", digest), "exp-r1-4567890a");
  EXPECT_EQ(name_parts(next_copy_name("exp", digest)).n, 1);
  for (int i = 0; i < 10; ++i) {
    std::string name = "exp";
    for (int n = 1; n <= 20; ++n) {
      name = next_copy_name(name, digest.substr(static_cast<std::size_t>(i)));
      EXPECT_EQ(name_parts(name).n, n);
      EXPECT_EQ(name_parts(name).stem, "exp");
    }
  }
}

TEST(PlaceInLine, A2_IsTheItemsAndElseWhatTagsAndNameTell) {
  const auto tags = json::Document::parse(
      R"({"trainwarden:generation": "7", "trainwarden:root": "x", "trainwarden:parent": "y"})");
  const JobTags ours = read_job_tags(tags->root());
  const CopyItem item{.root = "exp", .parent = "exp-r4-0badc0de", .generation = 2, .at = {}};
  const Lineage by_item = lineage_by_item(item, ours, "exp-r5-0badc0de");
  EXPECT_EQ(by_item.generation, 2);
  EXPECT_EQ(by_item.root, "exp");
  EXPECT_EQ(by_item.parent, "exp-r4-0badc0de");
  const Lineage by_tags = lineage_by_item(std::nullopt, ours, "exp-r5-0badc0de");
  EXPECT_EQ(by_tags.generation, 7);
  EXPECT_EQ(by_tags.root, "x");
  EXPECT_EQ(by_tags.parent, "y");
}

TEST(CopyItem, A3_IsRememberedBeforeTheJobExists) {
  const CopyItem copy{.root = "exp", .parent = "exp", .generation = 1, .at = {}};
  EXPECT_EQ(copy_item_id("exp-r1-0123456a"), "copy/exp-r1-0123456a");
  EXPECT_TRUE(remember_copy(std::nullopt, copy).decision);
  EXPECT_EQ(remember_copy(std::nullopt, copy).next, copy);
  CopyItem earlier = copy;
  earlier.at = sys_seconds(std::chrono::seconds(5));
  EXPECT_EQ(remember_copy(earlier, copy).next, earlier);
  EXPECT_TRUE(remember_copy(earlier, copy).decision);
  EXPECT_FALSE(remember_copy(CopyItem{.root = "x", .parent = "x", .at = {}}, copy).decision);
}

}  // namespace
}  // namespace trainwarden::rules::copy_item_test
