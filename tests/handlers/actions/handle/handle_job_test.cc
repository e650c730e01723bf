// One job's way through decide, gather, recheck and execute. How it is stopped is in stop_test.cc.
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::handle_job_test {
namespace {

class HandleJobTest : public ActionTest {};

TEST_F(HandleJobTest, F6_AnEventThatNoRuleCanMatchCostsNoCall) {
  aws_.place({.status = "Completed", .secondary = "Completed"});
  const Record record = handle(kModelName);
  EXPECT_EQ(record.conclusion, Conclusion::kDecided);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_TRUE(aws_.calls.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F1_UnavailableTagsAreNotAbsentTags) {
  aws_.place({});
  aws_.refuse("ListTags", kDenied);
  const Record record = handle(kModelName);
  EXPECT_TRUE(record.decisions.empty());
  ASSERT_EQ(record.skipped.size(), 1U);
  EXPECT_EQ(record.skipped[0].rule, "required-tags");
  ASSERT_TRUE(record.failure());
  EXPECT_EQ(record.failure()->code, ErrorCode::kUnavailable);
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(HandleJobTest, F1_TagsUnavailableAtTheSecondLookStopNothing) {
  aws_.place({});
  aws_.spare("ListTags");
  aws_.refuse("ListTags", testing::kFault);
  const Record record = handle(kModelName);
  EXPECT_EQ(kind(record), Kind::kFailed);
  EXPECT_EQ(record.failure()->code, ErrorCode::kUnavailable);
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(HandleJobTest, F1_WhatOtherRulesDecidedIsCarriedOut) {
  aws_.place(kP5);
  aws_.refuse("ListTags", kDenied);
  const Record record = handle(std::string(kModelName) + "," + kNoP5);
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(record.decisions[0].decision.rule, "no-p5");
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
}

constexpr const char* kDear = R"({"name":"dear","match":{"job":{"TrainingJobStatus":["InProgress"]},
  "cost":{"max_usd":[{"numeric":[">",10]}]}},"actions":["stop"]})";

// A price that the policy lacks is as missing when the event comes again.
TEST_F(HandleJobTest, F1_AMissingPriceIsToldAndBringsNoEventAgain) {
  aws_.place(kP5);
  const Record record = handle(kDear);
  EXPECT_TRUE(record.decisions.empty());
  ASSERT_EQ(record.skipped.size(), 1U);
  EXPECT_EQ(record.skipped[0].rule, "dear");
  EXPECT_EQ(rules::text(record.skipped[0]), "prices: the policy has no price for ml.p5.48xlarge");
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(HandleJobTest, F1_AMissingPriceHidesNoOtherFailure) {
  aws_.place(kP5);
  aws_.refuse("ListTags", kDenied);
  const Record record = handle(std::string(kDear) + "," + kModelName);
  EXPECT_EQ(record.skipped.size(), 2U);
  ASSERT_TRUE(record.failure());
  EXPECT_NE(record.failure()->message.find("required-tags"), std::string::npos);
}

// The first look found the tag missing, the second one finds it and asks what the job costs.
TEST_F(HandleJobTest, F1_ARuleThatLacksItsPriceAtTheSecondLookStopsNothing) {
  aws_.place(kP5);
  const auto tag = [&] { aws_.place({.type = kP5.type, .tags = {{"model_name", "m"}}}); };
  aws_.before("ListTags", tag, 2);
  const Record record = handle(
      R"({"name":"r","match":[{"job":{"TrainingJobStatus":["InProgress"]},"tags":{"model_name":[{"exists":false}]}},
          {"job":{"TrainingJobStatus":["InProgress"]},"cost":{"max_usd":[{"numeric":[">",10]}]}}],"actions":["stop"]})");
  EXPECT_TRUE(because(record, Why::kUndecided));
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(HandleJobTest, F1_AJobThatIsNotFoundIsGone) {
  const Record record = handle(policy(kNoP5), {.job_name = "job-1"});
  EXPECT_EQ(record.conclusion, Conclusion::kGone);
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F1_AnAnswerWithoutStatusesIsUnavailable) {
  aws_.place(kP5);
  aws_.answer_with("DescribeTrainingJob", "{}");
  const Record record = handle(kNoP5);
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, F1_AnAnswerWithoutTagsIsNotAJobWithoutTags) {
  aws_.place({});
  for (const char* answer : {"", "{}", R"({"Tags":null})"}) {
    aws_.answer_with("ListTags", answer);
    const Record record = handle(kModelName);
    EXPECT_TRUE(record.decisions.empty()) << answer;
    EXPECT_TRUE(record.failure()) << answer;
  }
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(HandleJobTest, F5_AnEventOfADeletedNamesakeIsDropped) {
  aws_.place(kP5);
  rules::JobEvent earlier = event();
  *earlier.creation_time -= minutes(10);
  const Record record = handle(policy(kNoP5), earlier);
  EXPECT_EQ(record.conclusion, Conclusion::kNamesake);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(HandleJobTest, F5_ANamesakeIsNoticedAtTheSecondLookToo) {
  aws_.place({});
  aws_.before("DescribeTrainingJob", [&] { aws_.place({.age = seconds(40)}); });
  const Record record = handle(kModelName);
  EXPECT_TRUE(because(record, Why::kNamesake));
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

// Describe lags: it says InProgress of a job whose event says that it failed.
TEST_F(HandleJobTest, F5_AnEventAheadOfDescribeComesAgain) {
  constexpr const char* kTellFailures =
      R"({"name":"failed","match":{"job":{"TrainingJobStatus":["Failed"]}},"actions":["notify"]})";
  constexpr const char* kResumeFailures =
      R"({"name":"resume","match":{"job":{"TrainingJobStatus":["Failed"],"RoleArn":[{"exists":true}]}},)"
      R"("actions":[{"restart":{}}]})";
  aws_.place({});
  for (const char* const rule : {kTellFailures, kResumeFailures}) {
    rules::JobEvent early = event();
    early.training_job_status = early.secondary_status = "Failed";
    const Record record = handle(policy(rule), early);
    ASSERT_TRUE(record.failure()) << rule;
    EXPECT_EQ(record.failure()->code, ErrorCode::kUnavailable);
    EXPECT_NE(record.failure()->message.find(
                  "the event says Failed, and DescribeTrainingJob still InProgress"),
              std::string::npos)
        << record.failure()->message;
    EXPECT_EQ(aws_.count("Publish"), 0);
    // Without a time of creation it may be of an earlier job of that name, and would come for ever.
    early.creation_time.reset();
    EXPECT_FALSE(handle(policy(rule), early).failure()) << rule;
  }
}

// What comes late says less than Describe, and is no reason to come again.
TEST_F(HandleJobTest, F5_AnEventBehindDescribeDoesNot) {
  aws_.place({.status = "Failed", .secondary = "Failed"});
  const Record record = handle(kNoP5);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, F6_UnknownSourcesAreAskedTogether) {
  aws_.place({.tags = {{"model_name", "mnist"}}});
  handle(std::string(kModelName) + "," + kNoP5);
  EXPECT_EQ(aws_.batches, (std::vector<std::size_t>{2}));
}

TEST_F(HandleJobTest, TagsAreAskedForUnderDescribesArn) {
  aws_.place({.tags = {{"model_name", "mnist"}},
              .more = fmt::format(R"(,"TrainingJobArn":"{}-x")", testing::arn_of("job-1"))});
  const Record record = handle(std::string(kModelName) + "," + kNoP5);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_FALSE(record.failure());
}

TEST_F(HandleJobTest, WithoutAnArnDescribeIsAskedForIt) {
  arn_is_told_ = false;
  aws_.place({.tags = {{"model_name", "mnist"}}});
  EXPECT_FALSE(handle(kModelName).failure());
  aws_.place({});
  EXPECT_EQ(kind(handle(kModelName)), Kind::kStopped);
  aws_.place({});
  aws_.refuse("DescribeTrainingJob", kDenied);
  const Record record = handle(kModelName);
  EXPECT_EQ(record.skipped.size(), 1U);
  EXPECT_TRUE(record.failure());
}

TEST_F(HandleJobTest, P3_ObserveDecidesAndActsOnNothing) {
  aws_.place({});
  const Record record = handle(kModelName, "observe");
  EXPECT_EQ(kind(record), Kind::kObserved);
  EXPECT_FALSE(record.failure());
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(HandleJobTest, P3_TheCeilingHoldsAnEnforcingPolicyBack) {
  aws_.place({});
  ceiling_ = rules::Mode::kObserve;
  EXPECT_EQ(kind(handle(kModelName)), Kind::kObserved);
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(HandleJobTest, P3_NotifyTellsAndDoesNotStop) {
  aws_.place({});
  const Record record = handle(kModelName, "notify");
  EXPECT_TRUE(because(record, Why::kModeIsNotify));
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(aws_.status("job-1"), "InProgress");
}

TEST_F(HandleJobTest, P4_AnObservingRuleDoesNotHoldAnEnforcingOneBack) {
  const char* observer =
      R"({"name":"watcher","mode":"observe","match":{"tags":{"model_name":[{"exists":false}]}},"actions":["stop"]})";
  aws_.place({});
  const Record record = handle(std::string(observer) + "," + kModelName);
  EXPECT_EQ(kind(record, 0), Kind::kObserved);
  EXPECT_EQ(kind(record, 1), Kind::kStopped);
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:rule"), "required-tags");
}

TEST_F(HandleJobTest, R1_TheRecordTellsWhatAndWhy) {
  aws_.place({});
  const json::Document document = handle(kModelName, "observe").to_json();
  const json::Value root = document.root();
  EXPECT_EQ(root.find("trigger")->as_string(), "state");
  EXPECT_EQ(root.find("job")->as_string(), "job-1");
  EXPECT_EQ(root.find("state")->as_string(), "InProgress/Training");
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
  aws_.place({.status = "Failed",
              .secondary = "Failed",
              .more = R"(,"FailureReason":"AlgorithmError: train.py --key hunter2")"});
  const Record record = handle(
      R"({"name":"r","match":{"job":{"FailureReason":[{"prefix":"Algo"}]}},"actions":["notify"]})",
      "observe");
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(json::to_text(record.to_json().root()).find("hunter2"), std::string::npos);
}

TEST_F(HandleJobTest, R1_OfHyperparametersOnlyThePathIsTold) {
  aws_.place({});
  const Record record = handle(
      R"({"name":"r","match":{"job":{"HyperParameters":{"password":["hunter2"]}}},"actions":["stop"]})");
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_EQ(json::to_text(record.to_json().root()).find("hunter2"), std::string::npos);
  EXPECT_EQ(aws_.tag("job-1", "trainwarden:reason"), "job.HyperParameters.password");
}

// Nothing is asked of the table, and no copy is looked for.
TEST_F(HandleJobTest, P3_InObserveTheTableIsLeftAlone) {
  for (const char* status : {"InProgress", "Stopped", "Failed"}) {
    aws_.place({.status = status,
                .secondary = status == std::string_view("InProgress") ? "Training" : status});
    ceiling_ = rules::Mode::kObserve;
    handle(kModelName);
  }
  for (const char* operation : {"GetItem", "PutItem", "Query", "Publish"})
    EXPECT_EQ(aws_.count(operation), 0) << operation;
}

}  // namespace
}  // namespace trainwarden::actions::handle_job_test
