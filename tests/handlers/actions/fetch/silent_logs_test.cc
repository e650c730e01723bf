// A hang without a metric (policy.md F12): jobs that train and whose logs are silent.
#include "handlers/actions/fetch/silent_logs.h"

#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::silent_logs_test {
namespace {

constexpr const char* kHang = R"(
  {"name": "hang", "match": {"event": {"trigger": ["sweep"]},
                             "logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}},
   "actions": ["stop", "notify"]})";
constexpr const char* kLogsGroup = "/aws/sagemaker/TrainingJobs";

// A rule that asks for silence of that form, in its match or its unless.
std::string asks(const std::string& form, const std::string& name = "r",
                 const std::string& where = "match") {
  const std::string silence =
      fmt::format(R"({{"logs": {{"silent_seconds": [{{"numeric": [{}]}}]}}}})", form);
  if (where == "match")
    return fmt::format(R"({{"name": "{}", "match": {}, "actions": ["stop"]}})", name, silence);
  return fmt::format(
      R"({{"name": "{}", "match": {{"job": {{"TrainingJobStatus": ["InProgress"]}}}}, "unless": {},
           "actions": ["stop"]}})",
      name, silence);
}

class SilentLogsTest : public SweepTest {
 protected:
  void train(const std::string& job = "job-1", seconds since = hours(3), const Tags& tags = {}) {
    aws_.place({.name = job, .age = since + minutes(5), .since = since, .tags = tags});
  }
  // A line of a job's host, so long ago.
  void log(const std::string& job, milliseconds before, int host = 1) {
    const std::string stream = fmt::format("{}/algo-{}-1", job, host);
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kLogsGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}"}})", kLogsGroup, stream));
    const auto at = (now() - before).time_since_epoch().count();
    ASSERT_TRUE(aws_.call(
        "PutLogEvents",
        fmt::format(
            R"({{"logGroupName":"{}","logStreamName":"{}","logEvents":[{{"timestamp":{},"message":"x"}}]}})",
            kLogsGroup, stream, at)));
  }
  // As the functions tell it: whole seconds.
  sys_millis now() const { return std::chrono::floor<seconds>(clock_.now()); }
  void measure(const std::string& job, seconds before) {
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"CPUUtilization",)"
            R"("Dimensions":[{{"Name":"Host","Value":"{}/algo-1"}}],"Timestamp":{},"Value":3}}]}})",
            job, (now() - before).time_since_epoch().count() / 1000)));
  }
  // One that hung seventy minutes ago, beside one that goes on.
  void place_hang() {
    train();
    log("job-1", minutes(70));
    train("other");
    log("other", seconds(20));
  }
  // Ten minutes later, with the other job writing on.
  void ten_minutes() {
    aws_.pass(minutes(10));
    log("other", seconds(20));
  }
  const Record* record_of(const std::string& job) const {
    for (const Record& record : records_)
      if (record.job == job) return &record;
    return nullptr;
  }
  bool skipped(const std::string& job = "job-1") const {
    const Record* const record = record_of(job);
    return record != nullptr && record->skipped.size() == 1 && record->decisions.empty();
  }
  // Swept twice, ten minutes apart.
  bool is_stopped(const std::string& rules = kHang, const std::string& job = "job-1") {
    run(rules);
    aws_.pass(minutes(10));
    run(rules);
    return aws_.status(job) == "Stopping";
  }
};

TEST_F(SilentLogsTest, F12_P7_AHangWithoutAMetricIsSeenFirstAndStoppedTenMinutesLater) {
  place_hang();
  run(kHang);
  ASSERT_NE(record_of("job-1"), nullptr);
  EXPECT_TRUE(because(*record_of("job-1"), Why::kSilentUntilRecheck));
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
  ten_minutes();
  run(kHang);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_EQ(aws_.status("other"), "InProgress");
  EXPECT_TRUE(told("logs.silent_seconds"));
  EXPECT_EQ(record_of("job-1")->decisions[0].decision.because.back().value, "4800");  // exactly
}

TEST_F(SilentLogsTest, F12_AJobThatWritesAgainIsSeenAnew) {
  place_hang();
  run(kHang);
  ten_minutes();
  log("job-1", seconds(5));
  run(kHang);
  EXPECT_TRUE(record_of("job-1")->decisions.empty());
  aws_.pass(hours(2));  // silent for as long, again
  log("other", seconds(20));
  run(kHang);
  EXPECT_TRUE(because(*record_of("job-1"), Why::kSilentUntilRecheck));
  ten_minutes();
  run(kHang);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(SilentLogsTest, F12_AnyHostThatWritesSpeaksForTheJob) {
  place_hang();
  log("job-1", minutes(30), 7);
  EXPECT_FALSE(is_stopped());
}

TEST_F(SilentLogsTest, F12_AJobWhoseNameBeginsAlikeSpeaksForNoOther) {
  place_hang();
  train("job-1-b");
  log("job-1-b", seconds(20));
  EXPECT_TRUE(is_stopped());
}

TEST_F(SilentLogsTest, F12_SilenceBeforeTheCurrentTrainingSegmentDoesNotCount) {
  place_hang();
  aws_.enter("job-1", "Interrupted");
  aws_.enter("job-1", "Training");
  aws_.pass(minutes(49));
  log("other", seconds(20));
  EXPECT_FALSE(is_stopped());
  EXPECT_EQ(record_of("job-1"), nullptr);  // not even looked at
  ten_minutes();                           // an hour and nine minutes, and it has not said a word
  EXPECT_TRUE(is_stopped());
}

TEST_F(SilentLogsTest, F12_AJobThatDoesNotTrainIsNotSilent) {
  for (const char* secondary : {"Starting", "Downloading", "Interrupted", "Uploading"}) {
    aws_.place({.name = "job-1", .secondary = secondary, .age = hours(5), .since = hours(4)});
    log("job-1", hours(4));
    log("other", seconds(20));
    EXPECT_FALSE(is_stopped()) << secondary;
  }
  EXPECT_EQ(aws_.count("FilterLogEvents"), 0);
}

TEST_F(SilentLogsTest, F12_AJobThatNeverWroteALineHasNoLogs) {
  train();
  train("other");
  log("other", seconds(20));
  EXPECT_FALSE(is_stopped());
  EXPECT_FALSE(skipped());
}

TEST_F(SilentLogsTest, F12_WhatADeletedNamesakeWroteIsNotItsOwn) {
  train();
  log("job-1", hours(5));
  train("other");
  log("other", seconds(20));
  EXPECT_FALSE(is_stopped());
}

TEST_F(SilentLogsTest, F12_AnOutageOfLogsStopsNone) {
  for (const char* job : {"job-1", "job-2", "job-3"}) {
    train(job);
    log(job, minutes(65));
    measure(job, minutes(3));
  }
  for (const char* job : {"job-1", "job-2", "job-3"}) EXPECT_FALSE(is_stopped(kHang, job));
  EXPECT_TRUE(skipped());
  // Nothing is asked for again at once because of it.
  EXPECT_FALSE(record_of("job-1")->failure());
  EXPECT_NE(rules::text(record_of("job-1")->skipped[0]).find("not confirmed"), std::string::npos);
}

// What came before the outage shows nothing.
TEST_F(SilentLogsTest, F12_TheWitnessIsOfTheLaterHalfOfTheSilence) {
  train();
  log("job-1", minutes(70));
  train("other");
  log("other", minutes(31));
  run(kHang);
  EXPECT_TRUE(skipped());
  log("other", minutes(29));
  run(kHang);
  EXPECT_TRUE(because(*record_of("job-1"), Why::kSilentUntilRecheck));
}

TEST_F(SilentLogsTest, F12_AJobThatTrainsAloneIsWitnessedByItsHost) {
  train();
  log("job-1", minutes(70));
  EXPECT_FALSE(is_stopped());
  EXPECT_TRUE(skipped());
  measure("job-1", minutes(16));
  EXPECT_FALSE(is_stopped());
  measure("job-1", minutes(3));
  run(kHang);
  aws_.pass(minutes(10));
  measure("job-1", minutes(3));
  run(kHang);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

TEST_F(SilentLogsTest, F12_MoreSilentJobsThanTheLimitAreAnOutage) {
  train("other");
  for (int i = 0; i < 4; ++i) {
    train(fmt::format("job-{}", i));
    log(fmt::format("job-{}", i), minutes(70));
  }
  log("other", seconds(20));
  run(kHang);
  ten_minutes();
  run(kHang);
  EXPECT_EQ(stopping(), 0);
  EXPECT_TRUE(because(*record_of("job-1"), Why::kSilentPerHour));
}

// They are seen, and stopped, however few jobs may be stopped because of what describes them.
TEST_F(SilentLogsTest, P7_SilentLogsAreMeasuredAndNotHeldBackByASweepsLimit) {
  const std::string team =
      R"(, {"name": "no-p5", "match": {"tags": {"team": ["nobody"]}}, "actions": ["stop"]})";
  const rules::Policy rules = policy(
      kHang + team, "enforce", R"("limits":{"stops_per_sweep":1,"silent_stops_per_hour":10},)");
  train("other");
  train("nobodys", hours(3), {{"team", "nobody"}});
  for (int i = 0; i < 4; ++i) {
    train(fmt::format("job-{}", i));
    log(fmt::format("job-{}", i), minutes(70));
  }
  log("other", seconds(20));
  const SweepReport first = run(rules);
  EXPECT_EQ(first.held_back, 0U);
  EXPECT_EQ(aws_.status("nobodys"), "Stopping");
  ten_minutes();
  const SweepReport second = run(rules);
  EXPECT_EQ(second.held_back, 0U);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(aws_.status(fmt::format("job-{}", i)), "Stopping") << i;
  EXPECT_EQ(aws_.status("other"), "InProgress");
}

// Observe forgets no silence either, though the job writes again.
TEST_F(SilentLogsTest, P3_WhereThePolicyObservesNothingIsWritten) {
  place_hang();
  run(kHang);  // it is seen
  log("job-1", seconds(5));
  const auto written = aws_.count("PutItem");
  run(policy(kHang, "observe"));
  EXPECT_EQ(aws_.count("PutItem"), written);
  run(kHang);
  EXPECT_EQ(aws_.count("PutItem"), written + 1);
}

TEST_F(SilentLogsTest, F1_LogsThatCannotBeReadAreNotSilent) {
  train();
  EXPECT_FALSE(is_stopped());  // there is no log group
  EXPECT_TRUE(skipped());
  EXPECT_FALSE(record_of("job-1")->failure());
  place_hang();
  aws_.refuse("FilterLogEvents", kDenied);
  run(kHang);
  EXPECT_TRUE(skipped());
  EXPECT_FALSE(record_of("job-1")->failure());
  aws_.refuse("FilterLogEvents", testing::kThrottled);
  run(kHang);
  EXPECT_TRUE(skipped());
  EXPECT_TRUE(record_of("job-1")->failure());  // the next try may find them
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
}

TEST_F(SilentLogsTest, F1_AWitnessThatCannotBeAskedForIsNone) {
  train();
  log("job-1", minutes(70));
  measure("job-1", minutes(3));
  const rules::Policy any = policy(asks(R"(">=", 3600)"), "observe");
  EXPECT_EQ(handle(any).decisions.size(), 1U);
  for (const char* operation : {"Search", "GetMetricData"}) {
    aws_.refuse(operation, kDenied);
    const Record record = handle(any);
    EXPECT_TRUE(record.decisions.empty()) << operation;
    EXPECT_EQ(record.skipped.size(), 1U) << operation;
  }
}

TEST_F(SilentLogsTest, F12_AnEmptyPageIsNotTheEnd) {
  place_hang();
  log("job-1", minutes(10));
  aws_.answer_with("FilterLogEvents", R"({"events":[],"nextToken":"0"})");
  run(kHang);
  EXPECT_TRUE(record_of("job-1")->decisions.empty());
  EXPECT_FALSE(skipped());
}

TEST_F(SilentLogsTest, F12_PagesWithoutEndAreNoSilence) {
  place_hang();
  for (int i = 0; i < 60; ++i)
    aws_.answer_with("FilterLogEvents",
                     fmt::format(R"({{"events":[],"nextToken":"{}"}})", 1000 + i));
  run(kHang);
  EXPECT_TRUE(skipped());
  EXPECT_FALSE(record_of("job-1")->failure());
}

TEST_F(SilentLogsTest, F6_LogsAreAskedForOnlyWhereTheRestOfTheRuleHolds) {
  place_hang();
  run(R"({"name": "hang", "match": {"tags": {"team": ["vision"]},
          "logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}}, "actions": ["stop"]})");
  EXPECT_EQ(aws_.count("FilterLogEvents"), 0);
  // An event of the job costs nothing where the rule is for sweeps.
  EXPECT_EQ(kind(handle(kHang)), Kind::kPending);
  EXPECT_EQ(aws_.count("FilterLogEvents") + aws_.count("DescribeTrainingJob"), 0);
  handle(R"({"name": "hang", "match": {"tags": {"team": ["vision"]},
             "logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}}, "actions": ["stop"]})");
  EXPECT_EQ(aws_.count("ListTags"), 1);
  EXPECT_EQ(aws_.count("FilterLogEvents"), 0);
}

TEST_F(SilentLogsTest, F12_AJobThatWritesCostsOneCallOfItsOwn) {
  train();
  log("job-1", seconds(10));
  run(kHang);
  EXPECT_EQ(aws_.count("FilterLogEvents"), 1);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 1);
  EXPECT_EQ(aws_.count("GetMetricData"), 0);
}

TEST_F(SilentLogsTest, F12_TheBoundIsRightAtTheThresholds) {
  train("other");
  train();
  log("job-1", seconds(3600));
  log("other", seconds(20));
  const auto holds = [this](const std::string& rules) {
    Names out;
    for (const DecisionOutcome& one : handle(policy(rules, "observe")).decisions)
      out.push_back(one.decision.rule);
    return out;
  };
  EXPECT_EQ(holds(asks(R"(">=", 3600)")), Names{"r"});
  EXPECT_EQ(holds(asks(R"(">", 3600)")), Names{});
  EXPECT_EQ(holds(asks(R"(">", 3599)")), Names{"r"});
  EXPECT_EQ(holds(asks(R"(">=", 3599.5)")), Names{"r"});
  EXPECT_EQ(holds(asks(R"(">=", 3600.5)")), Names{});
  EXPECT_EQ(holds(asks(R"(">=", 3600)", "r", "unless")), Names{});
  EXPECT_EQ(holds(asks(R"(">", 3600)", "r", "unless")), Names{"r"});
  // Each rule is judged at its own.
  EXPECT_EQ(
      holds(asks(R"(">=", 7200)", "a") + "," + asks(R"(">=", 1800)", "b") + "," +
            asks(R"(">=", 3601)", "c") + "," + asks(R"(">", 1800)", "d") + "," +
            asks(R"(">=", 7200)", "e", "unless") + "," + asks(R"(">=", 1800)", "f", "unless")),
      (Names{"b", "d", "e"}));
}

TEST_F(SilentLogsTest, A1_AJobThatWritesJustBeforeItIsStoppedIsNotStopped) {
  place_hang();
  run(kHang);
  ten_minutes();
  aws_.before("DescribeTrainingJob", [&] { log("job-1", seconds(1)); }, 3);
  run(kHang);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
}

}  // namespace
}  // namespace trainwarden::actions::silent_logs_test
