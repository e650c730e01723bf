// A sweep against scripted answers: what it lists, looks at, does and leaves alone. Its limit is in
// sweep_limit_test.cc.
#include "handlers/actions/sweep/job_census.h"
#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_test {
namespace {

using std::chrono::seconds;

TEST_F(SweepTest, S1_JobsInOrderCostNoCallOfTheirOwn) {
  expect_census("", page({found("a", kTagged), found("b", kTagged)}));
  const SweepReport report = run(policy(kTagRule));
  EXPECT_EQ(report.running, 2U);
  EXPECT_EQ(report.looked_at, 0U);
  EXPECT_FALSE(report.incomplete);
  EXPECT_FALSE(report.failure());
}

TEST_F(SweepTest, S1_AMissedStartIsMadeUpFor) {
  expect_census("", page({found("a", kTagged), found("b", kUntagged)}));
  expect_look("b", kUntagged);
  expect_stop("b");
  const SweepReport report = run(policy(kTagRule));
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_EQ(report.would_act, 1U);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(records_[0].job, "b");
  EXPECT_EQ(records_[0].trigger, rules::Trigger::kSweep);
  EXPECT_EQ(rules::text(records_[0].decisions.at(0).actions.at(0).result), "stopped");
}

TEST_F(SweepTest, S1_SearchOnlyNominates) {
  expect_census("", page({found("late", kUntagged)}));
  expect_look("late", kTagged);  // the tags were there all the time
  const SweepReport report = run(policy(kTagRule));
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_EQ(report.would_act, 0U);
  EXPECT_TRUE(records_.at(0).decisions.empty());
}

TEST_F(SweepTest, S1_DoesNotBeginToActWhenTimeIsOut) {
  const auto slowly = [this](const http::Request&) -> Result<http::Response> {
    clock_.sleep_for(seconds(80));
    return http::Response{200, {}, "{" + members("a") + "}"};
  };
  expect_census("", page({found("a", kUntagged), found("b", kUntagged)}));
  for (const char* job : {"a", "b"}) expect_look(job, kUntagged);
  transport_.expect("SageMaker.DescribeTrainingJob", slowly);
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");
  transport_.expect("SageMaker.Search", 200, page({}));
  transport_.expect("SageMaker.AddTags", 200);
  transport_.expect("SageMaker.StopTrainingJob", 200);
  left_ = seconds(82);
  const SweepReport report = run(policy(kTagRule));
  EXPECT_EQ(report.would_act, 2U);
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.failed, 0U);
  EXPECT_EQ(report.errors, std::vector<std::string>{"no time was left to act on 1 jobs"});
}

TEST_F(SweepTest, F1_AJobThatFailsIsLeftToTheNextSweep) {
  expect_census("", page({found("a", kUntagged), found("b", kUntagged)}));
  transport_.expect("SageMaker.DescribeTrainingJob", 400,
                    R"({"__type":"AccessDeniedException","message":"no"})");
  expect_look("b", kUntagged);
  expect_stop("b");
  const SweepReport report = run(policy(kTagRule));
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(report.looked_at, 2U);
  EXPECT_FALSE(report.failure());
  ASSERT_EQ(report.errors.size(), 1U);
  EXPECT_NE(report.errors[0].find("job a"), std::string::npos);
}

TEST_F(SweepTest, F1_ASearchThatFailsFailsTheSweepButNotWhatItFound) {
  transport_.expect("DescribeAlarms", 200, R"({"MetricAlarms":[]})");
  transport_.expect("SageMaker.Search", 200,
                    R"({"Results":[)" + found("a", kUntagged) + R"(],"NextToken":"t"})");
  transport_.expect("SageMaker.Search", 400,
                    R"({"__type":"AccessDeniedException","message":"no"})");
  transport_.expect("SageMaker.Search", 200, page({})).expect("SageMaker.Search", 200, page({}));
  expect_look("a", kUntagged);
  expect_stop("a");
  const SweepReport report = run(policy(kTagRule));
  EXPECT_TRUE(report.incomplete);
  ASSERT_TRUE(report.failure());
  EXPECT_EQ(report.failure()->code, ErrorCode::kAccessDenied);
}

TEST_F(SweepTest, S1_SearchIsAskedForRunningJobsByAgeFromSomewhereOn) {
  expect_census("", page({}));
  run(policy(kTagRule));
  // random() is 0: from jobs that are 28 days old.
  EXPECT_EQ(
      transport_.sent.at(1).body,
      R"({"Resource":"TrainingJob","MaxResults":100,"SortBy":"CreationTime","SortOrder":"Ascending",)"
      R"("SearchExpression":{"Filters":[{"Name":"TrainingJobStatus","Operator":"Equals","Value":"InProgress"},)"
      R"({"Name":"CreationTime","Operator":"GreaterThanOrEqualTo","Value":"2026-06-04T13:50:13Z"}]}})");
  EXPECT_NE(transport_.sent.at(2).body.find(
                R"({"Name":"CreationTime","Operator":"LessThan","Value":"2026-06-04T13:50:13Z"})"),
            std::string::npos);
}

TEST_F(SweepTest, S1_JobsThatEndedLatelyAreLookedAtAsIfTheirEventCame) {
  constexpr const char* kFailed = R"(
    { "name": "tell", "match": { "job": { "TrainingJobStatus": ["Failed"] } }, "actions": ["notify"] })";
  expect_census("", page({}),
                page({found("f", kTagged, "Failed"), found("g", kTagged, "Completed")}));
  transport_.expect("SageMaker.DescribeTrainingJob", 200,
                    "{" + members("f", "Failed", "Failed") + "}");
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");  // for an intent (A2)
  const SweepReport report = run(policy(kFailed));
  EXPECT_EQ(report.ended, 2U);
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_EQ(records_.at(0).decisions.at(0).decision.rule, "tell");
  // 30 hours before now: intents are looked for longer than rules look back
  EXPECT_NE(
      transport_.sent.at(3).body.find(
          R"({"Name":"LastModifiedTime","Operator":"GreaterThanOrEqualTo","Value":"2026-07-01T07:50:13Z"})"),
      std::string::npos);
}

constexpr const char* kEndedRule = R"(
  { "name": "tell", "match": { "job": { "TrainingJobStatus": ["Failed", "Stopped", "Completed"] } },
    "actions": ["notify"] })";

// A job that ended so many hours ago, in Search and in Describe.
std::string ended_ago(const std::string& job, const std::string& status, int hours) {
  return members(job, status, status) +
         fmt::format(R"(,"LastModifiedTime":{},"TrainingEndTime":{},)"
                     R"("RoleArn":"arn:aws:iam::1:role/r")",
                     kNow - hours * 3600, kNow - hours * 3600);
}

std::string with_tags(const std::string& job, const std::string& tags) {
  return R"({"TrainingJob":{)" + job + R"(,"Tags":)" + tags + "}}";
}

TEST_F(SweepTest, A2_AnIntentThatWasNeverCarriedOutIsMadeVoidAndRulesLookAwayFromOldJobs) {
  // Its stop fitted; CreateTrainingJob was refused for 26 hours.
  const std::string intent =
      fmt::format(R"([{{"Key":"trainwarden:intent","Value":"v1 gen=1 at={}"}}])", kNow - 3600);
  const std::string half = ended_ago("half", "Stopped", 27);
  std::string stopped = half;
  stopped.replace(stopped.find(R"("SecondaryStatusTransitions":[{"Status":"Stopped")"),
                  std::string(R"("SecondaryStatusTransitions":[{"Status":"Stopped")").size(),
                  R"("SecondaryStatusTransitions":[{"Status":"Stopping")");
  expect_census(
      "", page({}),
      page({with_tags(half, intent), with_tags(ended_ago("old", "Failed", 27), kTagged)}));
  for (int i = 0; i < 2; ++i) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + stopped + "}");
    transport_.expect("SageMaker.ListTags", 200, R"({"Tags":)" + intent + "}");
  }
  transport_.expect(R"({"Key":"trainwarden:intent","Value":"void"})", 200);
  const SweepReport report = run(policy(kEndedRule));
  EXPECT_EQ(report.ended, 0U);
  EXPECT_EQ(report.looked_at, 1U);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(records_[0].decisions.empty());
  EXPECT_EQ(rules::text(records_[0].intent->result),
            "intent void: it ended more than 26 hours ago");
}

TEST_F(SweepTest, A2_AnOpenIntentOfAJobThatCompletedIsMadeVoid) {
  const std::string intent =
      fmt::format(R"([{{"Key":"trainwarden:intent","Value":"v1 gen=1 at={}"}}])", kNow - 3600);
  expect_census("", page({}), page({with_tags(ended_ago("c", "Completed", 1), intent)}));
  const std::string completed = "{" + ended_ago("c", "Completed", 1) + "}";
  transport_.expect("SageMaker.DescribeTrainingJob", 200, completed);
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":)" + intent + "}");
  transport_.expect("SageMaker.DescribeTrainingJob", 200, completed);
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":)" + intent + "}");
  transport_.expect(R"({"Key":"trainwarden:intent","Value":"void"})", 200);
  run(policy(kTagRule));
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(rules::text(records_[0].intent->result), "intent void: the job completed all the same");
}

TEST_F(SweepTest, F1_AJobWhoseEndIsUnknownCountsAsFailed) {
  const std::string intent =
      fmt::format(R"([{{"Key":"trainwarden:intent","Value":"v1 gen=1 at={}"}}])", kNow - 3600);
  expect_census("", page({}), page({with_tags(ended_ago("u", "Stopped", 1), intent)}));
  transport_.expect("SageMaker.DescribeTrainingJob", 400,
                    R"({"__type":"AccessDeniedException","message":"no"})");
  const SweepReport report =
      run(policy(R"({"name":"r","match":{"event":{"trigger":["alarm"]}},"actions":["stop"]})"));
  EXPECT_EQ(report.failed, 1U);
}

TEST_F(SweepTest, S1_StopsBeforeItsDeadlineAndSaysHowFarItGot) {
  const auto slowly = [&](const std::string& body, seconds takes) {
    return [this, body, takes](const http::Request&) -> Result<http::Response> {
      clock_.sleep_for(takes);
      return http::Response{200, {}, body};
    };
  };
  expect_census("", page({found("a", kUntagged), found("b", kUntagged)}));
  transport_.expect("SageMaker.DescribeTrainingJob",
                    slowly("{" + members("a") + "}", seconds(200)));
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[{"Key":"team","Value":"x"}]})");
  left_ = seconds(240);
  const SweepReport report = run(policy(kTagRule));
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.to_look_at, 2U);
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_FALSE(report.failure());
}

std::string alarm(const std::string& job, const std::string& state,
                  const std::string& watch = "idle") {
  return R"({"AlarmName":"trainwarden/)" + job + "/" + watch + R"(","StateValue":")" + state +
         "\"}";
}

TEST_F(SweepTest, S1_AlarmsOfJobsThatHaveEndedAreDeletedAfterDescribeSaidSo) {
  expect_census(alarm("ended", "OK", "hang") + "," + alarm("ended", "OK", "idle/2") + "," +
                    alarm("gone", "OK") + "," + alarm("runs", "OK") + "," + alarm("seen", "OK"),
                page({found("seen", kTagged)}));
  for (const std::string job : {"ended", "gone", "runs"}) {
    if (job == "gone")
      transport_.expect(
          "SageMaker.DescribeTrainingJob", 400,
          R"({"__type":"ValidationException","message":"Requested resource not found."})");
    else
      transport_.expect("SageMaker.DescribeTrainingJob", 200,
                        "{" + members(job, job == "ended" ? "Completed" : "InProgress") + "}");
    if (job == "ended")
      transport_.expect(R"("AlarmNames":["trainwarden/ended/hang","trainwarden/ended/idle/2"])",
                        200);
    if (job == "gone") transport_.expect(R"("AlarmNames":["trainwarden/gone/idle"])", 200);
  }
  const SweepReport report = run(policy(kTagRule));
  EXPECT_EQ(report.orphans, 2U);
  EXPECT_EQ(report.looked_at, 3U);
  EXPECT_EQ(report.failed, 0U);
}

TEST_F(SweepTest, S1_WithoutTheWholeListOfRunningJobsNoAlarmIsTakenForLeftOver) {
  transport_.expect("DescribeAlarms", 200, R"({"MetricAlarms":[)" + alarm("a", "OK") + "]}");
  transport_.expect("SageMaker.Search", 400,
                    R"({"__type":"AccessDeniedException","message":"no"})");
  transport_.expect("SageMaker.Search", 200, page({})).expect("SageMaker.Search", 200, page({}));
  const SweepReport report = run(policy(kTagRule));
  EXPECT_EQ(report.orphans, 0U);
  EXPECT_TRUE(report.failure());
}

TEST_F(SweepTest, S1_JobsThatEndedAreReachedAlthoughManyRunningOnesNeedALook) {
  const auto slowly = [&](const std::string& body) {
    return [this, body](const http::Request&) -> Result<http::Response> {
      clock_.sleep_for(seconds(70));
      return http::Response{200, {}, body};
    };
  };
  constexpr const char* kFailed = R"(
    { "name": "tell", "match": { "job": { "TrainingJobStatus": ["Failed"] } }, "actions": ["notify"] })";
  expect_census("", page({found("a", kUntagged), found("b", kUntagged), found("c", kUntagged)}),
                page({found("f", kTagged, "Failed")}));
  for (const char* job : {"a", "b"}) {
    transport_.expect("SageMaker.DescribeTrainingJob", slowly("{" + members(job) + "}"));
    transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");
  }
  transport_.expect("SageMaker.DescribeTrainingJob",
                    slowly("{" + members("f", "Failed", "Failed") + "}"));
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");  // for an intent (A2)
  left_ = seconds(240);  // 60 s are kept for acting, and 45 s of the looks for the jobs that ended
  const SweepReport report = run(policy(std::string(kTagRule) + "," + kFailed, 5, "observe"));
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.looked_at, 3U);
  EXPECT_EQ(records_.back().job, "f");
}

constexpr const char* kWatched = R"({"version":1,"mode":"observe",
  "watches":{"idle":{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,"periods":3,"at_most":1}},
  "rules":[{"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]}]})";

TEST_F(SweepTest, W2_AnAlarmThatIsMissingIsPutAndOneThatStandsCostsNoCall) {
  config_.alarm_topic = "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";
  const auto with = rules::parse_policy(kWatched);
  ASSERT_TRUE(with) << with.error().message;
  const auto job = json::Document::parse("{" + members("stands") + "}");
  const rules::AlarmPlan plan = rules::plan_alarms(
      with->watches()[0], "stands", rules::read_training_job(job->root()), config_.alarm_topic);
  ASSERT_EQ(plan.alarms.size(), 1U);
  std::string standing = plan.alarms[0].body;
  standing.insert(standing.size() - 1, R"(,"StateValue":"OK")");
  expect_census(standing, page({found("stands", kTagged), found("lacks", kTagged)}));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + members("lacks") + "}");
  transport_.expect("\"AlarmNamePrefix\":\"trainwarden/lacks/\"", 200, R"({"MetricAlarms":[]})");
  transport_.expect("\"AlarmName\":\"trainwarden/lacks/idle\"", 200);
  transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + members("lacks") + "}");
  const SweepReport report = run(*with);
  EXPECT_EQ(report.looked_at, 1U);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(records_[0].alarms().created, std::vector<std::string>{"trainwarden/lacks/idle"});
}

TEST_F(SweepTest, W2_WithoutATopicNoAlarmIsMissing) {
  const auto with = rules::parse_policy(kWatched);
  ASSERT_TRUE(with);
  expect_census("", page({found("a", kTagged)}));
  EXPECT_EQ(run(*with).looked_at, 0U);
}

TEST_F(SweepTest, R1_TheReportAddsCallsUp) {
  expect_census("", page({found("a", kTagged)}));
  const SweepReport report = run(policy(kTagRule));
  const json::Document document = report.to_json();
  const std::string text = json::to_text(document.root());
  EXPECT_NE(
      text.find(
          R"({"service":"sagemaker","operation":"Search","calls":4,"attempts":4,"failed":0})"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("complete":true)"), std::string::npos);
}

TEST(RandomStart, S1_ReachesFromSecondsToTheOldestJob) {
  const sys_seconds now{seconds(kNow)};
  EXPECT_EQ(now - random_start(now, 0.0), std::chrono::days(28));
  EXPECT_EQ(now - random_start(now, 0.5), seconds(2362));  // 28 days / 2^10
  EXPECT_EQ(now - random_start(now, 1.0), seconds(2));
}

}  // namespace
}  // namespace trainwarden::actions::sweep_test
