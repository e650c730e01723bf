// What people are told of the end of a job that was stopped to be run again (A5).
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::end_of_restart_test {
namespace {

constexpr const char* kAgain = R"(
  {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress", "Failed"]},
                              "tags": {"model_name": [{"exists": false}]}},
   "actions": [{"restart": {}}, "notify"]})";
constexpr const char* kCheckpoint = R"(,"CheckpointConfig":{"S3Uri":"s3://b/c"})";

const localaws::AwsError kNotAllowed{403, "AuthorizationError", "not allowed to publish"};

class EndOfRestart : public ActionTest {
 protected:
  // The rule stops the job, and tells of it; two minutes later the job has ended.
  void restart(const std::string& ends_as = "Stopped") {
    aws_.place({.more = kCheckpoint});
    EXPECT_EQ(kind(handle(kAgain)), Kind::kStoppingToCopy);
    if (ends_as != "Stopped") aws_.enter("job-1", ends_as);
    aws_.pass(minutes(2));
    EXPECT_EQ(aws_.status("job-1"), ends_as);
    before_ = aws_.notices().size();
  }
  // The restart was written down, and the function died before it asked for the stop; a person
  // stops the job two hours later.
  void restart_in_vain(const std::string& rule = "again") {
    aws_.place({.more = kCheckpoint});
    aws_.before("StopTrainingJob", [] { throw testing::Killed{}; });
    const std::string began = fmt::format(
        R"({{"name": "{}", "match": {{"job": {{"TrainingJobStatus": ["InProgress"]}}}},
            "actions": [{{"restart": {{}}}}, "notify"]}})",
        rule);
    EXPECT_THROW(handle(began), testing::Killed);
    request_ = "later";
    aws_.pass(hours(2));
    EXPECT_EQ(aws_.status("job-1"), "InProgress");
    ASSERT_TRUE(aws_.call("StopTrainingJob", R"({"TrainingJobName":"job-1"})"));
    aws_.pass(minutes(2));
    EXPECT_EQ(aws_.status("job-1"), "Stopped");
    before_ = aws_.notices().size();
  }
  // Somebody else goes on with the checkpoint: a guard refuses the copy.
  void use_checkpoint() { aws_.place({.name = "by-hand", .more = kCheckpoint}); }
  std::size_t news() const { return aws_.notices().size() - before_; }

  std::size_t before_ = 0;  // notices
};

// Issue 39, number 4: the look was out of date, and no rule asks for a copy of a job that failed.
TEST_F(EndOfRestart, A2_OnlyTheStateThatTheRuleWasDecidedOnIsActedOn) {
  const std::string runs = R"(
    {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
     "actions": [{"restart": {}}, "notify"]})";
  aws_.place({.more = kCheckpoint});
  const auto past = aws_.call("DescribeTrainingJob", R"({"TrainingJobName":"job-1"})");
  ASSERT_TRUE(past);
  const rules::JobEvent before = event();
  aws_.enter("job-1", "Failed", "AlgorithmError: ExecuteUserScriptError: ExitCode 1");
  aws_.answer_with("DescribeTrainingJob", *past);
  const Record record = handle(policy(runs), before);
  ASSERT_TRUE(record.failure());  // it comes again
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_FALSE(handle(policy(runs), before).failure());
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(EndOfRestart, A5_ARestartIsToldOnce) {
  aws_.place({.status = "Failed", .secondary = "Failed", .since = seconds(0)});
  EXPECT_EQ(kind(handle(kAgain)), Kind::kCopied);
  const Record again = handle(kAgain);
  EXPECT_EQ(kind(again, 0, 0), Kind::kCopiedBefore);
  EXPECT_EQ(kind(again, 0, 1), Kind::kNotifiedBefore);
  EXPECT_EQ(aws_.created().size(), 1U);
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(attribute("outcome"), "restarted");
}

TEST_F(EndOfRestart, A5_OfACopyThatIsMadeNothingMoreIsTold) {
  restart();
  EXPECT_EQ(attribute("outcome"), "restarted");
  EXPECT_EQ(handle(kAgain).restart->result.kind, Kind::kCopied);
  EXPECT_EQ(news(), 0U);
}

TEST_F(EndOfRestart, A5_AJobThatWasStoppedForARestartAndIsNotCopiedIsToldOfOnce) {
  restart_in_vain();
  const Record record = handle(kAgain);
  ASSERT_TRUE(record.restart);
  EXPECT_TRUE(record.restart->result.is_because(Why::kNotStoppedByRestart));
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(subject(), "Trainwarden refused: job-1 (again)");
  EXPECT_EQ(attribute("outcome"), "refused");
  EXPECT_EQ(attribute("rule"), "again");
  EXPECT_TRUE(told("did not restart the training job job-1: refused when it had ended"));
  EXPECT_TRUE(handle(kAgain).decisions.empty());  // when the event comes twice
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_TRUE(aws_.created().empty());
}

// Not to be taken for a restart that was refused while the job ran.
TEST_F(EndOfRestart, A5_ACopyThatIsRefusedIsToldWithItsReason) {
  use_checkpoint();
  aws_.place({.more = kCheckpoint});
  EXPECT_TRUE(because(handle(kAgain), Why::kCheckpointUsed));
  EXPECT_EQ(attribute("outcome"), "refused");
  aws_.enter("by-hand", "Completed");
  ASSERT_TRUE(aws_.call("DeleteTrainingJob", R"({"TrainingJobName":"by-hand"})"));

  restart();
  use_checkpoint();
  EXPECT_TRUE(handle(kAgain).restart->result.is_because(Why::kCheckpointUsed));
  EXPECT_EQ(news(), 1U);
  EXPECT_EQ(attribute("outcome"), "refused");
  EXPECT_TRUE(told("by-hand"));
  EXPECT_TRUE(aws_.created().empty());
}

TEST_F(EndOfRestart, A5_ACopyThatAwsRefusesIsToldAsAFailureAndLaterAsMade) {
  restart();
  aws_.refuse("CreateTrainingJob", kDenied, 2);
  for (int i = 0; i < 2; ++i) {  // once, though the event comes again
    const Record record = handle(kAgain);
    ASSERT_TRUE(record.restart && record.restart->error);
    EXPECT_TRUE(record.failure());
    EXPECT_EQ(news(), 1U);
  }
  EXPECT_EQ(subject(), "Trainwarden failed on job-1 (again)");
  EXPECT_EQ(attribute("outcome"), "failed");
  EXPECT_TRUE(told("AccessDeniedException"));

  EXPECT_FALSE(handle(kAgain).failure());  // it is allowed by now
  ASSERT_EQ(aws_.created().size(), 1U);
  EXPECT_EQ(news(), 2U);
  EXPECT_EQ(attribute("outcome"), "restarted");
  EXPECT_TRUE(told("copied as " + aws_.created()[0]));
}

// AWS Batch runs its jobs again itself. Its role can only create those with such names; whoever
// else names a job so has no copy of it, and is of no launcher for a rule.
TEST_F(EndOfRestart, A2_AJobThatIsNamedByAwsBatchIsNotCopied) {
  const auto handled = [&](const char* name, const std::string& rule) {
    aws_.place({.name = name, .status = "Failed", .secondary = "Failed", .since = seconds(0)});
    return handle(policy(rule), event(name));
  };
  EXPECT_TRUE(because(handled("AWSBatch-train-1", kAgain), Why::kLaunchedByBatch));
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_TRUE(told("its name says that AWS Batch runs it"));
  EXPECT_EQ(kind(handled("my-AWSBatch-1", kAgain)), Kind::kCopied);
  EXPECT_EQ(kind(handled("awsbatch-1", kAgain)), Kind::kCopied);
  const Record exempt = handled("AWSBatch-2", R"(
      {"name": "not-of-others", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
       "unless": {"lineage": {"child_of": [{"exists": true}]}}, "actions": ["notify"]})");
  EXPECT_EQ(exempt.decisions.size(), 1U);
}

// Also where the value is cut off with the text, in whatever words AWS refuses.
TEST_F(EndOfRestart, R1_WhatAwsQuotesOfARefusedCopyIsHiddenInEveryKindOfRefusal) {
  const std::string value = "correct-horse-battery-staple-0123456789";
  const localaws::AwsError refusals[] = {
      {400, "ValidationException", ""}, {400, "ResourceLimitExceeded", ""},
      {400, "ResourceInUse", ""},       {400, "AccessDeniedException", ""},
      {400, "ThrottlingException", ""}, {503, "ServiceUnavailable", ""},
      {500, "InternalFailure", ""}};
  for (const localaws::AwsError& refusal : refusals)
    for (const std::size_t before : {10U, 580U, 599U}) {
      const std::string name = fmt::format("{}-{}", refusal.code, before);
      aws_.place({.name = name,
                  .status = "Failed",
                  .secondary = "Failed",
                  .since = seconds(0),
                  .more = R"(,"HyperParameters":{"token":")" + value + R"("})"});
      localaws::AwsError quoting = refusal;
      quoting.message = std::string(before, 'x') + value + " is not allowed";
      aws_.refuse("CreateTrainingJob", quoting);
      const Record record = handle(policy(kAgain), event(name));
      aws_.faults = localaws::Faults();
      std::string all = json::to_text(record.to_json().root());
      for (const auto& notice : aws_.notices()) all += notice.subject + notice.body;
      EXPECT_NE(all.find(std::string(10, 'x')), std::string::npos) << refusal.code << all;
      EXPECT_EQ(all.find("correct"), std::string::npos) << refusal.code << ' ' << before;
      EXPECT_EQ(all.find("xxc"), std::string::npos) << refusal.code << ' ' << before;
    }
}

TEST_F(EndOfRestart, A5_ACopyThatMayComeWithTheNextDeliveryIsNotToldOf) {
  restart();
  aws_.refuse("CreateTrainingJob", testing::kFault);
  const Record record = handle(kAgain);
  EXPECT_TRUE(record.failure());
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_EQ(news(), 0U);
}

// The stop could not be told of; by now the job has ended.
TEST_F(EndOfRestart, A5_ALateNoticeOfARestartTellsOfTheCopyThatWasMade) {
  aws_.refuse("Publish", kNotAllowed);
  restart();
  EXPECT_TRUE(handle(kAgain).restart->result.is(Kind::kCopied));
  EXPECT_EQ(news(), 1U);
  EXPECT_EQ(attribute("outcome"), "restarted");
  EXPECT_TRUE(told("copied as " + aws_.created().back()));
  EXPECT_FALSE(told("to be copied"));
}

TEST_F(EndOfRestart, A5_ALateNoticeOfARestartTellsOfTheCopyThatWasMadeBefore) {
  aws_.refuse("Publish", kNotAllowed, 2);
  restart();
  EXPECT_TRUE(handle(kAgain).failure());
  EXPECT_EQ(aws_.created().size(), 1U);
  handle(kAgain);
  EXPECT_EQ(news(), 1U);
  EXPECT_TRUE(told("copied as " + aws_.created().back()));
  EXPECT_FALSE(told("to be copied"));
}

// The end of the job came first; then Lambda repeats the event that began it all.
TEST_F(EndOfRestart, A5_TheFirstEventThatComesAgainAfterTheCopyNamesIt) {
  aws_.place({});
  const rules::JobEvent first = event();
  aws_.refuse("Publish", kNotAllowed, 2);
  EXPECT_TRUE(handle(policy(kAgain), first).failure());
  aws_.pass(minutes(2));
  EXPECT_TRUE(handle(kAgain).failure());
  ASSERT_EQ(aws_.created().size(), 1U);
  EXPECT_FALSE(handle(policy(kAgain), first).failure());
  EXPECT_EQ(attribute("outcome"), "restarted");
  EXPECT_TRUE(told("copied as " + aws_.created()[0]));
  EXPECT_FALSE(told("to be copied"));
}

TEST_F(EndOfRestart, A5_OfARuleThatHoldsForTheEndTooOneNoticeTellsOfTheFailure) {
  restart("Failed");
  aws_.refuse("CreateTrainingJob", kDenied, 2);
  const Record record = handle(kAgain);
  ASSERT_TRUE(record.restart && record.restart->error);
  EXPECT_TRUE(because(record, Why::kUnfinishedRestart));
  EXPECT_EQ(news(), 1U);
  EXPECT_EQ(subject(), "Trainwarden failed on job-1 (again)");
}

TEST_F(EndOfRestart, A5_WhyItIsNotCopiedIsToldThoughARuleThatHoldsForTheEndIsRefusedToo) {
  restart("Failed");
  use_checkpoint();
  const Record record = handle(kAgain);
  EXPECT_TRUE(record.restart->result.is_because(Why::kCheckpointUsed));
  ASSERT_EQ(record.pending_notices.size(), 1U);
  EXPECT_EQ(record.pending_notices[0].rule, "again");
  EXPECT_TRUE(told("by-hand"));
  EXPECT_TRUE(aws_.created().empty());
}

TEST_F(EndOfRestart, A5_WhatCouldNotBePublishedIsToldWhenTheEventComesAgain) {
  restart_in_vain();
  aws_.refuse("Publish", kNotAllowed);
  EXPECT_TRUE(handle(kAgain).failure());
  EXPECT_FALSE(handle(kAgain).failure());
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_TRUE(told("did not restart"));
}

TEST_F(EndOfRestart, A5_OfARuleThatIsGoneTheTopicOfTheEnvironmentIsTold) {
  restart_in_vain("gone");
  EXPECT_EQ(handle(kNoP5).pending_notices.at(0).rule, "gone");
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(EndOfRestart, P3_ARuleThatOnlyObservesByNowTellsNobody) {
  restart_in_vain();
  EXPECT_TRUE(handle(kAgain, "observe").decisions.empty());
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(EndOfRestart, A5_WithoutATopicOnlyTheRecordTells) {
  config_.notify_topic.clear();
  restart_in_vain();
  const Record record = handle(kAgain);
  EXPECT_TRUE(record.restart);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_TRUE(aws_.notices().empty());
}

// A person stopped it, and wrote tags of ours.
TEST_F(EndOfRestart, A5_TagsOfARestartAreNobodysNews) {
  Tags tags = acted("again", minutes(1), "restart");
  tags.emplace_back("trainwarden:intent", "v1 gen=1 at=1783000000");
  aws_.place({.status = "Stopped",
              .secondary = "Stopped",
              .since = minutes(1),
              .tags = tags,
              .more = kCheckpoint});
  const Record record = handle(kNoP5);
  EXPECT_FALSE(record.restart);
  EXPECT_TRUE(record.decisions.empty());
  EXPECT_TRUE(aws_.created().empty());
  EXPECT_TRUE(aws_.notices().empty());
}

}  // namespace
}  // namespace trainwarden::actions::end_of_restart_test
