// Alarms that nobody asks for any more, and those of other stacks and people (policy.md W3, S1).
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_unasked_test {
namespace {

constexpr const char* kOtherTopic = "arn:aws:sns:eu-central-1:111122223333:other-stack-AlarmTopic";

class SweepUnasked : public SweepTest {
 protected:
  static rules::Policy watching(const std::string& watches) {
    const auto watch = [](const char* name, const char* hosts) {
      return fmt::format(
          R"("{}":{{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,)"
          R"("periods":3,"at_most":1,"hosts":"{}"}})",
          name, hosts);
    };
    std::string defined;
    std::string asked;
    for (const auto& [name, hosts] :
         {std::pair("idle", "every"), {"first-idle", "first"}, {"busy", "any"}}) {
      if (watches.find(fmt::format("+{} ", name)) == std::string::npos) continue;
      defined += (defined.empty() ? "" : ",") + watch(name, hosts);
      asked += fmt::format(R"({}"{}")", asked.empty() ? "" : ",", name);
    }
    return policy(
        fmt::format(
            R"({{"name":"w","match":{{"job":{{"SecondaryStatus":["Training"]}}}},"actions":[{{"watch":[{}]}}]}})",
            asked),
        "observe", fmt::format(R"("watches":{{{}}},)", defined));
  }
  // The definition of a watch changes, and its name does not.
  static rules::Policy idle(const char* hosts) {
    return policy(
        R"({"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]})",
        "observe",
        fmt::format(
            R"("watches":{{"idle":{{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,)"
            R"("periods":3,"at_most":1,"hosts":"{}"}}}},)",
            hosts));
  }
  static rules::Policy without_watches() { return policy(kTeam, "observe"); }
  void place_hosts(const std::string& job, int count) {
    aws_.place({.name = job, .count = count, .tags = kOrderly});
  }
  // Of somebody who describes it as he likes and calls what he likes.
  void put_by(const std::string& name, const std::string& description, const std::string& topic) {
    const std::string actions = topic.empty() ? "" : "\"" + topic + "\"";
    ASSERT_TRUE(aws_.call(
        "PutMetricAlarm",
        fmt::format(
            R"({{"AlarmName":"{}","AlarmDescription":"{}","AlarmActions":[{}],"MetricName":"m",)"
            R"("Namespace":"n","Statistic":"Maximum","Period":60,"EvaluationPeriods":1,"Threshold":1,)"
            R"("ComparisonOperator":"LessThanThreshold","TreatMissingData":"ignore"}})",
            name, description, actions)));
  }
};

constexpr const char* kMadeByUs = "Idle. [trainwarden]";
constexpr const char* kMadeByOlderVersion =
    "Idle. Made by Trainwarden, and deleted by it when the job has ended.";

TEST_F(SweepUnasked, W3_AlarmsOfAWatchThatLeftThePolicyAreDeleted) {
  place_hosts("job", 12);
  run(watching("+idle +busy "));
  ASSERT_EQ(aws_.alarms().size(), 4U);
  const SweepReport report = run(watching("+busy "));
  EXPECT_EQ(aws_.alarms(), (Names{"trainwarden/job/busy/1", "trainwarden/job/busy/2"}));
  EXPECT_EQ(report.orphans, 0U);
  EXPECT_FALSE(report.failure());
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(records_[0].alarms().deleted.size(), 2U);
  EXPECT_EQ(aws_.count("DeleteAlarms"), 1);
}

TEST_F(SweepUnasked, W3_AlsoWhereThePolicyHasNoWatchAnyMore) {
  place_hosts("job", 1);
  run(watching("+idle "));
  run(without_watches());
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(SweepUnasked, W3_AlarmsOfFewerPartsThanBeforeAreDeleted) {
  place_hosts("job", 12);
  run(idle("every"));
  ASSERT_EQ(aws_.alarms(), (Names{"trainwarden/job/idle/1", "trainwarden/job/idle/2"}));
  run(idle("first"));
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job/idle"});
  run(idle("every"));
  EXPECT_EQ(aws_.alarms(), (Names{"trainwarden/job/idle/1", "trainwarden/job/idle/2"}));
  EXPECT_EQ(run(idle("every")).looked_at, 0U);
}

TEST_F(SweepUnasked, W3_AlarmsOfAWatchThatHasNoneForTheJobAnyMoreAreDeleted) {
  place_hosts("job", 12);
  run(idle("every"));
  run(policy(
      R"({"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]})",
      "observe",
      R"("watches":{"idle":{"metric":"train:loss","source":"algorithm","statistic":"SampleCount",)"
      R"("period_seconds":600,"periods":3,"below":1}},)"));
  EXPECT_TRUE(aws_.alarms().empty());
}

// By an event, too, and at no call more where there is nothing to delete.
TEST_F(SweepUnasked, W3_AnEventDeletesThemAsWell) {
  place_hosts("job", 12);
  handle(idle("every"), event("job"));
  aws_.calls.clear();
  handle(idle("first"), event("job"));
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job/idle"});
  handle(idle("first"), event("job"));
  EXPECT_EQ(aws_.count("DeleteAlarms"), 1);
}

TEST_F(SweepUnasked, W3_AlarmsOfALiveWatchThatNoRuleAsksForHereStay) {
  place_hosts("job", 1);
  run(watching("+idle "));
  const rules::Policy elsewhere = policy(
      R"({"name":"w","match":{"job":{"TrainingJobName":["other"],"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]})",
      "observe",
      R"("watches":{"idle":{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,"periods":3,"at_most":1}},)");
  run(elsewhere);
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job/idle"});
}

TEST_F(SweepUnasked, W3_AlarmsOfPeopleAndOfOtherStacksStay) {
  place_hosts("job", 1);
  put_by("trainwarden/job/mine", "my own", testing::kAlarmTopic);
  put_by("trainwarden/job/theirs", kMadeByUs, kOtherTopic);
  put_by("team-b/job/gone", kMadeByUs, testing::kAlarmTopic);
  put_by("trainwarden-2/job/gone", kMadeByUs, testing::kAlarmTopic);
  put_by("somebody-elses", kMadeByUs, testing::kAlarmTopic);
  const SweepReport report = run(watching("+idle "));
  EXPECT_EQ(aws_.alarms().size(), 6U);
  EXPECT_EQ(aws_.count("DeleteAlarms"), 0);
  EXPECT_EQ(report.foreign, 1U);
}

TEST_F(SweepUnasked, W3_AlarmsOfOlderVersionsAreDeletedToo) {
  place_hosts("job", 1);
  put_by("trainwarden/job/gone", kMadeByOlderVersion, testing::kAlarmTopic);
  run(watching("+idle "));
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job/idle"});
}

// One that calls nobody is ours only where another of its watch calls our topic.
TEST_F(SweepUnasked, W3_AnotherStacksAlarmThatCallsNobodyStays) {
  place_hosts("job", 1);
  run(watching("+busy "));
  for (const char* name : {"trainwarden/job/idle/1", "trainwarden/job/gone/1"})
    put_by(name, kMadeByUs, kOtherTopic);
  for (const char* name : {"trainwarden/job/idle/2", "trainwarden/job/gone/2"})
    put_by(name, kMadeByUs, "");
  run(watching("+busy "));
  handle(watching("+busy "), event("job"));
  EXPECT_EQ(aws_.alarms().size(), 5U);
  EXPECT_EQ(aws_.count("DeleteAlarms"), 0);
}

// It is told, and takes nothing away.
TEST_F(SweepUnasked, W2_AnAlarmThatLooksLikeAnotherStacksKeepsNoJobUnwatched) {
  for (const char* job : {"a", "b"}) place_hosts(job, 1);
  put_by("trainwarden/a/idle", kMadeByUs, kOtherTopic);
  put_by("trainwarden/zzz/idle", kMadeByUs, kOtherTopic);
  const SweepReport report = run(watching("+idle "));
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.foreign, 2U);
  ASSERT_FALSE(report.errors.empty());
  EXPECT_NE(report.errors[0].find("trainwarden/a/idle"), std::string::npos);
  EXPECT_EQ(report.put, 2U);
}

TEST_F(SweepUnasked, W1_AStackSeesAlarmsUnderItsOwnPrefixOnly) {
  config_.alarm_prefix = "team-b";
  place_hosts("job", 1);
  put_alarm("gone/idle");
  put_alarm("job/busy");
  run(watching("+idle "));
  EXPECT_EQ(aws_.alarms(),
            (Names{"team-b/job/idle", "trainwarden/gone/idle", "trainwarden/job/busy"}));
  EXPECT_EQ(run(watching("+idle ")).looked_at, 0U);
  aws_.enter("job", "Completed");
  handle(watching("+idle "), event("job"));
  EXPECT_EQ(aws_.alarms(), (Names{"trainwarden/gone/idle", "trainwarden/job/busy"}));
}

TEST_F(SweepUnasked, W3_WhatIsThrottledIsDeletedByTheNextSweep) {
  place_hosts("job", 1);
  run(watching("+idle "));
  aws_.refuse("DeleteAlarms", testing::kThrottled);
  const SweepReport report = run(without_watches());
  EXPECT_EQ(report.left, 1U);
  EXPECT_EQ(report.failed, 0U);
  run(without_watches());
  EXPECT_TRUE(aws_.alarms().empty());
}

}  // namespace
}  // namespace trainwarden::actions::sweep_unasked_test
