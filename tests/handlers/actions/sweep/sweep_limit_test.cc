// limits.stops_per_sweep (P7): what counts, and what a sweep does that holds back.
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_test {
namespace {

TEST_F(SweepTest, P7_MoreThanStopsPerSweepStopsNone) {
  expect_census("", page({found("a", kUntagged), found("b", kUntagged), found("c", kUntagged)}));
  for (const char* job : {"a", "b", "c"}) expect_look(job, kUntagged);
  const SweepReport report = run(policy(kTagRule, 2));
  EXPECT_TRUE(report.held_back);
  EXPECT_EQ(report.would_act, 3U);
  ASSERT_TRUE(report.failure());
  EXPECT_EQ(report.failure()->code, ErrorCode::kLimitExceeded);
  EXPECT_NE(report.failure()->message.find("stops_per_sweep is 2"), std::string::npos);
  EXPECT_EQ(report.examples, (std::vector<std::string>{"a", "b", "c"}));
}

// What else was decided about the jobs goes on: tags here, and what another mode's rule says.
TEST_F(SweepTest, P7_HoldsBackStopsAndNothingElse) {
  constexpr const char* kMore = R"(,
    { "name": "mark", "match": { "job": { "SecondaryStatus": ["Training"] } },
      "actions": [{ "tag": { "seen": "yes" } }] },
    { "name": "seen", "mode": "observe", "match": { "job": { "SecondaryStatus": ["Training"] } },
      "actions": ["stop"] },
    { "name": "loud", "match": { "job": { "SecondaryStatus": ["Training"] } },
      "actions": ["stop", "notify"] })";
  expect_census("", page({found("a", kUntagged), found("b", kUntagged)}));
  // The limit is 0: each is held back as soon as it was looked at.
  for (const char* job : {"a", "b"}) {
    expect_look(job, kUntagged);
    expect_look(job, kUntagged);  // the tag's look before acting
    transport_.expect("SageMaker.AddTags", 200);
  }
  const SweepReport report = run(policy(std::string(kTagRule) + kMore, 0));
  EXPECT_TRUE(report.held_back);
  EXPECT_EQ(report.would_act, 2U);
  ASSERT_EQ(records_.size(), 2U);
  for (const Record& record : records_) {
    ASSERT_EQ(record.decisions.size(), 4U);
    const auto result = [&](std::size_t rule, std::size_t action) {
      return rules::text(record.decisions[rule].actions.at(action).result);
    };
    EXPECT_EQ(result(0, 0),
              "held back: the sweep would stop or copy more jobs than limits.stops_per_sweep, 0");
    EXPECT_EQ(result(1, 0), "tagged");
    EXPECT_EQ(result(2, 0), "observed");
    EXPECT_TRUE(result(3, 1).starts_with("not told: held back: ")) << result(3, 1);
    EXPECT_FALSE(record.failure());
  }
}

// Throttled looks must not let stops pass the limit.
TEST_F(SweepTest, P7_AJobOfWhichNobodyKnowsWhetherItRunsCounts) {
  constexpr const char* kIdle = R"(
    { "name": "always", "match": { "event": { "trigger": ["sweep"] } }, "actions": ["stop"] })";
  expect_census("", page({found("a", kTagged)}));
  transport_.expect("SageMaker.DescribeTrainingJob", 400,
                    R"({"__type":"ThrottlingException","message":"Rate exceeded"})");
  transport_.expect("SageMaker.DescribeTrainingJob", 400,
                    R"({"__type":"ThrottlingException","message":"Rate exceeded"})");
  const SweepReport report = run(policy(kIdle, 0));
  EXPECT_EQ(report.would_act, 1U);
  EXPECT_TRUE(report.held_back);
}

TEST_F(SweepTest, P7_AsManyAsStopsPerSweepAreStopped) {
  expect_census("", page({found("a", kUntagged), found("b", kUntagged)}));
  for (const char* job : {"a", "b"}) expect_look(job, kUntagged);
  for (const char* job : {"a", "b"}) expect_stop(job);
  const SweepReport report = run(policy(kTagRule, 2));
  EXPECT_FALSE(report.held_back);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_FALSE(report.failure());
}

TEST_F(SweepTest, P7_WhatIsOnlyObservedDoesNotCount) {
  expect_census("", page({found("a", kUntagged), found("b", kUntagged)}));
  for (const char* job : {"a", "b"}) expect_look(job, kUntagged);
  const SweepReport report = run(policy(kTagRule, 1, "observe"));
  EXPECT_EQ(report.would_act, 0U);
  EXPECT_EQ(records_.size(), 2U);
  EXPECT_FALSE(report.failure());
}

constexpr const char* kResume = R"(
  { "name": "resume", "match": { "job": { "TrainingJobStatus": ["Failed"] } },
    "actions": [{ "restart": { "limit": 3 } }] })";

std::string failed(const std::string& job, const std::string& more) {
  return "{" + members(job, "Failed", "Failed") +
         fmt::format(R"(,"TrainingEndTime":{},"RoleArn":"arn:aws:iam::1:role/r")", kNow - 60) +
         more + "}";
}

// P7 counts what would happen: jobs whose restart a guard refuses are not among it.
TEST_F(SweepTest, P7_ARestartThatAGuardRefusesDoesNotCount) {
  expect_census("", page({}), page({found("f", kTagged, "Failed"), found("g", kTagged, "Failed")}));
  const std::string tuned =
      R"(,"TuningJobArn":"arn:aws:sagemaker:eu-central-1:111122223333:hyper-parameter-tuning-job/t")";
  for (const char* job : {"f", "g"}) {
    // For the rule and an intent, for whether it would be copied, and for the restart itself: the
    // look before acting, then once more with the tags.
    for (const bool with_tags : {true, true, false, true}) {
      transport_.expect("SageMaker.DescribeTrainingJob", 200, failed(job, tuned));
      if (with_tags) transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");
    }
  }
  const SweepReport report = run(policy(kResume, 0));
  EXPECT_EQ(report.would_act, 0U);
  EXPECT_FALSE(report.held_back);
  ASSERT_EQ(records_.size(), 2U);
  EXPECT_TRUE(rules::text(records_[0].decisions.at(0).actions.at(0).result)
                  .starts_with("refused: it belongs to"))
      << rules::text(records_[0].decisions.at(0).actions.at(0).result);
}

// Somebody has run it again on the same checkpoint: no copy will be made, and nothing be held back.
TEST_F(SweepTest, P7_ACopyThatAnotherJobOnTheCheckpointForbidsDoesNotCount) {
  constexpr const char* kCheckpoint = R"(,"CheckpointConfig":{"S3Uri":"s3://b/c"})";
  expect_census("", page({found("bad", kUntagged)}), page({found("f", kTagged, "Failed")}));
  expect_look("bad", kUntagged);
  for (int i = 0; i < 2; ++i) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, failed("f", kCheckpoint));
    transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");
  }
  const std::string rerun = R"({"TrainingJob":{)" + members("rerun") + kCheckpoint + "}}";
  const std::string runs = "{" + members("rerun") + kCheckpoint + "}";
  transport_.expect("SageMaker.Search", 200, page({rerun}));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, runs);
  transport_.expect("SageMaker.DescribeTrainingJob", 200, failed("f", kCheckpoint));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, failed("f", kCheckpoint));
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");
  transport_.expect("SageMaker.Search", 200, page({rerun}));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, runs);
  expect_stop("bad");
  const SweepReport report = run(policy(std::string(kTagRule) + "," + kResume, 1));
  EXPECT_EQ(report.would_act, 1U);
  EXPECT_FALSE(report.held_back);
}

// Jobs that found no machines and ended so many minutes ago; their own events decided on copies,
// if they bear the tag.
struct NoMachines {
  std::string job;
  long minutes;
  std::string tags =
      fmt::format(R"([{{"Key":"trainwarden:waits","Value":"{}"}}])",
                  rfc3339(sys_seconds(std::chrono::seconds(kNow - minutes * 60 + 900))));

  std::string describe() const {
    return "{" + members(job, "Failed", "Failed") +
           fmt::format(R"(,"TrainingEndTime":{},"RoleArn":"arn:aws:iam::1:role/r",)"
                       R"("FailureReason":"CapacityError: Unable to provision"}})",
                       kNow - minutes * 60);
  }
};

class CapacityTest : public SweepTest {
 protected:
  void expect_read(const NoMachines& job) {
    transport_.expect("\"TrainingJobName\":\"" + job.job + "\"", 200, job.describe());
    transport_.expect("SageMaker.ListTags", 200, R"({"Tags":)" + job.tags + "}");
  }
  // For the rule and an intent, and for whether it would be copied.
  void expect_considered(const NoMachines& job) {
    expect_read(job);
    expect_read(job);
  }
  void expect_copy(const NoMachines& job) {
    transport_.expect("\"TrainingJobName\":\"" + job.job + "\"", 200, job.describe());
    expect_read(job);
    transport_.expect("SageMaker.CreateTrainingJob", 200, R"({"TrainingJobArn":"arn"})");
    transport_.expect("SageMaker.AddTags", 200);
  }
};

// A capacity outage: six waits are over, and five copies are made, of the jobs that ended first.
// Stops of the same sweep are none of theirs.
TEST_F(CapacityTest, A4_P7_CopiesThatWaitedForMachinesAreMadeInTurnAndHoldNothingBack) {
  const std::vector<NoMachines> jobs = {{"f20", 20}, {"f60", 60}, {"f40", 40}};
  expect_census("", page({found("bad", kUntagged)}),
                page({found("f20", kTagged, "Failed"), found("f60", kTagged, "Failed"),
                      found("f40", kTagged, "Failed")}));
  expect_look("bad", kUntagged);
  for (const NoMachines& job : jobs) expect_considered(job);
  expect_stop("bad");
  expect_copy(jobs[1]);
  expect_copy(jobs[2]);
  const SweepReport report = run(policy(std::string(kTagRule) + "," + kResume, 2));
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.would_act, 1U);
  EXPECT_EQ(report.waiting, 1U);
  ASSERT_EQ(records_.size(), 4U);
  EXPECT_EQ(records_[0].job, "f20");
  EXPECT_EQ(rules::text(records_[0].decisions.at(0).actions.at(0).result),
            "waits: a later sweep asks for its machines, 2 at a time (limits.stops_per_sweep)");
  EXPECT_TRUE(rules::text(records_[2].decisions.at(0).actions.at(0).result)
                  .starts_with("copied as f60-r1-"));
}

TEST_F(CapacityTest, P7_StopsThatAreHeldBackHoldNoCopyThatWaitedForMachines) {
  const NoMachines job{"f", 20};
  expect_census("", page({found("a", kUntagged), found("b", kUntagged)}),
                page({found("f", kTagged, "Failed")}));
  for (const char* bad : {"a", "b"}) expect_look(bad, kUntagged);
  expect_considered(job);
  expect_copy(job);
  const SweepReport report = run(policy(std::string(kTagRule) + "," + kResume, 1));
  EXPECT_TRUE(report.held_back);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_EQ(records_.size(), 3U);
}

// A policy that copies such jobs since a moment ago is no other edit: P7 to the letter.
TEST_F(CapacityTest, P7_CopiesThatNoEventDecidedOnCount) {
  const std::vector<NoMachines> jobs = {{"f", 20, "[]"}, {"g", 20, "[]"}};
  expect_census("", page({}), page({found("f", kTagged, "Failed"), found("g", kTagged, "Failed")}));
  for (const NoMachines& job : jobs) expect_considered(job);
  const SweepReport report = run(policy(kResume, 1));
  EXPECT_TRUE(report.held_back);
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_EQ(report.waiting, 0U);
}

TEST_F(SweepTest, P7_CopiesCountLikeStops) {
  expect_census("", page({}), page({found("f", kTagged, "Failed"), found("g", kTagged, "Failed")}));
  for (const char* job : {"f", "g"})
    for (int i = 0; i < 2; ++i) {
      transport_.expect("SageMaker.DescribeTrainingJob", 200, failed(job, ""));
      transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");
    }
  const SweepReport report = run(policy(kResume, 1));
  EXPECT_TRUE(report.held_back);
  EXPECT_EQ(report.would_act, 2U);
}

}  // namespace
}  // namespace trainwarden::actions::sweep_test
