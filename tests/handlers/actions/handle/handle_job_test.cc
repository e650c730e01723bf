// One job's way through decide, gather, recheck and execute, against scripted answers. How it is
// stopped is in stop_test.cc.
#include "tests/handlers/actions/handle/handle_job_fixture.h"

namespace trainwarden::actions::handle_job_test {
namespace {

TEST_F(HandleJobTest, F6_AnEventThatNoRuleCanMatchCostsNoCall) {
  event_.training_job_status = "Completed";
  event_.secondary_status = "Completed";
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(record.conclusion, Conclusion::kDecided);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_TRUE(transport_.sent.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F1_UnavailableTagsAreNotAbsentTags) {
  transport_.expect("SageMaker.ListTags", 400, kDenied);
  const Record record = handle(policy(kTagRule));
  EXPECT_TRUE(record.decisions.empty());
  ASSERT_EQ(record.skipped.size(), 1U);
  EXPECT_EQ(record.skipped[0].rule, "required-tags");
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kUnavailable);
}

TEST_F(HandleJobTest, F1_TagsUnavailableAtTheSecondLookStopNothing) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.ListTags", 500, "");
  const Record record = handle(policy(kTagRule));
  EXPECT_EQ(result(record), "failed");
  EXPECT_EQ(record.failure()->code, ErrorCode::kUnavailable);
}

TEST_F(HandleJobTest, F1_WhatOtherRulesDecidedIsCarriedOut) {
  const Job job{.type = "ml.p5.48xlarge"};
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  transport_.expect("SageMaker.ListTags", 400, kDenied);
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(job));
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(std::string(kTagRule) + "," + kTypeRule));
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(record.decisions[0].decision.rule, "no-p5");
  EXPECT_EQ(result(record), "stopped");
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, F1_AJobThatIsNotFoundIsGone) {
  transport_.expect(
      "SageMaker.DescribeTrainingJob", 400,
      R"({"__type":"ValidationException","message":"Requested resource not found."})");
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(record.conclusion, Conclusion::kGone);
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F1_AnAnswerWithoutStatusesIsUnavailable) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, "{}");
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, F5_AnEventOfADeletedNamesakeIsDropped) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200,
                    describe({.type = "ml.p5.48xlarge", .created = kNow - 10}));
  const Record record = handle(policy(kTypeRule));
  EXPECT_EQ(record.conclusion, Conclusion::kNamesake);
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F5_ANamesakeIsNoticedAtTheSecondLookToo) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe({.created = kNow - 20}), kNoTags);
  EXPECT_EQ(result(handle(policy(kTagRule))), "not done: the name belongs to a later job");
}

TEST_F(HandleJobTest, F6_UnknownSourcesAreAskedTogether) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.ListTags", 200, kTagged);
  handle(policy(std::string(kTagRule) + "," + kTypeRule));
  EXPECT_EQ(transport_.batches, (std::vector<std::size_t>{2}));
}

TEST_F(HandleJobTest, TagsAreAskedForUnderDescribesArn) {
  const std::string other = std::string(kArn) + "-x";
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe({.arn = other}));
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  transport_.expect(other, 200, kTagged);
  const Record record = handle(policy(std::string(kTagRule) + "," + kTypeRule));
  EXPECT_TRUE(record.decisions.empty());
}

TEST_F(HandleJobTest, WithoutAnArnDescribeIsAskedForIt) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect(kArn, 200, kTagged);
  EXPECT_TRUE(handle(policy(kTagRule), rules::Mode::kEnforce, "").decisions.empty());
  transport_.expect("SageMaker.DescribeTrainingJob", 400, kDenied);
  const Record record = handle(policy(kTagRule), rules::Mode::kEnforce, "");
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, F1_AnAnswerWithoutTagsIsNotAJobWithoutTags) {
  for (const char* answer : {"", "{}", R"({"Tags":null})"}) {
    transport_.expect("SageMaker.ListTags", 200, answer);
    const Record record = handle(policy(kTagRule));
    EXPECT_TRUE(record.decisions.empty()) << answer;
    EXPECT_TRUE(record.failure()) << answer;
  }
}

TEST_F(HandleJobTest, P3_ObserveDecidesAndActsOnNothing) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule, "observe"));
  EXPECT_EQ(result(record), "observed");
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, P3_TheCeilingHoldsAnEnforcingPolicyBack) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  EXPECT_EQ(result(handle(policy(kTagRule), rules::Mode::kObserve)), "observed");
}

TEST_F(HandleJobTest, P3_NotifyTellsAndDoesNotStop) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule, "notify"));
  EXPECT_EQ(result(record), "not done: the mode is notify");
  EXPECT_EQ(result(record, 0, 1), "logged");
}

TEST_F(HandleJobTest, P4_AnObservingRuleDoesNotHoldAnEnforcingOneBack) {
  const char* observer =
      R"({"name":"watcher","mode":"observe","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  look(describe(), kNoTags);
  expect_search().expect("SageMaker.AddTags", 200).expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(std::string(observer) + "," + kTagRule));
  EXPECT_EQ(result(record, 0), "observed");
  EXPECT_EQ(result(record, 1), "stopped");
}

TEST_F(HandleJobTest, R1_TheRecordTellsWhatAndWhy) {
  transport_.expect("SageMaker.ListTags", 200, kNoTags);
  const Record record = handle(policy(kTagRule, "observe"));
  const json::Document document = record.to_json();
  const json::Value root = document.root();
  EXPECT_EQ(root.find("trigger")->as_string(), "state");
  EXPECT_EQ(root.find("job")->as_string(), "job-1");
  EXPECT_EQ(root.find("state")->as_string(), "InProgress/Starting");
  EXPECT_EQ(root.find("policy")->as_string().size(), 16U);
  const json::Value decision = *root.find("decisions")->elements().begin();
  EXPECT_EQ(decision.find("rule")->as_string(), "required-tags");
  EXPECT_EQ(decision.find("mode")->as_string(), "observe");
  bool absent_tag = false;
  bool status = false;
  for (const json::Value because : decision.find("because")->elements()) {
    const auto path = because.find("path")->as_string();
    if (path == "tags.model_name") absent_tag = because.find("absent")->as_boolean();
    if (path == "job.TrainingJobStatus")
      status = because.find("value")->as_string() == "InProgress";
  }
  EXPECT_TRUE(absent_tag);
  EXPECT_TRUE(status);
}

TEST_F(HandleJobTest, R1_OfAFailureReasonOnlyThePathIsTold) {
  // A FailureReason can quote the command line.
  const char* rule =
      R"({"name":"r","match":{"job":{"FailureReason":[{"prefix":"Algo"}]}},"actions":["notify"]})";
  std::string failed = describe({.status = "Failed", .secondary = "Failed"});
  failed.replace(1, 0, R"("FailureReason":"AlgorithmError: train.py --key hunter2",)");
  transport_.expect("SageMaker.DescribeTrainingJob", 200, failed);
  const Record record = handle(policy(rule));
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(json::to_text(record.to_json().root()).find("hunter2"), std::string::npos);
}

TEST_F(HandleJobTest, R1_OfHyperparametersOnlyThePathIsTold) {
  const char* rule =
      R"({"name":"r","match":{"job":{"HyperParameters":{"password":["hunter2"]}}},"actions":["stop"]})";
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  expect_search()
      .expect("job.HyperParameters.password", 200)
      .expect("SageMaker.StopTrainingJob", 200, "");
  const Record record = handle(policy(rule));
  EXPECT_EQ(result(record), "stopped");
  EXPECT_EQ(json::to_text(record.to_json().root()).find("hunter2"), std::string::npos);
  EXPECT_EQ(transport_.sent.at(3).body.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace trainwarden::actions::handle_job_test
