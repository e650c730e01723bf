// What a watch tells, each time that it goes off (A5): once, and once an hour at most, by when
// CloudWatch says that it did.
#include <algorithm>

#include "handlers/actions/sweep/sweep.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/state/item_id.h"
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::told_again_test {
namespace {

constexpr const char* kTellDisk =
    R"({"name": "tell-disk", "match": {"alarm": {"watch": ["disk", "scratch"], "state": ["ALARM"]}},
        "actions": ["notify"]})";

class ToldAgainTest : public ActionTest {
 protected:
  ToldAgainTest() : ActionTest(sys_millis(seconds(1'783'000'540))) {
    powers_ = {};  // the alarm function's
    left_ = seconds(300);
    aws_.place({.count = 2, .age = hours(3), .since = hours(2)});
  }

  static rules::Policy watching(const std::string& rules = kTellDisk,
                                const std::string& mode = "enforce") {
    constexpr const char* kDisk =
        R"({"metric": "DiskUtilization", "statistic": "Maximum", "period_seconds": 300,
            "periods": 1, "at_least": 90, "hosts": "any", "missing": "notBreaching",
            "warmup_seconds": 0})";
    return policy(rules, mode,
                  fmt::format(R"("watches": {{"disk": {0}, "scratch": {0}}},)", kDisk));
  }
  void fill(double percent = 97) {
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":)"
            R"("DiskUtilization","Dimensions":[{{"Name":"Host","Value":"job-1/algo-1"}}],)"
            R"("Timestamp":{},"Value":{}}}]}})",
            std::chrono::floor<seconds>(clock_.now() - seconds(240)).time_since_epoch().count(),
            percent)));
  }
  // An alarm that keeps the state that it is given.
  void set(const std::string& alarm, const std::string& state = "ALARM") {
    if (aws_.alarm("trainwarden/job-1/" + alarm) == nullptr) {
      ASSERT_TRUE(aws_.call(
          "PutMetricAlarm",
          fmt::format(R"({{"AlarmName":"trainwarden/job-1/{}","MetricName":"m","Namespace":"n",)"
                      R"("Statistic":"Maximum","Period":60,"EvaluationPeriods":1,"Threshold":1,)"
                      R"("ComparisonOperator":"LessThanThreshold","TreatMissingData":"ignore"}})",
                      alarm)));
    }
    ASSERT_TRUE(aws_.call(
        "SetAlarmState",
        fmt::format(R"({{"AlarmName":"trainwarden/job-1/{}","StateValue":"{}","StateReason":"r"}})",
                    alarm, state)));
  }
  Record say(const std::string& watch = "disk", const rules::Policy& with = watching()) {
    fill();
    return handle(with, {.trigger = rules::Trigger::kAlarm,
                         .job_name = "job-1",
                         .alarm = rules::AlarmEvent{"trainwarden/job-1/" + watch, watch, "ALARM"}});
  }
  void sweep_now(const rules::Policy& with = watching()) {
    fill();
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_, "sweep");
    sweep({with, ceiling_}, apis, {[] { return 0.0; }, [](const Record& /*record*/) {}});
  }
  std::size_t notices() const { return aws_.notices().size(); }
};

TEST_F(ToldAgainTest, W5_AWatchThatGoesOffAnewADayLaterIsToldAgain) {
  set("disk");
  EXPECT_EQ(kind(say()), Kind::kNotified);
  set("disk", "OK");
  aws_.pass(hours(24));
  set("disk");
  EXPECT_EQ(kind(say()), Kind::kNotified);
  EXPECT_EQ(notices(), 2U);
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  aws_.pass(hours(24));
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);  // it has been full ever since
  EXPECT_EQ(notices(), 2U);
}

TEST_F(ToldAgainTest, W5_AMessageThatComesTwiceOrLateIsToldOnce) {
  set("disk");
  EXPECT_EQ(kind(say()), Kind::kNotified);
  for (const auto later : {seconds(1), seconds(300), seconds(7200), seconds(90'000)}) {
    aws_.pass(later);
    EXPECT_EQ(kind(say()), Kind::kNotifiedBefore) << later.count();
  }
  EXPECT_EQ(notices(), 1U);
}

TEST_F(ToldAgainTest, W5_WithinAnHourNothingIsToldAgainAndTheSweepTellsItLater) {
  set("disk");
  say();
  aws_.pass(minutes(20));
  set("disk", "OK");
  aws_.pass(minutes(10));
  set("disk");
  const auto asked = aws_.count("DescribeAlarms");
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  EXPECT_EQ(aws_.count("DescribeAlarms"), asked);
  sweep_now();
  EXPECT_EQ(notices(), 1U);
  aws_.pass(minutes(31));
  sweep_now();
  EXPECT_EQ(notices(), 2U);
  aws_.pass(minutes(61));
  sweep_now();
  EXPECT_EQ(notices(), 2U);
}

TEST_F(ToldAgainTest, W5_SeveralAlarmsOfAWatchAreToldOnce) {
  set("disk/2");
  say("disk");
  aws_.pass(minutes(4));
  set("disk/1");
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  aws_.pass(minutes(90));
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  sweep_now();
  EXPECT_EQ(notices(), 1U);
}

TEST_F(ToldAgainTest, W5_SweepsAndMessagesTellTheSameOnce) {
  set("disk");
  sweep_now();
  EXPECT_EQ(notices(), 1U);
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  aws_.pass(hours(2));
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  sweep_now();
  EXPECT_EQ(notices(), 1U);
}

TEST_F(ToldAgainTest, W5_EachWatchOfARuleIsToldOf) {
  set("disk");
  set("scratch");
  EXPECT_EQ(kind(say("disk")), Kind::kNotified);
  EXPECT_EQ(kind(say("scratch")), Kind::kNotified);
  EXPECT_EQ(kind(say("scratch")), Kind::kNotifiedBefore);
  EXPECT_EQ(notices(), 2U);
}

// A message that CloudWatch's list does not bear out tells what was measured, once.
TEST_F(ToldAgainTest, W4_AForgedMessageTellsNothingAnew) {
  EXPECT_EQ(kind(say()), Kind::kNotified);
  for (int i = 0; i < 3; ++i) {
    aws_.pass(hours(2));
    EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  }
  set("disk-2");  // another watch
  EXPECT_EQ(kind(say()), Kind::kNotifiedBefore);
  set("disk");
  EXPECT_EQ(kind(say()), Kind::kNotified);
  EXPECT_EQ(notices(), 2U);
}

TEST_F(ToldAgainTest, F1_WhereCloudWatchCannotBeAskedTheMessageComesAgain) {
  set("disk");
  aws_.refuse("DescribeAlarms", kDenied);
  EXPECT_TRUE(say().failure());
  EXPECT_EQ(notices(), 0U);
  EXPECT_EQ(kind(say()), Kind::kNotified);
}

TEST_F(ToldAgainTest, P3_NotifyModeTellsOfEachTimeThatItWouldHaveStopped) {
  const rules::Policy notify = watching(
      R"({"name": "stop-disk", "match": {"alarm": {"watch": ["disk"], "state": ["ALARM"]}},
          "actions": ["stop", "notify"]})",
      "notify");
  set("disk");
  EXPECT_EQ(kind(say("disk", notify), 0, 1), Kind::kNotified);
  aws_.pass(hours(2));
  EXPECT_EQ(kind(say("disk", notify), 0, 1), Kind::kNotifiedBefore);
  set("disk", "OK");
  set("disk");
  EXPECT_EQ(kind(say("disk", notify), 0, 1), Kind::kNotified);
}

TEST_F(ToldAgainTest, A5_WhatRestsOnNoAlarmIsToldOnceWhateverGoesOff) {
  const rules::Policy tags = watching(
      R"({"name": "look", "match": {"tags": {"model_name": [{"exists": false}]}},
          "actions": ["notify"]})");
  set("disk");
  EXPECT_EQ(kind(say("disk", tags)), Kind::kNotified);
  aws_.pass(hours(2));
  set("disk", "OK");
  set("disk");
  EXPECT_EQ(kind(say("disk", tags)), Kind::kNotifiedBefore);
  EXPECT_EQ(aws_.count("DescribeAlarms"), 0);
}

TEST_F(ToldAgainTest, A5_AnItemDoesNotGrowWithAWatchThatGoesOffEveryDay) {
  for (int day = 0; day < 20; ++day) {
    set("disk", "OK");
    set("disk");
    EXPECT_EQ(kind(say()), Kind::kNotified) << day;
    aws_.pass(hours(24));
  }
  const auto records = [&] {
    std::size_t out = 0;
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_, request_);
    const auto& job = *aws_.find("job-1");
    const auto item = last_job_item(rules::job_item_id("job-1", job.machine.state().created), apis);
    EXPECT_TRUE(item);
    if (item) out = item->notices.size();
    return out;
  };
  EXPECT_EQ(records(), 1U);
}

// The first that goes off again is told at once, what follows within the hour with the digest.
TEST_F(ToldAgainTest, A9_WhatGoesOffAgainWithinTheHourIsOneDigest) {
  for (const char* watch : {"disk", "scratch"}) set(watch);
  say("disk");
  say("scratch");
  EXPECT_EQ(notices(), 2U);  // the first time, each is told by itself
  aws_.pass(hours(5));
  for (const char* watch : {"disk", "scratch"}) {
    set(watch, "OK");
    set(watch);
  }
  EXPECT_EQ(kind(say("disk")), Kind::kNotified);
  EXPECT_EQ(kind(say("scratch")), Kind::kGathered);
  EXPECT_EQ(notices(), 3U);
  EXPECT_EQ(kind(say("scratch")), Kind::kNotifiedBefore);
  aws_.pass(minutes(59));
  sweep_now();
  EXPECT_EQ(notices(), 3U);
  aws_.pass(minutes(1));
  sweep_now();
  ASSERT_EQ(notices(), 4U);
  EXPECT_EQ(attribute("outcome"), "digest");
  EXPECT_EQ(subject(), "Trainwarden: an alarm went off again");
  EXPECT_TRUE(told("job-1"));
  aws_.pass(hours(1));
  sweep_now();
  EXPECT_EQ(notices(), 4U);  // a digest with nothing in it is none
}

// Whoever filters by owner hears of what went off again, too (A8).
TEST_F(ToldAgainTest, A9_ADigestHasTheOwnersOfItsJobs) {
  aws_.tag_job("job-1", "owner", "jo");
  for (const char* watch : {"disk", "scratch"}) {
    set(watch);
    say(watch);
  }
  aws_.pass(hours(5));
  for (const char* watch : {"disk", "scratch"}) {
    set(watch, "OK");
    set(watch);
    say(watch);
  }
  aws_.pass(minutes(60));
  sweep_now();
  ASSERT_EQ(attribute("outcome"), "digest");
  EXPECT_EQ(attribute("owner"), "jo");
  EXPECT_EQ(attribute("rule"), "tell-disk");
}

TEST_F(ToldAgainTest, A9_WithoutASweepTheNextThatGoesOffSendsTheDigest) {
  for (const char* watch : {"disk", "scratch"}) set(watch);
  say("disk");
  say("scratch");
  aws_.pass(hours(5));
  for (const char* watch : {"disk", "scratch"}) {
    set(watch, "OK");
    set(watch);
  }
  say("disk");
  say("scratch");
  EXPECT_EQ(notices(), 3U);
  aws_.pass(hours(5));
  set("disk", "OK");
  set("disk");
  EXPECT_EQ(kind(say("disk")), Kind::kGathered);
  ASSERT_EQ(notices(), 4U);
  EXPECT_EQ(subject(), "Trainwarden: 2 alarms went off again");
}

// Where the table does not take the digest, people hear of the alarm all the same.
TEST_F(ToldAgainTest, A9_WhatCannotBeGatheredIsTold) {
  for (const char* watch : {"disk", "scratch"}) set(watch);
  say("disk");
  say("scratch");
  aws_.pass(hours(5));
  for (const char* watch : {"disk", "scratch"}) {
    set(watch, "OK");
    set(watch);
  }
  say("disk");
  aws_.spare("PutItem");  // the claim of the notice itself
  aws_.refuse("PutItem", {400, "AccessDeniedException", "not authorized to perform that"});
  EXPECT_EQ(kind(say("scratch")), Kind::kNotified);
  EXPECT_EQ(notices(), 4U);
}

}  // namespace
}  // namespace trainwarden::actions::told_again_test
