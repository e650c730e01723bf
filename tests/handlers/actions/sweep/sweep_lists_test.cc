// Sweeps whose time does not suffice for their lists (S1): none starves the others, and what was
// cut off is looked at one by one. The time is 320 s: pages of alarms and of running jobs are begun
// until 120 s, of alarms in ALARM and of ended jobs until 160; looks go on until 240 s.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_lists_test {
namespace {

constexpr const char* kNothing = R"(
  {"name": "never", "match": {"job": {"TrainingJobName": ["?"]}}, "actions": ["stop"]})";

class SlowLists : public SweepTest {
 protected:
  SlowLists() { left_ = seconds(320); }

  void time_out(const std::string& operation, seconds after) {
    aws_.faults.add({.operation = operation,
                     .code = {},
                     .message = {},
                     .delay = after,
                     .cut = true,
                     .kill = {}});
  }
  // Pages of DescribeAlarms, a hundred alarms each.
  void fill_alarms(const std::string& job, int count) {
    for (int i = 0; i < count; ++i) put_alarm(fmt::format("{}/w-{}", job, i));
  }
  void place_waiting(const std::string& job) {  // it does not train: no alarm of its is confirmed
    aws_.place({.name = job, .secondary = "Downloading", .tags = kOrderly});
  }
  bool stands(const std::string& alarm) const {
    return aws_.alarm("trainwarden/" + alarm) != nullptr;
  }
  static rules::Policy on_alarm() {
    return policy(
        R"({"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]},
           {"name":"s","match":{"alarm":{"state":["ALARM"]}},"actions":["stop"]})",
        "enforce",
        R"("watches":{"idle":{"metric":"GPUUtilization","statistic":"Maximum",)"
        R"("period_seconds":300,"periods":3,"at_most":1}},)");
  }
};

TEST_F(SlowLists, S1_RunningJobsThatDoNotFitKeepNothingFromTheOtherLists) {
  for (const char* alarm : {"done/idle", "gone/idle", "one/idle", "other/idle"}) put_alarm(alarm);
  aws_.place({.name = "one", .age = hours(9), .tags = kOrderly});
  for (int i = 0; i < 450; ++i) place(fmt::format("job-{}", i), kOrderly);
  aws_.place({.name = "other", .age = minutes(9), .tags = kOrderly});  // behind the cut
  place_ended("done", "Completed", hours(1));
  place_ended("f", "Failed", hours(1));
  aws_.slow("Search", seconds(30), 4);
  const SweepReport report = run(kTellFailed);
  EXPECT_FALSE(report.failure());
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.orphans, 2U);
  EXPECT_EQ(report.looked_at, 4U);
  EXPECT_EQ(report.errors.size(), 1U);
  EXPECT_EQ(aws_.alarms(), (Names{"trainwarden/one/idle", "trainwarden/other/idle"}));
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(SlowLists, S1_ThoseInAlarmAreListedWhereAllAlarmsDoNotFit) {
  put_alarm("a/idle");
  fill_alarms("m", 250);
  put_alarm("z/idle", "ALARM");
  for (const char* job : {"m", "z"}) place_waiting(job);
  aws_.slow("DescribeAlarms", seconds(60), 2);
  const SweepReport report = run(on_alarm());
  EXPECT_FALSE(report.failure());
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.in_alarm, 1U);
  EXPECT_EQ(report.orphans, 1U);
  ASSERT_FALSE(records_.empty());
  EXPECT_EQ(records_[0].job, "z");
  EXPECT_TRUE(records_[0].unconfirmed());
  EXPECT_FALSE(stands("a/idle"));
}

// 450 jobs are five pages, of which 120 s suffice for four. The first of the next sweep is that of
// the job that was listed last, and all are listed by the second.
TEST_F(SlowLists, S1_AListThatTimeCutsGoesOnWhereItStood) {
  for (int i = 0; i < 450; ++i)
    aws_.place({.name = fmt::format("job-{}", i), .age = minutes(1000 - i), .tags = kOrderly});
  const rules::Policy with = policy(kTeam);
  aws_.place({.name = "youngest", .age = minutes(1)});
  aws_.place({.name = "oldest", .age = hours(20), .tags = kOrderly});
  aws_.slow("Search", seconds(30), 4);
  const SweepReport cut = run(with);
  EXPECT_TRUE(cut.incomplete);
  EXPECT_EQ(cut.running, 400U);
  EXPECT_EQ(aws_.status("youngest"), "InProgress");
  aws_.slow("Search", seconds(60), 2);  // no more than two pages now
  run(with);
  EXPECT_NE(aws_.status("youngest"), "InProgress") << "those that were left come first";
  EXPECT_FALSE(run(with).incomplete);
  aws_.calls.clear();
  const SweepReport whole = run(with);
  EXPECT_EQ(whole.running, 452U) << "the youngest is stopping";
  EXPECT_EQ(aws_.count("Search"), 6) << "five pages and the ended ones: nothing is listed twice";
  EXPECT_EQ(aws_.count("PutItem"), 0);
}

TEST_F(SlowLists, S1_WithoutATableThatCanBeReadAListBeginsSomewhere) {
  place("job-1");
  aws_.refuse("GetItem", kDenied);
  run(policy(kTeam));
  EXPECT_NE(aws_.status("job-1"), "InProgress");
  EXPECT_EQ(aws_.count("Search"), 4) << "two halves of each list";
}

// Of a job whose alarms the list did not come to, nobody knows; before that, one is missing.
TEST_F(SlowLists, W2_W3_AlarmsAreMissingOrLeftOverAlsoBehindTheCut) {
  fill_alarms("m", 150);
  put_alarm("y/idle");
  for (const char* job : {"z", "m", "b"}) place(job, kOrderly);
  for (const char* job : {"e", "y"}) place_ended(job, "Completed", hours(1));
  aws_.slow("DescribeAlarms", seconds(120));
  const SweepReport report = run(on_alarm());
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.to_look_at, 4U);
  EXPECT_EQ(report.looked_at, 4U);
  for (const char* job : {"z", "m", "b"}) EXPECT_TRUE(stands(std::string(job) + "/idle")) << job;
  EXPECT_FALSE(stands("y/idle"));
}

TEST_F(SlowLists, S1_APageThatTimeCutsOffIsNoFailure) {
  put_alarm("gone/idle");
  time_out("Search", seconds(180));  // 140 s are left: what running jobs may take is over
  const SweepReport report = run(kNothing);
  EXPECT_FALSE(report.failure());
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.orphans, 1U);
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(SlowLists, F1_ATimeOutWithTimeLeftIsAFailure) {
  put_alarm("gone/idle");
  time_out("Search", seconds(30));
  const SweepReport report = run(kNothing);
  ASSERT_TRUE(report.failure());
  EXPECT_EQ(report.failure()->code, ErrorCode::kTimeout);
  EXPECT_EQ(report.looked_at, 0U);
  EXPECT_EQ(aws_.alarms().size(), 1U);
}

// 240 s are for looks, and three eighths of them for alarms in ALARM.
TEST_F(SlowLists, S1_AlarmsInAlarmDoNotTakeTheTimeOfLeftOverOnes) {
  for (const char* job : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    put_alarm(std::string(job) + "/idle", "ALARM");
    place_waiting(job);
  }
  put_alarm("gone/idle");
  // Each alarm in ALARM costs two of them, of which the first is slow.
  for (const int quick : {1, 2, 1, 1, 1}) {
    aws_.slow("DescribeTrainingJob", seconds(50));
    aws_.spare("DescribeTrainingJob", quick);
  }
  const SweepReport report = run(on_alarm());
  EXPECT_EQ(report.orphans, 1U);
  EXPECT_EQ(report.looked_at, 6U);
  EXPECT_FALSE(stands("gone/idle"));
}

}  // namespace
}  // namespace trainwarden::actions::sweep_lists_test
