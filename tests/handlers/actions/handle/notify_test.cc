// Notices (A5): when they are sent, how they are remembered, what happens when a function dies in
// between. Against scripted answers.
#include "tests/handlers/actions/handle/notify_fixture.h"

namespace trainwarden::actions::notify_test {
namespace {

using std::chrono::seconds;

TEST_F(NotifyTest, A5_AStopIsToldAndRemembered) {
  list();
  look(describe(), tags({})).stop();
  look(describe("Stopping", "Stopping"), tags({{"team", "vision"}})).publish().remember();
  const Record record = handle(kStops);
  EXPECT_EQ(result(record, 0), "stopped");
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(told().size(), 8U);
  const std::string sent = published();
  EXPECT_NE(sent.find("TopicArn=arn%3Aaws%3Asns%3Aeu-central-1%3A111122223333%3Apeople"),
            std::string::npos);
  EXPECT_NE(sent.find("Subject=Trainwarden%20stopped%20job-1%20%28required-tags%29"),
            std::string::npos);
  EXPECT_NE(sent.find("Name=team"), std::string::npos);
  EXPECT_EQ(sent.find("hunter2"), std::string::npos);
}

TEST_F(NotifyTest, A5_WithoutATopicANoticeIsOnlyLogged) {
  config_.notify_topic.clear();
  list();
  EXPECT_EQ(result(handle(kOnlyTells)), "logged");
}

TEST_F(NotifyTest, A5_TheActionsOwnTopicCounts) {
  list();
  look(describe(), tags({}));
  transport_.expect("%3Avision", 200, kPublished);
  remember();
  EXPECT_EQ(
      result(handle(
          R"({"name":"look","match":{"tags":{"model_name":[{"exists":false}]}},)"
          R"("actions":[{"notify":{"topic":"arn:aws:sns:eu-central-1:111122223333:vision"}}]})")),
      "told");
}

TEST_F(NotifyTest, A5_OncePerRule) {
  list();
  look(describe(), tags({})).publish().remember();
  EXPECT_EQ(result(handle(kOnlyTells)), "told");
  list(tags({{"trainwarden:told", told()}}));  // and no other call
  EXPECT_EQ(result(handle(kOnlyTells)), "told already");
}

TEST_F(NotifyTest, A5_ACopyOfTheJobIsAnotherGeneration) {
  list();
  look(describe(), tags({})).publish().remember();
  handle(kOnlyTells);
  const std::vector<std::pair<std::string, std::string>> copy = {{"trainwarden:told", told()},
                                                                 {"trainwarden:generation", "1"}};
  list(tags(copy)).look(describe(), tags(copy)).publish().remember();
  EXPECT_EQ(result(handle(kOnlyTells)), "told");
  EXPECT_EQ(told().size(), 17U);  // both are remembered
}

TEST_F(NotifyTest, P3_NotifyModeTellsThatNothingWasDoneAndLaterOfTheStop) {
  list();
  look(describe(), tags({})).publish().remember();
  const Record record = handle(kStops, "notify");
  EXPECT_EQ(result(record, 0), "not done: the mode is notify");
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("Nothing%20was%20stopped"), std::string::npos);

  const std::vector<std::pair<std::string, std::string>> before = {{"trainwarden:told", told()}};
  list(tags(before)).look(describe(), tags(before)).stop();
  look(describe("Stopping", "Stopping"), tags(before)).publish().remember();
  EXPECT_EQ(result(handle(kStops), 1), "told");
}

TEST_F(NotifyTest, P3_ObserveTellsNobody) {
  list();
  EXPECT_EQ(result(handle(kStops, "observe"), 1), "observed");
}

TEST_F(NotifyTest, A5_NobodyIsToldOfATagThatIsOnlyLate) {
  list();
  look(describe(), tags({{"model_name", "mnist"}}));
  EXPECT_EQ(result(handle(kOnlyTells)), "not told: the rule no longer matches");
}

TEST_F(NotifyTest, A5_AnAbsentTagIsToldOfFromFifteenSecondsOn) {
  event_.creation_time = sys_seconds(seconds(kNow - 2));
  list();
  std::string young = describe();
  const std::string old = fmt::format("{}", kNow - 60);
  young.replace(young.find(old), old.size(), fmt::format("{}", kNow - 2));
  look(young, tags({{"model_name", "mnist"}}));
  EXPECT_EQ(result(handle(kOnlyTells)), "not told: the rule no longer matches");
  EXPECT_EQ(clock_.slept.size(), 1U);
}

TEST_F(NotifyTest, P7_AStopThatIsHeldBackIsTold) {
  list();
  look(describe(), tags({}));
  std::string results;
  for (int i = 0; i < 20; ++i)
    results += fmt::format(
        R"({}{{"TrainingJob":{{"TrainingJobName":"other-{}","Tags":[{{"Key":"trainwarden:at","Value":"{}"}}]}}}})",
        i == 0 ? "" : ",", i, rfc3339(sys_seconds(seconds(kNow - 100))));
  transport_.expect("SageMaker.Search", 200, R"({"Results":[)" + results + "]}");
  look(describe(), tags({})).publish().remember();
  const Record record = handle(kStops);
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("held%20back"), std::string::npos);
}

TEST_F(NotifyTest, A5_PublishingThatFailsMakesTheEventComeAgain) {
  list();
  look(describe(), tags({})).stop();
  look(describe("Stopping", "Stopping"), tags({}));
  transport_.expect(
      "Action=Publish", 403,
      "<ErrorResponse><Error><Code>AuthorizationError</Code></Error></ErrorResponse>");
  const Record record = handle(kStops);
  EXPECT_EQ(result(record, 0), "stopped");
  EXPECT_EQ(result(record, 1), "failed");
  EXPECT_TRUE(record.failure());
}

TEST_F(NotifyTest, A5_WhenTheEventComesAgainTheStopIsToldThatWasDoneThen) {
  const auto acted = tags(stopped_by("required-tags"));
  list(acted);
  look(describe("Stopping", "Stopping"), acted);  // the stop's look
  look(describe("Stopping", "Stopping"), acted).publish().remember();
  const Record record = handle(kStops);
  EXPECT_EQ(result(record, 0), "already Stopping");
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("Subject=Trainwarden%20stopped"), std::string::npos);
}

TEST_F(NotifyTest, A5_AlsoWhereTheRuleNoLongerMatchesForTheStop) {
  // The look sees a job that is stopping: the rule is about running ones.
  const auto acted = tags(stopped_by("no-p5"));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe("Stopping", "Stopping"));
  list(acted);
  look(describe("Stopping", "Stopping"), acted).publish().remember();
  const Record record = handle(kTypeStops);
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(record.decisions[0].decision.rule, "no-p5");
  EXPECT_EQ(result(record, 1), "told");
}

TEST_F(NotifyTest, A5_NothingIsOwedToAJobThatAPersonStopped) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe("Stopping", "Stopping"));
  list(tags({{"team", "vision"}}));
  EXPECT_TRUE(handle(kTypeStops).decisions.empty());
}

TEST_F(NotifyTest, A5_NorWhereItWasToldAlready) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  stop();
  look(describe("Stopping", "Stopping"), tags(stopped_by("no-p5", 0))).publish().remember();
  EXPECT_EQ(result(handle(kTypeStops), 1), "told");
  auto all = stopped_by("no-p5");
  all.emplace_back("trainwarden:told", told());
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe("Stopping", "Stopping"));
  list(tags(all));
  EXPECT_TRUE(handle(kTypeStops).decisions.empty());
}

TEST_F(NotifyTest, A5_AStopByAnAlarmIsToldWhenTheMessageComesAgain) {
  // The job is stopping since: its alarm is not confirmed again (W4), and nothing is decided.
  event_ = {.trigger = rules::Trigger::kAlarm,
            .job_name = "job-1",
            .alarm = rules::AlarmEvent{"trainwarden/job-1/idle", "idle", "ALARM"}};
  const auto acted = tags(stopped_by("stop-idle"));
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe("Stopping", "Stopping"));
  list(acted).look(describe("Stopping", "Stopping"), acted).publish().remember();
  const Record record = handle(
      R"({"name":"stop-idle","match":{"alarm":{"watch":["idle"],"state":["ALARM"]}},)"
      R"("actions":["stop","notify"]})",
      "enforce",
      R"("watches":{"idle":{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,)"
      R"("periods":3,"at_most":1}},)");
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(result(record, 1), "told");
}

TEST_F(NotifyTest, A5_AnEventThatKnowsOfTheStopCostsNoCall) {
  event_.training_job_status = "Stopping";
  event_.secondary_status = "Stopping";
  EXPECT_TRUE(handle(kTypeStops).decisions.empty());
  EXPECT_TRUE(transport_.sent.empty());
}

TEST_F(NotifyTest, A5_AnotherDeliveryThatHasJustStoppedTheJobTellsFirst) {
  auto acted = stopped_by("required-tags", 1);
  list();
  look(describe("Stopping", "Stopping"), tags(acted));
  look(describe("Stopping", "Stopping"), tags(acted));
  // What the other one remembers while this one waits.
  acted.emplace_back("trainwarden:told", [] {
    rules::Decision decision;
    decision.rule = "required-tags";
    decision.mode = rules::Mode::kEnforce;
    return rules::notice_key(decision, rules::Outcome::kStopped, {});
  }());
  look(describe("Stopping", "Stopping"), tags(acted));
  EXPECT_EQ(result(handle(kStops), 1), "told already");
  EXPECT_EQ(clock_.slept.size(), 1U);
}

TEST_F(NotifyTest, A5_IfItDiesTheNoticeIsSentAfterTheWait) {
  const auto acted = tags(stopped_by("required-tags", 1));
  list();
  look(describe("Stopping", "Stopping"), acted);
  look(describe("Stopping", "Stopping"), acted);
  look(describe("Stopping", "Stopping"), acted).publish().remember();
  EXPECT_EQ(result(handle(kStops), 1), "told");
}

TEST_F(NotifyTest, A5_AJobThatTakesNoTagsIsToldOfAllTheSame) {
  list();
  look(describe(), tags({})).publish();
  transport_.expect("trainwarden:told", 400, kFull);
  const Record record = handle(kOnlyTells);
  EXPECT_EQ(result(record), "told");
  EXPECT_NE(record.decisions[0].actions[0].note.find("50 tags"), std::string::npos);
  EXPECT_FALSE(record.failure());
}

TEST_F(NotifyTest, F1_TagsThatCannotBeReadDoNotMeanThatNothingWasTold) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  stop();
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe("Stopping", "Stopping"));
  transport_.expect("SageMaker.ListTags", 400, kDenied);
  const Record record = handle(kTypeStops);
  EXPECT_EQ(result(record, 0), "stopped");
  EXPECT_EQ(result(record, 1), "failed");
  EXPECT_TRUE(record.failure());
}

TEST_F(NotifyTest, A5_AStopThatMayPassIsNotToldAsAFailure) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.Search", 200, R"({"Results":[]})");
  transport_.expect("SageMaker.AddTags", 200);
  transport_.expect("SageMaker.StopTrainingJob", 500, "");
  const Record record = handle(kTypeStops);
  EXPECT_EQ(result(record, 1), "not told: it failed, and the event comes again");
  EXPECT_TRUE(record.failure());
}

TEST_F(NotifyTest, A5_AStopThatIsRefusedForGoodIsTold) {
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.DescribeTrainingJob", 200, describe());
  transport_.expect("SageMaker.Search", 200, R"({"Results":[]})");
  transport_.expect("SageMaker.AddTags", 200);
  transport_.expect("SageMaker.StopTrainingJob", 400, kDenied);
  look(describe(), tags({})).publish().remember();
  EXPECT_EQ(result(handle(kTypeStops), 1), "told");
  EXPECT_NE(published().find("could%20not%20stop"), std::string::npos);
}

TEST_F(NotifyTest, P4_EachRuleTellsForItself) {
  list();
  look(describe(), tags({})).publish().remember();
  const std::string first = R"({"name":"first","match":{"tags":{"model_name":[{"exists":false}]}},)"
                            R"("actions":["notify"]},)";
  look(describe(), tags({{"trainwarden:told", "00000001"}})).publish().remember();
  const Record record = handle(first + kOnlyTells);
  EXPECT_EQ(result(record, 0, 0), "told");
  EXPECT_EQ(result(record, 0, 1), "told");
  EXPECT_TRUE(told().starts_with("00000001/"));
}

TEST_F(NotifyTest, A5_ASweepTellsNothingThatItCannotRemember) {
  event_.trigger = rules::Trigger::kSweep;
  list();
  look(describe(), tags({}));
  transport_.expect("trainwarden:told", 400, kFull);
  const Record record = handle(kOnlyTells);
  EXPECT_EQ(result(record), "not told: each sweep would tell it again");
  EXPECT_NE(record.decisions[0].actions[0].note.find("50 tags"), std::string::npos);
  EXPECT_FALSE(record.failure());
}

TEST_F(NotifyTest, A5_WhatASweepCannotPublishIsNotRememberedAsTold) {
  event_.trigger = rules::Trigger::kSweep;
  const auto before = tags({{"trainwarden:told", "00000001"}});
  list(before).look(describe(), before);
  transport_.expect(R"("Tags":[{"Key":"trainwarden:told","Value":"00000001"}])", 200);
  transport_.expect(
      "Action=Publish", 403,
      "<ErrorResponse><Error><Code>AuthorizationError</Code></Error></ErrorResponse>");
  EXPECT_TRUE(handle(kOnlyTells).failure());

  list(before).look(describe(), before).remember().publish().remember();
  EXPECT_EQ(result(handle(kOnlyTells)), "told");
  EXPECT_TRUE(told().starts_with("00000001/"));
}

}  // namespace
}  // namespace trainwarden::actions::notify_test
