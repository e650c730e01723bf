// What a record tells: what the event claimed, each call with its time and target, and what was
// left standing and why (R1); and that it stays within a line of the log.
#include <set>

#include "handlers/actions/handle/open_intents.h"
#include "runtime/json/one_line.h"
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::record_test {
namespace {

constexpr const char* kToDemand = R"(
  {"name": "to-demand", "match": {"job": {"TrainingJobStatus": ["InProgress"],
                                          "ResourceConfig": {"InstanceType": ["ml.p5.48xlarge"]}}},
   "actions": [{"restart": {"spot": false}}, "notify"]})";
constexpr const char* kAgain = R"(
  {"name": "again", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
   "actions": [{"restart": {}}, "notify"]})";
constexpr const char* kTells = R"(
  {"name": "look", "match": {"tags": {"model_name": [{"exists": false}]}}, "actions": ["notify"]})";

class RecordTest : public ActionTest {
 protected:
  // As the state function does it.
  Record noted(const rules::Policy& policy, const rules::JobEvent& event) {
    std::vector<aws::CallMade> made;
    const aws::CallContext context{clock_.in(left_), "", &made};
    const Apis apis(client_, clock_, context, config_, powers_, request_);
    Record record = handle_job(
        {policy, ceiling_}, {*aws::JobName::parse(event.job_name), testing::arn_of(event.job_name)},
        event, apis);
    record.calls = std::move(made);
    return record;
  }
  static std::string text_of(const Record& record) {
    return json::to_text(record.to_json().root());
  }
  // "restart again: why", one a line.
  static std::string standing(const Record& record) {
    std::string out;
    for (const rules::OpenIntent& one : record.open_intents)
      out += fmt::format("{} {}: {}\n", static_cast<int>(one.kind), one.rule, rules::text(one.why));
    return out;
  }
  static constexpr const char* kRestart = "1";
  static constexpr const char* kNotice = "3";
};

TEST_F(RecordTest, R1_ItTellsWhatTheEventClaimed) {
  aws_.place(kP5);
  rules::JobEvent late = event();
  late.training_job_status = "Completed";
  late.secondary_status = "Completed";
  late.id = "7bf73129-1428-4cd3-a780-95db273d1602";
  late.time = *parse_rfc3339("2026-07-02T13:00:00Z");
  const json::Document record = noted(policy(kNoP5), late).to_json();
  const json::Value claimed = *record.root().find("event");
  EXPECT_EQ(claimed.find("status")->as_string(), "Completed/Completed");
  EXPECT_EQ(claimed.find("id")->as_string(), late.id);
  EXPECT_EQ(claimed.find("time")->as_string(), "2026-07-02T13:00:00Z");
  EXPECT_EQ(claimed.find("created")->as_string(), rfc3339(*late.creation_time));

  rules::JobEvent alarm{.trigger = rules::Trigger::kAlarm, .job_name = "job-1"};
  alarm.alarm = rules::AlarmEvent{"trainwarden/job-1/idle", "idle", "ALARM"};
  const auto of_alarm = claim_of(alarm);
  ASSERT_TRUE(of_alarm);
  EXPECT_EQ(of_alarm->alarm, "trainwarden/job-1/idle");
  EXPECT_EQ(of_alarm->state, "ALARM");
  // What Search nominated no event has claimed.
  EXPECT_FALSE(claim_of({.trigger = rules::Trigger::kSweep, .job_name = "job-1"}));
}

TEST_F(RecordTest, R1_EachCallHasItsTimeAndTarget) {
  aws_.place({.type = "ml.p5.48xlarge", .tags = {{"secret", "hunter2"}}});
  aws_.slow("StopTrainingJob", milliseconds(250));
  const sys_millis before = clock_.now();
  const Record record = noted(policy(kNoP5), event());
  ASSERT_GT(record.calls.size(), 5U);
  std::set<std::string> targets;
  for (const aws::CallMade& call : record.calls) {
    EXPECT_GE(call.at, before) << call.operation;
    EXPECT_LE(call.at, clock_.now());
    EXPECT_FALSE(call.target.empty()) << call.operation;
    targets.insert(fmt::format("{} {}", call.operation, call.target));
    if (call.operation == "StopTrainingJob") {
      EXPECT_EQ(call.took, milliseconds(250));
    }
  }
  EXPECT_TRUE(targets.contains("StopTrainingJob job-1"));
  EXPECT_TRUE(targets.contains("DescribeTrainingJob job-1"));
  EXPECT_TRUE(targets.contains("AddTags " + testing::arn_of("job-1")));
  EXPECT_TRUE(targets.contains("PutItem brake"));
  EXPECT_TRUE(targets.contains("Publish people"));
  const std::string all = text_of(record);
  EXPECT_EQ(all.find("hunter2"), std::string::npos);
  EXPECT_NE(all.find(R"("target":"job-1","at":"2026-07-02T13:50:)"), std::string::npos) << all;
}

TEST_F(RecordTest, R1_ARestartThatWasBegunStandsUntilTheJobHasEnded) {
  aws_.place(kP5);
  const Record begun = noted(policy(kToDemand), event());
  EXPECT_EQ(kind(begun), Kind::kStoppingToCopy);
  EXPECT_EQ(standing(begun), "1 to-demand: the job has not ended yet\n");
  EXPECT_FALSE(begun.open_intents[0].until) << "which counts from its end on";
  EXPECT_NE(text_of(begun).find(R"("standing":[{"intent":"restart","rule":"to-demand","since":")"),
            std::string::npos)
      << text_of(begun);
}

// Whichever look finds that another job has the name now.
TEST_F(RecordTest, R1_ARestartOfAJobThatWasReplacedSaysSo) {
  for (const int look : {2, 3}) {
    aws_.place(kP5);
    aws_.before(
        "DescribeTrainingJob",
        [&] {
          testing::PlacedJob later = kP5;
          later.age = seconds(1);
          aws_.place(later);
        },
        look);
    const Record record = noted(policy(kToDemand), event());
    EXPECT_EQ(kind(record), Kind::kNotDone) << look;
    EXPECT_TRUE(because(record, Why::kNamesake)) << look << ": " << text_of(record);
    EXPECT_FALSE(aws_.wrote()) << text_of(record);
  }
}

// TRAINWARDEN_MODE holds back what is owed.
TEST_F(RecordTest, R1_ACopyThatIsHeldBackSaysWhyAndUntilWhen) {
  aws_.place(kP5);
  noted(policy(kToDemand), event());
  aws_.enter("job-1", "Stopped");
  ceiling_ = rules::Mode::kNotify;
  const Record held = noted(policy(kToDemand), event());
  EXPECT_EQ(standing(held),
            "1 to-demand: TRAINWARDEN_MODE is notify: the copy waits, until 26 hours after the "
            "end\n");
  ASSERT_TRUE(held.open_intents[0].until);
  ceiling_ = rules::Mode::kEnforce;
  const Record made = noted(policy(kToDemand), event());
  ASSERT_TRUE(made.restart);
  EXPECT_EQ(made.restart->result.kind, Kind::kCopied);
  EXPECT_EQ(standing(made), "");
}

TEST_F(RecordTest, R1_ACopyThatAwsRefusedSaysItsError) {
  aws_.place({.status = "Failed", .secondary = "Failed"});
  aws_.refuse("CreateTrainingJob", {400, "ResourceLimitExceeded", "the account's limit is 0"});
  const Record refused = noted(policy(kAgain), event());
  EXPECT_EQ(refused.open_intents.size(), 1U);
  EXPECT_NE(standing(refused).find("ResourceLimitExceeded"), std::string::npos)
      << standing(refused);
  EXPECT_EQ(standing(refused).find("3 "), std::string::npos);  // its notice was told
}

TEST_F(RecordTest, R1_ANoticeThatCouldNotBePublishedStands) {
  aws_.place({});
  aws_.refuse("Publish", {403, "AuthorizationError", "not allowed to publish"});
  const Record failed = noted(policy(kTells), event());
  EXPECT_NE(standing(failed).find("3 look: "), std::string::npos) << standing(failed);
  EXPECT_NE(standing(failed).find("not allowed to publish"), std::string::npos);
  const Record told = noted(policy(kTells), event());
  EXPECT_EQ(standing(told), "");
}

// Each beside its own rule, whatever the order of their keys.
TEST_F(RecordTest, R1_OfSeveralNoticesEachStandsBesideItsRule) {
  aws_.place({});
  std::string rules;
  for (const char* name : {"a", "b", "c", "d", "e"})
    rules += fmt::format(R"({}{{"name":"{}","match":{{"tags":{{"m":[{{"exists":false}}]}}}},)"
                         R"("actions":["notify"]}})",
                         rules.empty() ? "" : ",", name);
  aws_.refuse("Publish", {403, "AuthorizationError", "of a"}, 1);
  const Record failed = noted(policy(rules), event());
  ASSERT_EQ(failed.open_intents.size(), 1U) << standing(failed);
  EXPECT_EQ(failed.open_intents[0].rule, "a");
  aws_.refuse("Publish", {403, "AuthorizationError", "of the rest"}, 5);
  const std::string both = rules + R"(,{"name":"f","match":{"tags":{"m":[{"exists":false}]}},)"
                                   R"("actions":["notify"]})";
  const Record more = noted(policy(both), event());
  std::set<std::string> names;
  for (const rules::OpenIntent& one : more.open_intents) names.insert(one.rule);
  EXPECT_EQ(names, (std::set<std::string>{"a", "f"})) << standing(more);
}

TEST_F(RecordTest, R1_AStopWhoseAnswerWasLostStands) {
  aws_.place(kP5);
  aws_.refuse("StopTrainingJob", testing::kFault);
  const Record failed = noted(policy(kNoP5), event());
  ASSERT_FALSE(failed.open_intents.empty());
  EXPECT_EQ(failed.open_intents[0].kind, rules::OpenIntent::Kind::kStop);
  EXPECT_EQ(failed.open_intents[0].rule, "no-p5");
  EXPECT_NE(rules::text(failed.open_intents[0].why).find("InternalFailure"), std::string::npos)
      << standing(failed);
}

TEST_F(RecordTest, R1_NothingStandsOfAStopThatWasDoneAndCostsNoCall) {
  aws_.place(kP5);
  const Record stopped = noted(policy(kNoP5), event());
  EXPECT_EQ(standing(stopped), "");
  EXPECT_FALSE(stopped.to_json().root().find("standing"));
  aws_.place({.name = "job-2", .tags = {{"model_name", "m"}}});
  const auto before = aws_.calls.size();
  EXPECT_EQ(standing(noted(policy(kModelName), event("job-2"))), "");
  EXPECT_EQ(aws_.calls.size(), before + 1);  // ListTags
}

// Of two jobs of one name nobody can tell which was meant (F5).
TEST_F(RecordTest, R1_TheItemThatWasSeenIsTheOnlyOneOfThatName) {
  const aws::CallContext context{clock_.in(left_), "", nullptr};
  const Apis apis(client_, clock_, context, config_, powers_, request_);
  EXPECT_EQ(seen_item_of("job-1", nullptr, apis), "");
  for (const char* other : {"brake", "job/job-10/5", "job/job-1-a/5", "job/job/9", "turn/job-1"})
    apis.last_items.emplace(other, std::nullopt);
  EXPECT_EQ(seen_item_of("job-1", nullptr, apis), "");
  apis.last_items.emplace("job/job-1/7", std::nullopt);
  EXPECT_EQ(seen_item_of("job-1", nullptr, apis), "job/job-1/7");
  apis.last_items.emplace("job/job-1/70000", std::nullopt);
  EXPECT_EQ(seen_item_of("job-1", nullptr, apis), "");
}

// The sentence is for people, and the code for who searches records.
TEST(RecordCodes, R1_EachResultHasItsCodeBesideItsSentence) {
  Record record;
  DecisionOutcome one;
  one.actions = {
      {rules::ActionKind::kStop,
       {.kind = Kind::kHeldBack, .reason = rules::Reason{.why = Why::kUnfinishedRestart}}}};
  record.decisions.push_back(std::move(one));
  record.restart =
      ActionOutcome{rules::ActionKind::kRestart, {.kind = Kind::kCopiedBefore, .name = "a-r1"}};
  record.pending_notices = {
      {"r", failed(rules::ActionKind::kNotify, {ErrorCode::kRejected, "no"})}};
  record.dropped = {{"r", rules::ActionKind::kStop, {.why = Why::kBeatenByStop, .name = "no-p5"}}};
  using rules::Source;
  record.skipped = {{"r", 0, {Source::kTags, Source::kDescribe}, {}, /*comes_again=*/false}};
  record.open_intents = {{.rule = "r", .why = {.why = Why::kNotEnded}}};
  record.measurement = std::make_shared<rules::Measurement>(rules::Reason{.why = Why::kWarmUp});
  const std::string text = json::to_text(record.to_json().root());
  for (
      const char* const told :
      {R"("code":"held-back","reason_code":"unfinished-restart")",
       R"("reason":"rule no-p5 stops the job","code":"beaten-by-stop")", R"("comes_again":false})",
       R"("unavailable":"describe, tags","unavailable_sources":["describe","tags"])",
       R"("why":"the job has not ended yet","code":"not-ended")", R"("measured_code":"warm-up")",
       R"("result":"held back: a restart that was begun is finished first","code":"held-back")",
       R"("restart":{"action":"restart","result":"already copied as a-r1","code":"copied-before"})",
       R"("outcome":{"action":"notify","result":"failed","code":"failed","error":"no"})"})
    EXPECT_NE(text.find(told), std::string::npos) << told << "\n" << text;
}

// What a line of Lambda's log takes is 256 KB.
TEST(RecordSize, R1_ARecordFindsRoomOnALine) {
  const std::string hostile(4000, '\x01');
  Record record;
  record.job = "job-1";
  record.state = hostile;
  record.measurement = std::make_shared<rules::Measurement>(
      rules::Reason{.why = rules::Why::kAlarmState, .name = hostile});
  record.error = Error{ErrorCode::kRejected, hostile};
  record.event = EventClaim{.id = hostile, .status = hostile, .alarm = hostile, .state = hostile};
  record.restart = ActionOutcome{
      rules::ActionKind::kRestart, {Kind::kFailed}, Error{ErrorCode::kRejected, hostile}, hostile};
  for (int i = 0; i < 1000; ++i) {
    DecisionOutcome one;
    one.decision.rule = std::string(128, '"');
    one.decision.message = hostile;
    for (int j = 0; j < 50; ++j)
      one.decision.because.push_back({.group = rules::Group::kTags,
                                      .member = hostile,
                                      .value = "\u2028" + hostile,
                                      .asked = hostile});
    one.actions.push_back({rules::ActionKind::kNotify,
                           {Kind::kFailed},
                           Error{ErrorCode::kRejected, hostile},
                           hostile});
    record.decisions.push_back(std::move(one));
    record.dropped.push_back(
        {"r", rules::ActionKind::kStop, {.why = rules::Why::kBeatenByStop, .name = hostile}});
    record.skipped.push_back(
        {"r", 0, {}, {{rules::Source::kTags, {ErrorCode::kRejected, hostile}}}});
    record.open_intents.push_back(
        {.rule = "r", .why = rules::because_of({ErrorCode::kRejected, hostile})});
    record.pending_notices.push_back({"r", {rules::ActionKind::kNotify}});
    record.left_over.deleted.push_back(hostile);
    record.calls.push_back({"sagemaker", "DescribeTrainingJob", 1, hostile, hostile});
  }
  const std::string line = json::one_line(json::to_text(record.to_json().root()));
  EXPECT_LT(line.size(), 250'000U);
  EXPECT_EQ(record.to_text(), line);
  const auto read = json::Document::parse(line);
  ASSERT_TRUE(read);
  EXPECT_GE(read->root().find("decisions")->size(), 1U);
  EXPECT_GE(read->root().find("calls")->size(), 3U);
  const json::Value left_out = *read->root().find("left_out");
  EXPECT_EQ(*left_out.find("decisions")->as_integer() +
                static_cast<std::int64_t>(read->root().find("decisions")->size()),
            1000);
}

TEST(RecordSize, R1_AnOrdinaryRecordIsWhole) {
  Record record;
  for (int i = 0; i < 60; ++i)
    record.calls.push_back({"sagemaker", "DescribeTrainingJob", 1, "ok", "job-1"});
  const json::Document document = record.to_json();
  EXPECT_EQ(document.root().find("calls")->size(), 60U);
  EXPECT_FALSE(document.root().find("left_out"));
}

}  // namespace
}  // namespace trainwarden::actions::record_test
