// Notices and tags (A5): when they are sent, how they are remembered, what happens when a function
// dies in between. Against scripted answers.
#include "handlers/actions/notify.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/actions/handle_job.h"
#include "handlers/actions/original.h"
#include "handlers/rules/notice.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualClock;
using testing::ScriptedTransport;

constexpr long kNow = 1783000213;
constexpr const char* kArn = "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1";
constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:people";

constexpr const char* kStops = R"(
  { "name": "required-tags", "match": { "tags": { "model_name": [{ "exists": false }] } },
    "actions": ["stop", "notify"], "message": "Training jobs need the tag model_name." })";
constexpr const char* kTypeStops = R"(
  { "name": "no-p5", "match": { "job": { "TrainingJobStatus": ["InProgress"],
                                         "ResourceConfig": { "InstanceType": ["ml.p5.48xlarge"] } } },
    "actions": ["stop", "notify"] })";
constexpr const char* kOnlyTells = R"(
  { "name": "look", "match": { "tags": { "model_name": [{ "exists": false }] } }, "actions": ["notify"] })";
constexpr const char* kTags = R"(
  { "name": "mark", "match": { "job": { "TrainingJobStatus": ["InProgress"] },
                               "tags": { "team": [{ "exists": false }] } },
    "actions": [{ "tag": { "team": "unknown" } }] })";

constexpr const char* kRestarts = R"(
  { "name": "again", "match": { "job": { "TrainingJobStatus": ["InProgress", "Failed"] },
                                "tags": { "model_name": [{ "exists": false }] } },
    "actions": [{ "restart": {} }, "notify"] })";

std::string describe(const std::string& status = "InProgress",
                     const std::string& secondary = "Training") {
  return fmt::format(
      R"({{"TrainingJobName":"job-1","TrainingJobArn":"{}","TrainingJobStatus":"{}","SecondaryStatus":"{}",)"
      R"("CreationTime":{}.25,"ResourceConfig":{{"InstanceType":"ml.p5.48xlarge","InstanceCount":1}},)"
      R"("HyperParameters":{{"password":"hunter2"}}}})",
      kArn, status, secondary, kNow - 60);
}

std::string tags(const std::vector<std::pair<std::string, std::string>>& all) {
  return json::to_text(
      json::Document::build([&](json::Sink& sink) {
        sink.begin_object().key("Tags").begin_array();
        for (const auto& [key, value] : all)
          sink.begin_object().member("Key", key).member("Value", value).end_object();
        sink.end_array().end_object();
      }).root());
}

// What a stop by that rule leaves, so many seconds ago.
std::vector<std::pair<std::string, std::string>> stopped_by(const std::string& rule,
                                                            long ago = 60) {
  return {{"trainwarden:action", "stop"},
          {"trainwarden:rule", rule},
          {"trainwarden:reason", "because"},
          {"trainwarden:at", rfc3339(sys_seconds(seconds(kNow - ago)))}};
}

// What a restart by that rule leaves, with that intent.
std::vector<std::pair<std::string, std::string>> restarted_by(const std::string& rule,
                                                              const std::string& intent) {
  auto all = stopped_by(rule, 7200);
  all[0].second = "restart";
  all.emplace_back("trainwarden:intent", intent);
  return all;
}

// Of a restart two hours ago: a stop is too late for it now.
std::string late_intent() { return fmt::format("v1 gen=1 at={}", kNow - 7200); }

// The tags' value of what enforce remembers of that rule.
std::string key_of(const std::string& rule, rules::Outcome outcome) {
  rules::Decision decision;
  decision.rule = rule;
  decision.mode = rules::Mode::kEnforce;
  return rules::told_key(decision, outcome, {});
}

Result<Copied> refuse(const Original&, const rules::CopyChanges&, const Apis&, bool) {
  return Copied{Copied::How::kRefused, "its name is taken"};
}

constexpr const char* kPublished =
    "<PublishResponse><PublishResult><MessageId>m-1</MessageId></PublishResult></PublishResponse>";
constexpr const char* kDenied = R"({"__type":"AccessDeniedException","message":"not authorized"})";
constexpr const char* kFull = R"({"__type":"ResourceLimitExceeded","message":"50 tags"})";

class NotifyTest : public ::testing::Test {
 public:
  NotifyTest() { config_.notify_topic = kTopic; }

  Record handle(const std::string& rules, const std::string& mode = "enforce",
                const std::string& members = "") {
    const auto policy = rules::parse_policy(
        fmt::format(R"({{"version":1,{}"mode":"{}","rules":[{}]}})", members, mode, rules));
    EXPECT_TRUE(policy) << policy.error().message;
    const aws::CallContext context{clock_.in(milliseconds(60'000)), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_);
    return handle_job({*policy, rules::Mode::kEnforce}, {*aws::JobName::parse("job-1"), kArn},
                      event_, apis);
  }
  static std::string result(const Record& record, std::size_t action = 0,
                            std::size_t decision = 0) {
    if (decision >= record.decisions.size()) return "(no such decision)";
    const auto& actions = record.decisions[decision].actions;
    return action < actions.size() ? actions[action].result : "(no such action)";
  }

  NotifyTest& list(const std::string& answer = R"({"Tags":[]})") {
    transport_.expect("SageMaker.ListTags", 200, answer);
    return *this;
  }
  NotifyTest& look(const std::string& describe_answer, const std::string& tags_answer) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, describe_answer);
    return list(tags_answer);
  }
  NotifyTest& stop() {
    transport_.expect("SageMaker.Search", 200, R"({"Results":[]})");
    transport_.expect("SageMaker.AddTags", 200);
    transport_.expect("SageMaker.StopTrainingJob", 200, "");
    return *this;
  }
  NotifyTest& publish() {
    transport_.expect("Action=Publish", 200, kPublished);
    return *this;
  }
  NotifyTest& remember() {
    transport_.expect("trainwarden:told", 200);
    return *this;
  }
  // The value that the last AddTags gave to trainwarden:told.
  std::string told() const {
    const auto body = json::Document::parse(transport_.sent.back().body);
    return std::string((*body->root().find("Tags")->elements().begin()).find("Value")->as_string());
  }
  std::string published() const {
    for (const http::Request& request : transport_.sent)
      if (request.body.find("Action=Publish") != std::string::npos) return request.body;
    return {};
  }

  Config config_;
  Powers powers_;
  ManualClock clock_{sys_millis(milliseconds(kNow * 1000 + 500))};
  ScriptedTransport transport_;
  aws::Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                       "eu-central-1",
                       1,
                       aws::Endpoints::all_at("https://api.example/")},
                      transport_,
                      clock_,
                      [] { return 0.0; }};
  rules::JobEvent event_{.trigger = rules::Trigger::kState,
                         .job_name = "job-1",
                         .training_job_status = "InProgress",
                         .secondary_status = "Training",
                         .creation_time = sys_seconds(seconds(kNow - 60))};
};

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
    return rules::told_key(decision, rules::Outcome::kStopped, {});
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

TEST_F(NotifyTest, A5_TagsAreWrittenWhereTheyAreNotSo) {
  list(tags({{"x", "y"}}));
  look(describe(), tags({{"x", "y"}}));
  transport_.expect(R"("Tags":[{"Key":"team","Value":"unknown"}])", 200);
  EXPECT_EQ(result(handle(kTags)), "tagged");
}

TEST_F(NotifyTest, A5_ATagThatArrivesLateIsNotOverwritten) {
  list();
  look(describe(), tags({{"team", "vision"}}));
  EXPECT_EQ(result(handle(kTags)), "not done: the rule no longer matches");
}

TEST_F(NotifyTest, A5_TagsThatAreThereCostNoCall) {
  list(tags({{"team", "unknown"}}));
  EXPECT_EQ(result(handle(R"({"name":"mark","match":{"tags":{"team":["unknown"]}},)"
                          R"("actions":[{"tag":{"team":"unknown"}}]})")),
            "already tagged");
}

TEST_F(NotifyTest, P3_InNotifyModeNothingIsTagged) {
  list();
  EXPECT_EQ(result(handle(kTags, "notify")), "not done: the mode is notify");
}

TEST_F(NotifyTest, A5_TagsComeBeforeTheStopOfTheSameEvent) {
  const std::string stops = R"({"name":"s","match":{"job":{"TrainingJobStatus":["InProgress"]},)"
                            R"("tags":{"team":[{"exists":false}]}},"actions":["stop"]},)";
  list();
  look(describe(), tags({}));
  transport_.expect(R"("Tags":[{"Key":"team","Value":"unknown"}])", 200);
  look(describe(), tags({})).stop();
  const Record record = handle(stops + kTags);
  EXPECT_EQ(result(record, 0, 0), "stopped");
  EXPECT_EQ(result(record, 0, 1), "tagged");
}

TEST_F(NotifyTest, A5_AJobThatIsFullOfTagsIsNoReasonToTryAgain) {
  list();
  look(describe(), tags({}));
  transport_.expect("SageMaker.AddTags", 400, kFull);
  const Record record = handle(kTags);
  EXPECT_TRUE(result(record).starts_with("refused: ")) << result(record);
  EXPECT_FALSE(record.failure());
}

TEST_F(NotifyTest, A5_ARestartThatIsCopiedAlreadyIsToldOnce) {
  event_.training_job_status = "Failed";
  event_.secondary_status = "Failed";
  powers_.copy = &refuse;
  const auto copied = tags({{"trainwarden:child", "job-1-r1-0123abcd"},
                            {"trainwarden:told", key_of("again", rules::Outcome::kRestarted)}});
  list(copied);
  look(describe("Failed", "Failed"), copied);  // the restart's look
  look(describe("Failed", "Failed"), copied);  // and its original; nobody is told again
  const Record record = handle(kRestarts);
  EXPECT_EQ(result(record, 0), "already copied as job-1-r1-0123abcd");
  EXPECT_EQ(result(record, 1), "told already");
}

class VoidIntent : public NotifyTest {
 public:
  VoidIntent() {
    event_.training_job_status = "Stopped";
    event_.secondary_status = "Stopped";
    powers_.copy = &refuse;
  }
  // The end is met: what the job's tags are, and that the intent is made void.
  VoidIntent& meet(const std::vector<std::pair<std::string, std::string>>& all,
                   const std::string& ended = describe("Stopped", "Stopped")) {
    list(tags(all));
    look(ended, tags(all));
    transport_.expect(R"({"Key":"trainwarden:intent","Value":"void"})", 200);
    return *this;
  }
  VoidIntent& look_then_publish(const std::vector<std::pair<std::string, std::string>>& all) {
    look(describe("Stopped", "Stopped"), tags(all)).publish().remember();
    return *this;
  }
};

TEST_F(VoidIntent, A5_AJobThatWasStoppedForARestartAndIsNotCopiedIsToldOf) {
  auto all = restarted_by("again", late_intent());
  // Not to be taken for a restart that was refused while the job ran.
  all.emplace_back("trainwarden:told", key_of("again", rules::Outcome::kRefused));
  meet(all).look_then_publish(all);
  const Record record = handle(kRestarts);
  ASSERT_TRUE(record.intent);
  EXPECT_TRUE(record.intent->result.starts_with("intent void: the job was not stopped"));
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_FALSE(record.failure());
  const std::string sent = published();
  for (const char* part :
       {"Subject=Trainwarden%20refused%3A%20job-1%20%28again%29",
        "did%20not%20restart%20the%20training%20job%20job-1%3A%20refused%20when%20it%20had%20ended"
        "%3A%20the%20job%20was%20not%20stopped%20within%2010%20minutes",
        "StringValue=refused", "StringValue=again"})
    EXPECT_NE(sent.find(part), std::string::npos) << part << "\n" << sent;

  all.back().second = told();
  all[4].second = "void";
  list(tags(all));  // and nothing more, when the event comes twice
  EXPECT_TRUE(handle(kRestarts).decisions.empty());
}

TEST_F(VoidIntent, A5_ACopyThatIsRefusedIsToldWithItsReason) {
  std::string ended = describe("Stopped", "Stopped");
  ended.insert(1, fmt::format(R"("SecondaryStatusTransitions":[{{"Status":"Stopping",)"
                              R"("StartTime":{}}}],)",
                              kNow - 7199));
  const auto all = restarted_by("again", late_intent());
  meet(all, ended).look_then_publish(all);
  handle(kRestarts);
  EXPECT_NE(published().find("its%20name%20is%20taken"), std::string::npos);
}

Result<Copied> deny(const Original&, const rules::CopyChanges&, const Apis&, bool) {
  return fail(ErrorCode::kAccessDenied, "CreateTrainingJob: AccessDeniedException: PassRole");
}
Result<Copied> fault(const Original&, const rules::CopyChanges&, const Apis&, bool) {
  return fail(ErrorCode::kServiceFault, "CreateTrainingJob: 503");
}
Result<Copied> make(const Original&, const rules::CopyChanges&, const Apis&, bool) {
  return Copied{Copied::How::kMade, "job-1-r1-0123abcd"};
}

// A restart two hours ago, and the stop that followed it.
std::string ended_by_it() {
  std::string ended = describe("Stopped", "Stopped");
  return ended.insert(1, fmt::format(R"("SecondaryStatusTransitions":[{{"Status":"Stopping",)"
                                     R"("StartTime":{}}}],)",
                                     kNow - 7199));
}

TEST_F(VoidIntent, A5_ACopyThatAwsRefusesIsToldAsAFailureAndLaterAsMade) {
  auto all = restarted_by("again", late_intent());
  powers_.copy = &deny;
  list(tags(all)).look(ended_by_it(), tags(all));
  look_then_publish(all);
  const Record record = handle(kRestarts);
  ASSERT_TRUE(record.intent && record.intent->error);
  EXPECT_TRUE(record.failure());
  EXPECT_EQ(result(record, 1), "told");
  const std::string sent = published();
  for (const char* part :
       {"Subject=Trainwarden%20failed%20on%20job-1%20%28again%29",
        "could%20not%20restart%20the%20training%20job%20job-1%3A%20CreateTrainingJob%3A%20"
        "AccessDeniedException",
        "StringValue=failed"})
    EXPECT_NE(sent.find(part), std::string::npos) << part << "\n" << sent;

  all.emplace_back("trainwarden:told", told());
  list(tags(all)).look(ended_by_it(), tags(all));  // and nothing more, when the event comes again
  EXPECT_TRUE(handle(kRestarts).decisions.empty());

  // The quota was raised.
  powers_.copy = &make;
  transport_.sent.clear();
  list(tags(all)).look(ended_by_it(), tags(all));
  look_then_publish(all);
  EXPECT_EQ(result(handle(kRestarts), 1), "told");
  EXPECT_NE(published().find("Subject=Trainwarden%20restarts%20job-1"), std::string::npos);
  EXPECT_NE(published().find("copied%20as%20job-1-r1-0123abcd"), std::string::npos);
}

TEST_F(VoidIntent, A5_ACopyThatMayComeWithTheNextDeliveryIsNotToldOf) {
  const auto all = restarted_by("again", late_intent());
  powers_.copy = &fault;
  list(tags(all)).look(ended_by_it(), tags(all));
  const Record record = handle(kRestarts);
  EXPECT_TRUE(record.failure());
  EXPECT_TRUE(record.decisions.empty());
}

TEST_F(VoidIntent, A5_OfARuleThatHoldsForTheEndTooOneNoticeTellsOfTheFailure) {
  auto all = restarted_by("again", late_intent());
  event_.training_job_status = "Failed";
  event_.secondary_status = "Failed";
  std::string ended = ended_by_it();
  for (std::size_t at = 0; (at = ended.find("Stopped", at)) != std::string::npos;)
    ended.replace(at, 7, "Failed");
  powers_.copy = &deny;
  list(tags(all)).look(ended, tags(all));         // the intent's end
  look(ended, tags(all)).look(ended, tags(all));  // the rule's look and original
  look(ended, tags(all)).publish().remember();
  const Record record = handle(kRestarts);
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(result(record, 0), "failed");
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("Subject=Trainwarden%20failed%20on%20job-1"), std::string::npos);
}

TEST_F(VoidIntent, A5_WhyItIsNotCopiedIsToldThoughARuleThatHoldsForTheEndIsRefusedToo) {
  const auto all = restarted_by("again", late_intent());
  auto made_void = all;
  made_void[4].second = "void";
  event_.training_job_status = "Failed";
  event_.secondary_status = "Failed";
  std::string ended = ended_by_it();
  for (std::size_t at = 0; (at = ended.find("Stopped", at)) != std::string::npos;)
    ended.replace(at, 7, "Failed");
  meet(all, ended);
  look(ended, tags(made_void)).look(ended, tags(made_void));  // the rule's look and original
  look(ended, tags(made_void)).publish().remember();
  look(ended, tags(made_void)).publish().remember();
  const Record record = handle(kRestarts);
  EXPECT_EQ(result(record, 0), "refused: it was stopped, and its restart came to nothing");
  ASSERT_EQ(record.decisions.size(), 2U);
  EXPECT_EQ(result(record, 1, 1), "told");
  std::string last;
  for (const http::Request& request : transport_.sent)
    if (request.body.find("Action=Publish") != std::string::npos) last = request.body;
  EXPECT_NE(last.find("its%20name%20is%20taken"), std::string::npos);
}

TEST_F(VoidIntent, A5_WhatCouldNotBePublishedIsToldWhenTheEventComesAgain) {
  auto all = restarted_by("again", late_intent());
  meet(all).look(describe("Stopped", "Stopped"), tags(all));
  transport_.expect(
      "Action=Publish", 403,
      "<ErrorResponse><Error><Code>AuthorizationError</Code></Error></ErrorResponse>");
  EXPECT_TRUE(handle(kRestarts).failure());

  all[4].second = "void";
  list(tags(all));
  look_then_publish(all);
  const Record record = handle(kRestarts);
  EXPECT_EQ(result(record, 1), "told");
  EXPECT_NE(published().find("did%20not%20restart"), std::string::npos);
}

TEST_F(VoidIntent, A5_OfARuleThatIsGoneTheTopicOfTheEnvironmentIsTold) {
  const auto all = restarted_by("gone", late_intent());
  meet(all).look_then_publish(all);
  const Record record = handle(kTypeStops);
  EXPECT_EQ(record.decisions.at(0).decision.rule, "gone");
  EXPECT_EQ(result(record, 1), "told");
}

TEST_F(VoidIntent, P3_ARuleThatOnlyObservesByNowTellsNobody) {
  meet(restarted_by("again", late_intent()));
  EXPECT_TRUE(handle(kRestarts, "observe").decisions.empty());
}

TEST_F(VoidIntent, A5_WithoutATopicOnlyTheRecordTells) {
  config_.notify_topic.clear();
  meet(restarted_by("again", late_intent()));
  EXPECT_TRUE(handle(kRestarts).decisions.empty());
}

TEST_F(VoidIntent, A5_AnIntentThatNoRestartOfOursWroteIsNobodysNews) {
  meet({{"trainwarden:intent", late_intent()}});
  EXPECT_TRUE(handle(kTypeStops).decisions.empty());
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
}  // namespace trainwarden::actions
