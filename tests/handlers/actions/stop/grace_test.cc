// policy.md A1: grace_seconds. People hear of a stop before it is done, and can avert it.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::grace_test {
namespace {

constexpr const char* kIdle = R"(
  {"name": "no-team", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                "tags": {"team": [{"exists": false}]}},
   "actions": [{"stop": {"grace_seconds": 900}}, "notify"]})";
constexpr const char* kTellsNobody = R"(
  {"name": "no-team", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                "tags": {"team": [{"exists": false}]}},
   "actions": [{"stop": {"grace_seconds": 900}}]})";

constexpr const char* kOnIdleWatch = R"(
  {"name": "idle", "match": {"alarm": {"watch": ["idle"], "state": ["ALARM"]}},
   "actions": [{"stop": {"grace_seconds": 900}}, "notify"]})";
constexpr const char* kOnOtherWatch = R"(
  {"name": "other", "match": {"alarm": {"watch": ["other"], "state": ["ALARM"]}},
   "actions": ["notify"]})";
const std::string kObserved = R"(
  {"name": "no-team", "mode": "observe", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
                                                   "tags": {"team": [{"exists": false}]}},
   "actions": [{"stop": {"grace_seconds": 900}}]})";

class GraceTest : public SweepTest {
 protected:
  static rules::Policy watching(const std::string& rules) {
    constexpr const char* kWatch =
        R"({"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,"periods":3,)"
        R"("at_most":1,"missing":"notBreaching"})";
    return policy(rules, "enforce",
                  fmt::format(R"("watches":{{"idle":{0},"other":{0}}},)", kWatch));
  }
  // In the last quarter of an hour.
  void measure(double use) {
    const auto minute = std::chrono::floor<minutes>(clock_.now());
    for (const seconds before : {seconds(900), seconds(600), seconds(300)})
      ASSERT_TRUE(aws_.call(
          "PutMetricData",
          fmt::format(
              R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"GPUUtilization",)"
              R"("Dimensions":[{{"Name":"Host","Value":"job-1/algo-1"}}],"Timestamp":{},"Value":{}}}]}})",
              (minute - before).time_since_epoch().count(), use)));
  }
  std::string table() { return aws_.dynamodb().items_json(); }
  bool is_announced() { return table().contains(R"("graces")"); }
  static Tags owners(const std::string& value, int spellings = 45) {
    Tags out;
    for (int i = 0; i < spellings; ++i) {
      std::string key = "created_by";
      for (std::size_t bit = 0; bit < 6; ++bit)
        if ((i & (1 << bit)) != 0) key[bit] = static_cast<char>(key[bit] - 'a' + 'A');
      out.emplace_back(key, value);
    }
    return out;
  }
  void pass(seconds time) {
    clock_.advance(time);
    request_ = fmt::format("request-{}", ++requests_);
  }
  std::size_t notices() const { return aws_.notices().size(); }
  void heal() { aws_.faults = localaws::Faults(); }
  void untag(const std::string& key) {
    ASSERT_TRUE(aws_.call("DeleteTags", fmt::format(R"({{"ResourceArn":"{}","TagKeys":["{}"]}})",
                                                    testing::arn_of("job-1"), key)));
  }
  std::string status() const { return aws_.status("job-1"); }

 private:
  int requests_ = 1;
};

TEST_F(GraceTest, A1_TheStopIsAnnouncedAndDoneWhenItsTimeIsOver) {
  aws_.place({});
  Record record = handle(kIdle);
  EXPECT_EQ(kind(record), Kind::kWarned);
  EXPECT_TRUE(because(record, Why::kStopsLater));
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(status(), "InProgress");
  ASSERT_EQ(notices(), 1U);
  EXPECT_EQ(attribute("outcome"), "warned");
  EXPECT_EQ(subject(), "Trainwarden will stop job-1 at 2026-07-02T14:05:13Z (no-team)");
  EXPECT_TRUE(told("Set the tag team: aws sagemaker add-tags"));

  pass(minutes(14));
  record = handle(kIdle);
  EXPECT_EQ(kind(record), Kind::kWarnedBefore);
  EXPECT_FALSE(record.failure());
  EXPECT_EQ(status(), "InProgress");
  EXPECT_EQ(notices(), 1U);

  pass(minutes(1));
  EXPECT_EQ(kind(handle(kIdle)), Kind::kStopped);
  EXPECT_EQ(status(), "Stopping");
  EXPECT_EQ(notices(), 2U);
  EXPECT_EQ(attribute("outcome"), "stopped");
}

TEST_F(GraceTest, R1_AnAnnouncedStopIsStandingUntilItIsDone) {
  aws_.place({});
  const Record announced = handle(kIdle);
  ASSERT_EQ(announced.open_intents.size(), 1U);
  const rules::OpenIntent& one = announced.open_intents[0];
  EXPECT_EQ(one.kind, rules::OpenIntent::Kind::kGrace);
  EXPECT_EQ(one.rule, "no-team");
  EXPECT_EQ(one.until, one.since + minutes(15));
  EXPECT_NE(json::to_text(announced.to_json().root())
                .find(R"("standing":[{"intent":"announced-stop","rule":"no-team","since":")"),
            std::string::npos);
  pass(minutes(5));
  ASSERT_EQ(handle(kIdle).open_intents.size(), 1U);

  pass(minutes(10));
  EXPECT_TRUE(handle(kIdle).open_intents.empty());
  EXPECT_EQ(status(), "Stopping");
}

TEST_F(GraceTest, R1_WhatWasPutRightStandsNoMore) {
  aws_.place({});
  handle(kIdle);
  aws_.tag_job("job-1", "team", "vision");
  pass(minutes(20));
  run(kIdle);
  pass(minutes(20));
  for (const Record& record : records_) EXPECT_TRUE(record.open_intents.empty());
  EXPECT_TRUE(handle(kIdle).open_intents.empty());
}

TEST_F(GraceTest, A1_TheSweepStopsItAndCountsItOnlyThen) {
  aws_.place({});
  run(kIdle);
  EXPECT_EQ(notices(), 1U);
  pass(minutes(10));
  EXPECT_EQ(run(kIdle).would_act, 0U);
  EXPECT_EQ(status(), "InProgress");
  pass(minutes(10));
  EXPECT_EQ(run(kIdle).would_act, 1U);
  EXPECT_EQ(status(), "Stopping");
}

TEST_F(GraceTest, A1_WhoPutsItRightInTimeKeepsTheJob) {
  aws_.place({});
  run(kIdle);
  aws_.tag_job("job-1", "team", "vision");
  pass(minutes(20));
  EXPECT_TRUE(run(kIdle).errors.empty());
  EXPECT_EQ(status(), "InProgress");
  EXPECT_EQ(notices(), 1U);
}

TEST_F(GraceTest, A1_ARuleThatHoldsAgainIsAnnouncedAgain) {
  aws_.place({});
  run(kIdle);
  aws_.tag_job("job-1", "team", "vision");
  pass(minutes(5));
  run(kIdle);  // does not hold
  untag("team");
  pass(minutes(15));
  run(kIdle);
  EXPECT_EQ(status(), "InProgress");
  EXPECT_EQ(notices(), 2U);
  pass(minutes(15));
  run(kIdle);
  EXPECT_EQ(status(), "Stopping");
}

TEST_F(GraceTest, A1_ARuleThatCannotBeDecidedKeepsItsGrace) {
  aws_.place({});
  run(kIdle);
  pass(minutes(5));
  aws_.refuse("ListTags", kDenied, 50);
  run(kIdle);
  heal();
  pass(minutes(10));
  run(kIdle);
  EXPECT_EQ(status(), "Stopping");
  EXPECT_EQ(notices(), 2U);
}

TEST_F(GraceTest, A1_AnAlarmOfAnotherWatchDoesNotKeepAnAnnouncement) {
  aws_.place({});
  const std::string rules = std::string(kIdle) + "," + kOnOtherWatch;
  run(watching(rules));
  EXPECT_EQ(notices(), 1U);
  put_alarm("job-1/other", "ALARM");
  aws_.tag_job("job-1", "team", "vision");
  pass(minutes(16));
  run(watching(rules));  // does not hold, and the alarm has nothing to do with it
  untag("team");
  pass(minutes(10));
  run(watching(rules));
  EXPECT_EQ(status(), "InProgress");
  EXPECT_EQ(notices(), 2U);
  EXPECT_TRUE(subject().contains("will stop"));
}

TEST_F(GraceTest, A1_AnAlarmThatTheRuleWaitsForKeepsItsAnnouncementUntilItLapses) {
  aws_.place({});
  measure(0);
  put_alarm("job-1/idle", "ALARM");
  run(watching(kOnIdleWatch));
  ASSERT_EQ(notices(), 1U);
  EXPECT_TRUE(subject().contains("will stop"));
  pass(minutes(16));
  measure(90);  // the job works again, and the alarm has not noticed yet
  run(watching(kOnIdleWatch));
  EXPECT_TRUE(is_announced());
  pass(minutes(16));
  measure(0);
  run(watching(kOnIdleWatch));
  EXPECT_EQ(status(), "InProgress");
  EXPECT_EQ(notices(), 2U);
  EXPECT_TRUE(subject().contains("will stop"));
}

TEST_F(GraceTest, A1_AfterATimeOfObservingTheStopIsAnnouncedAnew) {
  for (const char* const mode : {"observe", "notify"}) {
    aws_.place({});
    run(kIdle);
    const std::size_t before = notices();
    aws_.tag_job("job-1", "team", "vision");
    for (int i = 0; i < 3; ++i) {
      pass(minutes(15));
      run(policy(kIdle, mode));
    }
    untag("team");
    pass(minutes(15));
    run(kIdle);
    EXPECT_EQ(status(), "InProgress") << mode;
    EXPECT_EQ(notices(), before + 1) << mode;
    EXPECT_TRUE(subject().contains("will stop")) << mode;
    pass(minutes(15));
    run(kIdle);
    EXPECT_EQ(status(), "Stopping") << mode;
  }
}

TEST_F(GraceTest, A1_TheSameOfTheStacksModeAndOfTheRules) {
  for (const bool of_rule : {false, true}) {
    aws_.place({});
    run(kIdle);
    if (!of_rule) ceiling_ = rules::Mode::kNotify;
    for (int i = 0; i < 3; ++i) {
      pass(minutes(15));
      run(of_rule ? kObserved : kIdle);
    }
    ceiling_ = rules::Mode::kEnforce;
    pass(minutes(15));
    run(kIdle);
    EXPECT_EQ(status(), "InProgress") << of_rule;
  }
}

TEST_F(GraceTest, P3_WhoDoesNotEnforceNeitherConfirmsNorTakesBack) {
  aws_.place({});
  run(kTellsNobody);
  const std::string before = table();
  for (const char* const tag : {"", "vision"}) {
    if (*tag != 0) aws_.tag_job("job-1", "team", tag);
    pass(minutes(8));
    run(policy(kTellsNobody, "observe"));
    run(policy(kTellsNobody, "notify"));
    run(kObserved);
    ceiling_ = rules::Mode::kNotify;
    run(kTellsNobody);
    ceiling_ = rules::Mode::kEnforce;
    EXPECT_EQ(table(), before) << tag;
  }
}

TEST_F(GraceTest, A1_AJobThatSweepsLookAtIsStoppedHoweverLongItsGraceIs) {
  aws_.place({});
  const std::string long_grace =
      std::string(kIdle).replace(std::string(kIdle).find("900"), 3, "7200");
  run(long_grace);
  for (int i = 0; i < 7; ++i) {
    pass(minutes(15));
    const auto before = aws_.count("PutItem");
    run(long_grace);
    EXPECT_EQ(aws_.count("PutItem"), before + 1)
        << i;  // that the rule holds, once for both looks of a sweep
  }
  EXPECT_EQ(status(), "InProgress");
  EXPECT_EQ(notices(), 1U);
  pass(minutes(16));
  run(long_grace);
  EXPECT_EQ(status(), "Stopping");
  EXPECT_EQ(notices(), 2U);
}

// A stop without trouble costs no call more than its announcement did before.
TEST_F(GraceTest, A1_AGraceOfOneIntervalIsNotConfirmedByTheSweepBeforeItsEnd) {
  aws_.place({});
  handle(kIdle);
  run(kIdle);  // writes down that the rule is enforced
  pass(minutes(8));
  const auto before = aws_.count("PutItem");
  run(kIdle);
  EXPECT_EQ(aws_.count("PutItem"), before);
  pass(minutes(15));
  run(kIdle);
  EXPECT_EQ(status(), "Stopping");
}

TEST_F(GraceTest, A1_AStopThatALimitHoldsBackStaysAnnounced) {
  aws_.place({});
  run(kIdle);
  const rules::Policy none = policy(kIdle, "enforce", R"("limits":{"stops_per_hour":0},)");
  for (int i = 0; i < 4; ++i) {
    pass(minutes(15));
    EXPECT_EQ(kind(handle(none)), Kind::kHeldBack) << i;
  }
  pass(minutes(15));
  EXPECT_EQ(kind(handle(kIdle)), Kind::kStopped);
}

// The rule is edited after the announcement, so that the stop counts once more (P7).
TEST_F(GraceTest, A1_SoDoesOneThatTheLimitOfASweepHoldsBack) {
  aws_.place({});
  run(kTellsNobody);
  for (int i = 0; i < 4; ++i) {
    pass(minutes(15));
    EXPECT_EQ(run(limited(kIdle, 0)).held_back, 1U) << i;
  }
  pass(minutes(15));
  run(kIdle);
  EXPECT_EQ(status(), "Stopping");
}

TEST_F(GraceTest, A1_ARuleThatIsGoneAnnouncesNothing) {
  aws_.place({});
  run(kIdle);
  EXPECT_TRUE(is_announced());
  pass(minutes(5));
  run(kNoP5);
  EXPECT_FALSE(is_announced());
}

TEST_F(GraceTest, A1_NobodyIsStoppedUnannounced) {
  aws_.place({});
  aws_.refuse("Publish", kDenied, 50);
  Record record = handle(kIdle);
  EXPECT_TRUE(record.failure());
  pass(minutes(20));
  handle(kIdle);
  EXPECT_EQ(status(), "InProgress");
  heal();
  pass(minutes(20));
  EXPECT_EQ(kind(handle(kIdle)), Kind::kWarned);
  EXPECT_EQ(subject(), "Trainwarden will stop job-1 at 2026-07-02T14:45:13Z (no-team)");
  pass(minutes(15));
  EXPECT_EQ(kind(handle(kIdle)), Kind::kStopped);
}

// A topic that is gone, or denies it for good, spares no job for ever: for a day, operators hear of
// the failures.
TEST_F(GraceTest, A1_WhereNobodyCanBeToldTheStopIsDoneAfterADay) {
  aws_.place({.more = R"(,"StoppingCondition":{"MaxRuntimeInSeconds":2419200})"});
  aws_.refuse("Publish", kDenied, 10'000);
  hours waited{0};
  for (; waited < hours(40) && status() == "InProgress"; waited += hours(1))
    for (int i = 0; i < 4; ++i) {
      run(kIdle);
      pass(minutes(15));
    }
  EXPECT_NE(status(), "InProgress");
  EXPECT_GE(waited, hours(26));
  EXPECT_LE(waited, hours(28));
}

// What ceased to be looked at meanwhile is announced anew: people may be told by now.
TEST_F(GraceTest, A1_AnAnnouncementInVainLapsesToo) {
  aws_.place({.more = R"(,"StoppingCondition":{"MaxRuntimeInSeconds":2419200})"});
  aws_.refuse("Publish", kDenied, 50);
  run(kIdle);
  pass(hours(27));
  heal();
  run(kIdle);
  EXPECT_EQ(status(), "InProgress");
  EXPECT_EQ(attribute("outcome"), "warned");
}

// 45 spellings of `owner`, as long as AWS takes them: the notice is told all the same, and the job
// is stopped at its time.
TEST_F(GraceTest, A1_NoTagEvadesAnAnnouncedStop) {
  for (const std::string_view letter : {"x", "\u8996", "\U00010400", "\u2028"}) {
    std::string value;
    for (int i = 0; i < 256; ++i) value += letter;
    aws_.place({.tags = owners(value)});
    Record record = handle(kIdle);
    EXPECT_EQ(kind(record), Kind::kWarned);
    EXPECT_FALSE(record.failure());
    EXPECT_EQ(attribute("outcome"), "warned");
    EXPECT_TRUE(told("Set the tag team"));
    pass(minutes(15));
    record = handle(kIdle);
    EXPECT_EQ(kind(record), Kind::kStopped);
    EXPECT_FALSE(record.failure());
    EXPECT_EQ(attribute("outcome"), "stopped");
    EXPECT_EQ(status(), "Stopping");
  }
}

// Nor does it spoil what whoever takes the claim over has to tell.
TEST_F(GraceTest, A5_NoTagSpoilsTheNoticeThatAClaimKeeps) {
  for (const char* format : {"text", "json", "chat"}) {
    std::string value;
    for (int i = 0; i < 256; ++i) value += "\u8996";
    aws_.place({.tags = owners(value, 10)});
    const rules::Policy at_once =
        policy(kModelName, "enforce", fmt::format(R"("notify":{{"format":"{}"}},)", format));
    aws_.before("Publish", [] { throw testing::Killed{}; });
    EXPECT_THROW(handle(at_once, event()), testing::Killed);
    EXPECT_EQ(status(), "Stopping");
    const std::size_t before = notices();
    pass(minutes(3));
    EXPECT_TRUE(run(at_once).errors.empty());
    ASSERT_EQ(notices(), before + 1);
    EXPECT_EQ(attribute("outcome"), "stopped");
    EXPECT_TRUE(told("Training jobs need the tag model_name."));
  }
}

// What a topic refuses for what people wrote is told in short.
TEST_F(GraceTest, A5_WhatATopicRefusesIsToldInShort) {
  aws_.place({});
  aws_.tag_job("job-1", "owner", "jo");
  aws_.refuse("Publish", {400, "InvalidParameter", "Invalid parameter: Message attributes"}, 1);
  EXPECT_FALSE(handle(kIdle).failure());
  ASSERT_EQ(notices(), 1U);
  EXPECT_TRUE(told("Trainwarden will stop job-1"));
  EXPECT_TRUE(told("functions' log"));
  EXPECT_EQ(attribute("outcome"), "warned");
  EXPECT_EQ(attribute("owner"), "");
  pass(minutes(15));
  EXPECT_EQ(kind(handle(kIdle)), Kind::kStopped);
}

TEST_F(GraceTest, A1_ARuleThatTellsNobodyAnnouncesToTheStacksPeople) {
  aws_.place({});
  handle(kTellsNobody);
  EXPECT_EQ(notices(), 1U);
  EXPECT_EQ(attribute("outcome"), "warned");
  pass(minutes(15));
  handle(kTellsNobody);
  EXPECT_EQ(status(), "Stopping");
}

TEST_F(GraceTest, A1_AStopAtOnceIsNotHeldByAnothersGrace) {
  aws_.place(kP5);
  const Record record = handle(std::string(kIdle) + "," + kNoP5);
  EXPECT_EQ(status(), "Stopping");
  EXPECT_EQ(kind(record, 0), Kind::kStoppedByRule);
  EXPECT_EQ(kind(record, 1), Kind::kStopped);
  for (const auto& notice : aws_.notices()) EXPECT_FALSE(notice.subject.contains("will stop"));
}

TEST_F(GraceTest, A1_TheNextJobOfTheNameHasAGraceOfItsOwn) {
  aws_.place({});
  handle(kIdle);
  pass(minutes(20));
  aws_.place({.age = minutes(3)});
  EXPECT_EQ(kind(handle(kIdle)), Kind::kWarned);
  EXPECT_EQ(status(), "InProgress");
}

TEST_F(GraceTest, P3_AWeakerModeAnnouncesNothing) {
  aws_.place({});
  handle(kIdle, "observe");
  EXPECT_EQ(notices(), 0U);
  handle(kIdle, "notify");
  EXPECT_EQ(attribute("outcome"), "none");
}

TEST_F(GraceTest, P7_AnnouncementsOfOneSweepAreHeldLikeStops) {
  for (const char* job : {"job-1", "job-2", "job-3"}) place(job);
  const SweepReport report = run(limited(kIdle, 2));
  EXPECT_EQ(report.held_back, 3U);
  for (const auto& notice : aws_.notices()) EXPECT_FALSE(notice.subject.contains("will stop"));
}

TEST_F(GraceTest, P7_JobsThatWaitDoNotHoldTheOthers) {
  const rules::Policy two = limited(kIdle, 2);
  for (const char* job : {"job-1", "job-2"}) place(job);
  run(two);
  pass(minutes(5));
  place("job-3");
  EXPECT_EQ(run(two).held_back, 0U);
  EXPECT_EQ(notices(), 3U);
}

}  // namespace
}  // namespace trainwarden::actions::grace_test
