// Items are changed by one step at a time, whoever else writes meanwhile (policy.md P8).
#include "handlers/actions/table/items.h"

#include "handlers/rules/state/begin_steps.h"
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::items_test {
namespace {

constexpr const char* kId = "job/job-1/1783000000000";

class ItemsTest : public ActionTest {
 protected:
  // Each is another invocation.
  Apis apis(const std::string& request) {
    return {client_, clock_, context_, config_, powers_, request};
  }
  // Adds a stop of that rule, unless there is one.
  static JobStep stop_by(const std::string& rule) {
    return [rule](rules::JobItem item, sys_seconds now) {
      return rules::begin_stop(std::move(item), {.rule = rule, .why = "why"}, now).next;
    };
  }
  std::string stopper() {
    const Apis fresh = apis("reader");
    const auto item = read_job_item(kId, fresh);
    EXPECT_TRUE(item) << item.error().message;
    return item && item->stop ? item->stop->rule : "";
  }

  aws::CallContext context_{clock_.in(left_), "", nullptr};
};

TEST_F(ItemsTest, P8_AnItemThatIsNotThereIsEmptyAndThenKept) {
  EXPECT_EQ(stopper(), "");
  const Apis one = apis("one");
  const auto item = change_job_item(kId, one, stop_by("idle"));
  ASSERT_TRUE(item);
  EXPECT_EQ(item->stop->rule, "idle");
  EXPECT_EQ(stopper(), "idle");
}

TEST_F(ItemsTest, P8_WhoLosesTheRaceDecidesAnewOnWhatStandsThere) {
  const Apis one = apis("one");
  const Apis other = apis("other");
  aws_.before("PutItem", [&] { ASSERT_TRUE(change_job_item(kId, other, stop_by("first"))); });
  const auto item = change_job_item(kId, one, stop_by("second"));
  ASSERT_TRUE(item);
  EXPECT_EQ(item->stop->rule, "first");
  EXPECT_EQ(stopper(), "first");
}

TEST_F(ItemsTest, P8_AWriteWhoseAnswerWasLostIsItsOwn) {
  config_.table = testing::state_table();
  aws_.lose_answer("PutItem");
  const Apis one = apis("one");
  // One attempt a call: the caller hears that nobody knows.
  const auto lost = change_job_item(kId, one, stop_by("idle"));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kStateUnavailable);
  EXPECT_TRUE(change_job_item(kId, one, stop_by("another")));
  EXPECT_EQ(stopper(), "idle");
}

// What an invocation saw last saves it a read where it writes, and decides nothing.
TEST_F(ItemsTest, P8_NothingIsConcludedFromAnItemThatIsOld) {
  const Apis one = apis("one");
  const Apis other = apis("other");
  EXPECT_TRUE(read_job_item(kId, one));
  EXPECT_TRUE(change_job_item(kId, other, stop_by("first")));
  // Written on what is old: refused, and decided anew.
  EXPECT_TRUE(change_job_item(kId, one, stop_by("second")));
  EXPECT_EQ(stopper(), "first");

  EXPECT_TRUE(change_job_item(kId, other, [](rules::JobItem item, sys_seconds) {
    item.stop.reset();
    return item;
  }));
  bool seen = true;
  EXPECT_TRUE(change_job_item(kId, one, [&](rules::JobItem item, sys_seconds) {
    seen = item.stop.has_value();
    return item;
  }));
  EXPECT_FALSE(seen);
}

TEST_F(ItemsTest, P8_WhoNeverWinsGivesUp) {
  const Apis one = apis("one");
  int tries = 0;
  const auto changed = change_job_item(kId, one, [&](rules::JobItem item, sys_seconds now) {
    const Apis other = apis("other");
    EXPECT_TRUE(change_job_item(kId, other, [](rules::JobItem theirs, sys_seconds at) {
      theirs.waits = at + seconds(theirs.waits ? (*theirs.waits - at).count() + 1 : 1);
      return theirs;
    }));
    ++tries;
    return rules::begin_stop(std::move(item), {.rule = "idle", .why = "why"}, now).next;
  });
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kStateUnavailable);
  EXPECT_EQ(tries, rules::kMostTries);
}

TEST_F(ItemsTest, P8_WhatCannotBeUnderstoodIsUnavailableAndStays) {
  ASSERT_TRUE(
      aws_.call("PutItem",
                R"({"TableName":"trainwarden-state","Item":{"id":{"S":"brake"},"v":{"N":"1"},
                            "request":{"S":"r"},"form":{"N":"7"},"expires":{"N":"1793000000"}},
                            "ConditionExpression":"attribute_not_exists(id) OR v = :v",
                            "ExpressionAttributeValues":{":v":{"N":"0"}}})"));
  const Apis one = apis("one");
  const auto changed = change_brake(one, [](rules::BrakeItem item, sys_millis) { return item; });
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kStateUnavailable);
  EXPECT_NE(changed.error().message.find("brake"), std::string::npos);
}

TEST_F(ItemsTest, P8_ACopyIsRememberedOnceUnderItsName) {
  const Apis one = apis("one");
  const rules::CopyItem copy{.root = "exp", .parent = "exp", .generation = 1, .at = one.now()};
  EXPECT_FALSE(read_copy_item("exp-r1-0badc0de", one).value());
  EXPECT_TRUE(remember_copy("exp-r1-0badc0de", copy, one).value());
  EXPECT_TRUE(remember_copy("exp-r1-0badc0de", copy, one).value());
  rules::CopyItem other = copy;
  other.parent = "another";
  EXPECT_FALSE(remember_copy("exp-r1-0badc0de", other, one).value());
  EXPECT_TRUE(read_copy_item("exp-r1-0badc0de", one).value() == copy);
}

}  // namespace
}  // namespace trainwarden::actions::items_test
