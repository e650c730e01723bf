// Issue 39.1: what is read about one job is bounded, so that a sweep gets to the others; and what a
// failed job's log says is read once.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::read_bounds_test {
namespace {

constexpr const char* kLogsGroup = "/aws/sagemaker/TrainingJobs";
constexpr const char* kAgain = R"(
  {"name": "tell", "match": {"failure": {"resume": ["yes", "once", "no"]}}, "actions": ["notify"]})";
constexpr const char* kStored = R"(
  {"name": "stored", "match": {"event": {"trigger": ["sweep"]}, "checkpoint": {"exists": [true]}},
   "actions": ["stop"]})";
constexpr const char* kSilentLoss = R"(
  {"name": "watch", "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": [{"watch": ["loss"]}]},
  {"name": "stop-silent", "match": {"alarm": {"watch": ["loss"], "state": ["ALARM"]}}, "actions": ["stop"]})";

class ReadBounds : public SweepTest {
 protected:
  // A page of a log, of about a megabyte, that is not the last. Its lines come oldest first.
  static std::string page(int number, const std::string& line = std::string(1000, 'x')) {
    std::string out = R"({"events":[)";
    for (int i = 0; i < 1000; ++i)
      out += fmt::format(R"({}{{"logStreamName":"big/algo-1-1","timestamp":{},"message":"{}"}})",
                         i == 0 ? "" : ",", 1'783'000'000'000 + number * 1000 + i, line);
    return out + fmt::format(R"(],"nextToken":"{}"}})", 1000 + number);
  }
  void log_is_long(int pages) {
    for (int i = 0; i < pages; ++i) aws_.answer_with("FilterLogEvents", page(i));
  }
  void fail(const std::string& job, seconds since = hours(1)) {
    place_ended(job, "Failed", since, R"(,"FailureReason":"AlgorithmError: , exit code: 1")");
  }
  void log(const std::string& job, const std::string& line, seconds before) {
    const std::string stream = job + "/algo-1-1";
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kLogsGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}"}})", kLogsGroup, stream));
    const auto at = (clock_.now() - before).time_since_epoch().count();
    ASSERT_TRUE(aws_.call(
        "PutLogEvents",
        fmt::format(
            R"({{"logGroupName":"{}","logStreamName":"{}","logEvents":[{{"timestamp":{},"message":"{}"}}]}})",
            kLogsGroup, stream, at, line)));
  }
  const Record* record_of(const std::string& job) const {
    for (const Record& record : records_)
      if (record.job == job) return &record;
    return nullptr;
  }
  // The job's one rule could not be decided, and nothing comes again for it.
  void expect_left_undecided(const std::string& job) {
    const Record* const record = record_of(job);
    ASSERT_NE(record, nullptr);
    ASSERT_EQ(record->skipped.size(), 1U);
    EXPECT_FALSE(record->skipped[0].comes_again);
    EXPECT_FALSE(record->failure());
    EXPECT_TRUE(record->decisions.empty());
  }
};

// Where the service can only begin with the oldest event.
TEST_F(ReadBounds, Issue39_1_ALongLogIsReadUpTo20MBAndLeavesTheOtherJobs) {
  fail("big");
  place("nobodys");
  log_is_long(60);
  const SweepReport report = run(std::string(kAgain) + "," + kTeam);
  EXPECT_LE(aws_.count("FilterLogEvents"), 25);
  expect_left_undecided("big");
  EXPECT_EQ(record_of("big")->skipped[0].errors[0].error.code, ErrorCode::kTooLarge);
  EXPECT_EQ(aws_.status("nobodys"), "Stopping");
  EXPECT_EQ(report.work_left(), 0U);
}

TEST_F(ReadBounds, Issue39_1_ALogThatIsTooLargeIsNotReadInTheNextSweep) {
  fail("big");
  log_is_long(100);
  run(kAgain);
  const auto asked = aws_.count("FilterLogEvents");
  run(kAgain);
  EXPECT_EQ(aws_.count("FilterLogEvents"), asked);
  expect_left_undecided("big");
}

TEST_F(ReadBounds, Issue39_1_ASlowLogIsGivenUpAfterTenSeconds) {
  fail("big");
  for (int i = 0; i < 100; ++i)
    aws_.answer_with("FilterLogEvents",
                     fmt::format(R"({{"events":[],"nextToken":"{}"}})", 1000 + i));
  aws_.slow("FilterLogEvents", seconds(2), 100);
  run(kAgain);
  EXPECT_LE(aws_.count("FilterLogEvents"), 6);
  expect_left_undecided("big");
}

// With half a minute left there might have been more time, so that the event comes again.
TEST_F(ReadBounds, Issue39_1_WithLessLeftLessIsReadAndTheEventComesAgain) {
  left_ = seconds(8);
  fail("big");
  for (int i = 0; i < 100; ++i)
    aws_.answer_with("FilterLogEvents",
                     fmt::format(R"({{"events":[],"nextToken":"{}"}})", 1000 + i));
  aws_.slow("FilterLogEvents", seconds(1), 100);
  const Record record = handle(policy(kAgain), event("big"));
  EXPECT_LE(aws_.count("FilterLogEvents"), 5);
  EXPECT_TRUE(record.failure());
}

TEST_F(ReadBounds, Issue39_1_PagesWithoutEventsAreBoundedToo) {
  fail("big");
  for (int i = 0; i < 100; ++i)
    aws_.answer_with("FilterLogEvents",
                     fmt::format(R"({{"events":[],"nextToken":"{}"}})", 1000 + i));
  run(kAgain);
  EXPECT_LE(aws_.count("FilterLogEvents"), 50);
  expect_left_undecided("big");
}

TEST_F(ReadBounds, Issue39_1_WhatTheLogSaysIsReadOnceAndRemembered) {
  fail("job-1");
  log("job-1", "RuntimeError: CUDA error: uncorrectable ECC error encountered", minutes(61));
  run(kAgain);
  ASSERT_NE(record_of("job-1"), nullptr);
  ASSERT_EQ(record_of("job-1")->decisions.size(), 1U);
  const auto because = record_of("job-1")->decisions[0].decision.because;
  const auto asked = aws_.count("FilterLogEvents");
  EXPECT_GT(asked, 0);
  run(kAgain);
  EXPECT_EQ(aws_.count("FilterLogEvents"), asked);
  ASSERT_EQ(record_of("job-1")->decisions.size(), 1U);
  const auto again = record_of("job-1")->decisions[0].decision.because;
  ASSERT_EQ(again.size(), because.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(again[i].path(), because[i].path());
    EXPECT_EQ(again[i].value, because[i].value);
  }
  // By other signatures it is read anew.
  run(std::string(kAgain) + "," + kTeam);
  EXPECT_GT(aws_.count("FilterLogEvents"), asked);
}

TEST_F(ReadBounds, Issue39_1_P3_ObserveAndNotifyRememberNothing) {
  fail("job-1");
  log("job-1", "RuntimeError: CUDA error: uncorrectable ECC error encountered", minutes(61));
  for (const char* mode : {"observe", "notify"}) {
    const auto before = aws_.count("FilterLogEvents");
    run(policy(kAgain, mode));
    const auto once = aws_.count("FilterLogEvents");
    run(policy(kAgain, mode));
    EXPECT_GT(once, before) << mode;
    EXPECT_GT(aws_.count("FilterLogEvents"), once) << mode;  // read again
  }
}

// Lines arrive late: what the first ones say is no verdict.
TEST_F(ReadBounds, Issue39_1_WhatIsReadAtTheEndItselfIsNotRemembered) {
  fail("job-1", seconds(5));
  log("job-1", "step 1", seconds(20));
  run(kAgain);
  const auto asked = aws_.count("FilterLogEvents");
  log("job-1", "RuntimeError: CUDA error: uncorrectable ECC error encountered", seconds(6));
  aws_.pass(minutes(10));
  run(kAgain);
  EXPECT_GT(aws_.count("FilterLogEvents"), asked);
  EXPECT_EQ(record_of("job-1")->decisions[0].decision.because[0].value, "yes");
}

TEST_F(ReadBounds, Issue39_1_AJobsAlarmsWithoutEndAreLeftToTheSweep) {
  place_ended("job-1", "Completed", hours(1));
  const auto watch =
      policy(kSilentLoss, "enforce",
             R"("watches":{"loss":{"metric":"train:loss","source":"algorithm","statistic":"Average",
                "period_seconds":300,"periods":6,"at_most":1}},)");
  for (int i = 0; i < 100; ++i)
    aws_.answer_with("DescribeAlarms",
                     fmt::format(R"({{"MetricAlarms":[],"NextToken":"{}"}})", 1000 + i));
  const Record record = handle(watch, event());
  EXPECT_EQ(aws_.count("DescribeAlarms"), 50);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(record.alarms().left, Names{"trainwarden/job-1/"});
}

TEST_F(ReadBounds, Issue39_1_WhatASweepLeavesIsCounted) {
  for (int i = 0; i < 30; ++i) place(fmt::format("job-{}", i));
  aws_.slow("DescribeTrainingJob", seconds(30), 100);
  const SweepReport report = run(kTeam);
  EXPECT_GT(report.work_left(), 0U);
  EXPECT_EQ(report.work_left(), report.to_look_at - report.looked_at + report.unreached);
  EXPECT_NE(json::to_text(report.to_json().root()).find(R"("left":)"), std::string::npos);
  aws_.faults.clear();
  run(kTeam);
  EXPECT_EQ(run(kTeam).work_left(), 0U);
}

}  // namespace
}  // namespace trainwarden::actions::read_bounds_test
