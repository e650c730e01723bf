// The action restart: a job that has ended is copied at once, one that runs gets an intent and is
// stopped; what becomes of the intent.
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/restart/support.h"

namespace trainwarden::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Restart, A2_AFailedJobIsCopiedAtOnce) {
  History history(kResume);
  EXPECT_TRUE(resumed(history, {}).starts_with("copied as train-7-r1-"));
  const auto copies = history.copies_of(kJob);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), copies[0]);
  EXPECT_EQ(history.aws().tag(copies[0], "trainwarden:root"), kJob);
  EXPECT_EQ(history.aws().tag(copies[0], "trainwarden:generation"), "1");
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("HyperParameters")), R"({"epochs":"3","resume":""})");
  EXPECT_EQ(json::to_text(*body->root().find("CheckpointConfig")),
            R"({"S3Uri":"s3://example-bucket/checkpoints/train-7"})");
}

TEST(Restart, A2_ARunningJobGetsAnIntentAndIsStopped) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  const auto record = history.deliver("InProgress", "Interrupted");
  EXPECT_EQ(result_of(*record), "stopping, to be copied when it has ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"),
            fmt::format("v1 gen=1 at={} spot=false types=ml.p5.48xlarge", epoch(history)));
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "restart");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:rule"), "thrash");
  EXPECT_TRUE(history.aws().created().empty());

  history.aws().pass(seconds(90));
  const auto ended = history.deliver("Stopped", "Stopped");
  EXPECT_TRUE(intent_of(*ended).starts_with("copied as train-7-r1-")) << intent_of(*ended);
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("EnableManagedSpotTraining")), "false");
  EXPECT_EQ(json::to_text(*body->root().find("StoppingCondition")),
            R"({"MaxRuntimeInSeconds":172800})");
  EXPECT_EQ(json::to_text(*body->root().find("ResourceConfig")),
            R"({"InstanceType":"ml.p5.48xlarge","InstanceCount":2,"VolumeSizeInGB":100})");
}

TEST(Restart, A2_AnIntentIsCarriedOutUnderAKillSwitchAndByAnyPolicy) {
  History before(kThrash);
  before.place("InProgress", "Interrupted");
  ASSERT_TRUE(before.deliver("InProgress", "Interrupted"));
  const std::string intent = before.aws().tag(kJob, "trainwarden:intent");

  History history(kNothing, "observe");
  history.config().ceiling = rules::Mode::kObserve;
  history.place("InProgress", "Interrupted",
                fmt::format(R"(,"Tags":{{"trainwarden:intent":"{}"}})", intent));
  history.transition("Stopping");
  history.aws().pass(seconds(90));
  history.transition("Stopped");
  const auto record = history.deliver("Stopped", "Stopped");
  EXPECT_TRUE(intent_of(*record).starts_with("copied as train-7-r1-")) << intent_of(*record);
}

TEST(Restart, A2_AnIntentThatTheEndDoesNotFitIsMadeVoid) {
  struct Case {
    const char* intent;
    long after;
    const char* result;
  };
  for (const Case& c :
       {Case{"v1 gen=1 at={}", 601, "intent void: the job was not stopped within 10 minutes"},
        Case{"v1 gen=2 at={}", 1, "intent void: the intent speaks of generation 2"},
        Case{"v2 gen=1 at={}", 1, "intent void: the intent cannot be read"},
        Case{"restart it {}", 1, "intent void: the intent cannot be read"}}) {
    History history(kNothing);
    EXPECT_TRUE(honoured(history, c.intent, c.after).starts_with(c.result)) << c.intent;
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "void");
    EXPECT_TRUE(history.aws().created().empty());
    history.sweep();
    EXPECT_TRUE(history.aws().created().empty());
  }
}

TEST(Restart, A2_AJobThatFailedWhileItStoppedIsCopied) {
  History history(kNothing);
  EXPECT_TRUE(honoured(history, "v1 gen=1 at={}", 2, "Failed").starts_with("copied as "));
}

TEST(Restart, A2_WhatItWasStoppedForComesBeforeWhatTheRuleAsksForNow) {
  History history(kResume);
  history.aws().refuse("CreateTrainingJob", {400, "ResourceLimitExceeded",
                                             "The account-level service limit is 0 Instances"});
  // The intent's own try is refused, and the rule's, which holds by now, may succeed.
  honoured(history, "v1 gen=1 at={} types=ml.p5.48xlarge", 2);
  ASSERT_EQ(history.aws().create_requests.size(), 1U);
  EXPECT_NE(history.aws().create_requests[0].find("ml.p5.48xlarge"), std::string::npos);
}

TEST(Restart, P4_AStopAfterTheIntentBeatsIt) {
  History history(kNothing);
  EXPECT_EQ(honoured(history, "v1 gen=1 at={}", 2, "Stopped", R"(,"trainwarden:action":"stop")"),
            "intent void: a rule stopped the job after the intent");
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_TheSameEventTwiceAtOnceKeepsItsIntent) {
  for (const char* const operation : {"Search", "DescribeTrainingJob", "ListTags", "AddTags"}) {
    History history(kThrash);
    history.place("InProgress", "Interrupted");
    std::string first;
    history.aws().before(operation, [&] {
      first = result_of(*history.deliver("InProgress", "Interrupted"));
      history.aws().pass(seconds(4));
    });
    const std::string second = result_of(*history.deliver("InProgress", "Interrupted"));
    EXPECT_EQ(first, "stopping, to be copied when it has ended") << operation;
    EXPECT_TRUE(second.starts_with("already") || second.starts_with("not done")) << second;
    history.aws().pass(seconds(120));
    const auto end = history.deliver("Stopped", "Stopped");
    EXPECT_TRUE(intent_of(*end).starts_with("copied as ")) << operation << intent_of(*end);
  }
}

TEST(Restart, A2_AnIntentThatStandsIsKeptAndTheJobStopped) {
  History history(kThrash);
  const std::string stands =
      fmt::format("v1 gen=1 at={} spot=false types=ml.p5.48xlarge", epoch(history) - 60);
  history.place("InProgress", "Interrupted",
                fmt::format(R"(,"Tags":{{"trainwarden:intent":"{}"}})", stands));
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "stopping, to be copied when it has ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), stands);
}

TEST(Restart, A2_AnOldOrOtherIntentGivesWay) {
  for (const auto& [ago, rest] : {std::pair{301, "gen=1 at={} spot=false types=ml.p5.48xlarge"},
                                  std::pair{-60, "gen=1 at={} spot=false types=ml.p5.48xlarge"},
                                  std::pair{60, "gen=1 at={} spot=true"},
                                  std::pair{60, "gen=2 at={} spot=false types=ml.p5.48xlarge"}}) {
    History history(kThrash);
    const long at = epoch(history) - ago;
    history.place("InProgress", "Interrupted",
                  fmt::format(R"(,"Tags":{{"trainwarden:intent":"v1 {}"}})",
                              fmt::vformat(rest, fmt::make_format_args(at))));
    EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
              "stopping, to be copied when it has ended");
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"),
              fmt::format("v1 gen=1 at={} spot=false types=ml.p5.48xlarge", epoch(history)));
  }
}

// The sweep meets another rule, whose stop beats a restart.
const std::string kStoppedBySweep = std::string(kThrash) +
                                    R"(,{"name":"must-stop","match":{"event":{"trigger":["sweep"]},
                                     "job":{"TrainingJobStatus":["InProgress"]}},
         "actions":["stop"]})";

TEST(Restart, P4_AStopThatCameWhileTheGuardsWereAskedBeatsARestart) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  history.aws().before("Search", [&] { history.sweep(); });
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")), "already stopping or ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "stop");
}

TEST(Restart, P4_AStopThatIsUnderWayBeatsARestart) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  // Its tags are there, its StopTrainingJob is still to come.
  history.aws().before("Search", [&] {
    history.aws().refuse("StopTrainingJob", kDenied);
    history.sweep();
  });
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
            "refused: a rule stops it, and a stop beats a restart");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "stop");
}

TEST(Restart, P4_AStopWhoseTagsARestartOverwroteBeatsIt) {
  History history(kStoppedBySweep);
  history.place("InProgress", "Interrupted");
  history.aws().before("AddTags", [&] { history.sweep(); });
  EXPECT_EQ(result_of(*history.deliver("InProgress", "Interrupted")), "already stopping or ended");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "restart");
  history.aws().pass(seconds(120));
  EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")),
            "intent void: a rule stopped the job after the intent");
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_TheIntentOfAJobThatCompletedIsMadeVoidWhereTheTagsAreKnown) {
  constexpr const char* kTagged = R"(
    {"name": "tagged", "match": {"tags": {"team": ["vision"]}}, "actions": ["stop"]})";
  History history(kTagged);
  EXPECT_EQ(honoured(history, "v1 gen=1 at={}", 2, "Completed"),
            "intent void: the job completed all the same");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "void");
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_TheEndOfAJobThatCompletedCostsNoCallForAnIntent) {
  History history(kNothing);
  EXPECT_EQ(honoured(history, "v1 gen=1 at={}", 2, "Completed"), "-");
  EXPECT_TRUE(history.aws().calls.empty());
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, A2_AnIntentWhoseStopIsRefusedIsTakenBack) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().refuse("StopTrainingJob", kDenied);
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "void");
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:action"), "none");
  // Its owner stops it a minute later, and means it.
  history.aws().pass(minutes(1));
  history.transition("Stopping");
  history.aws().pass(minutes(1));
  history.transition("Stopped");
  EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
}

// Another delivery's stop came first: the intent is what it rests on.
TEST(Restart, A2_AnIntentIsNotTakenBackFromAJobThatDoesNotRun) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().before("StopTrainingJob", [&] {
    history.transition("Stopping");
    history.aws().refuse("StopTrainingJob", kDenied);
  });
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  EXPECT_TRUE(history.aws().tag(kJob, "trainwarden:intent").starts_with("v1 "));
  history.aws().pass(minutes(2));
  history.transition("Stopped");
  EXPECT_TRUE(intent_of(*history.deliver("Stopped", "Stopped")).starts_with("copied as "));
}

TEST(Restart, A2_AnIntentWhoseStopMayHaveComeThroughStands) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  history.aws().lose_answer("StopTrainingJob", 9);
  EXPECT_TRUE(history.deliver("InProgress", "Interrupted")->failure());
  history.aws().pass(minutes(2));
  EXPECT_TRUE(intent_of(*history.deliver("Stopped", "Stopped")).starts_with("copied as "));
}

TEST(Copy, A3_WithoutRoomForTheChildTheIntentTellsOfIt) {
  for (const int own : {45, 46, 47}) {
    History history(kThrash);
    history.place("InProgress", "Interrupted", own_tags(own));
    ASSERT_EQ(result_of(*history.deliver("InProgress", "Interrupted")),
              "stopping, to be copied when it has ended")
        << own;
    history.aws().pass(seconds(90));
    // Others fill what room there is.
    for (int i = own; i < 50; ++i) history.aws().tag_job(kJob, fmt::format("late{}", i), "v");
    const auto end = history.deliver("Stopped", "Stopped");
    ASSERT_TRUE(intent_of(*end).starts_with("copied as ")) << intent_of(*end);
    EXPECT_TRUE(end->intent->note.empty()) << end->intent->note;
    const std::string copy = history.copies_of(kJob).at(0);
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), "");
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "done " + copy);

    history.transition("Completed", "", copy);
    ASSERT_TRUE(history.aws().call("DeleteTrainingJob",
                                   fmt::format(R"({{"TrainingJobName":"{}"}})", copy)));
    EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
    EXPECT_EQ(rules::text(history.restart_by_hand().result), "already copied as " + copy);
    history.aws().pass(hours(27));
    history.sweep();
    EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:intent"), "done " + copy);
    EXPECT_EQ(history.aws().created().size(), 1U);
  }
}

TEST(Restart, A2_AnEventFasterThanDescribeComesAgain) {
  History history(kThrash);
  history.place("InProgress", "Interrupted");
  ASSERT_TRUE(history.deliver("InProgress", "Interrupted"));
  const auto early = history.deliver("Stopped", "Stopped");
  ASSERT_TRUE(early->failure());
  EXPECT_NE(early->failure()->message.find("DescribeTrainingJob still Stopping"),
            std::string::npos);
  EXPECT_TRUE(history.aws().created().empty());
}

TEST(Restart, F1_AnEndThatCannotBeLookedAtComesAgain) {
  History history(R"({"name":"r","match":{"event":{"trigger":["alarm"]}},"actions":["stop"]})");
  honoured(history, "v1 gen=1 at={}", 2, "Completed");
  for (const auto trigger : {rules::Trigger::kState, rules::Trigger::kSweep}) {
    history.aws().refuse("DescribeTrainingJob", kDenied);
    rules::JobEvent event;  // without statuses: what they are, Describe would tell
    event.trigger = trigger;
    event.job_name = kJob;
    const auto record = history.handle(event);
    ASSERT_TRUE(record->failure());
    EXPECT_TRUE(record->failure()->message.starts_with("job train-7: intent of a restart: "));
  }
}

TEST(Restart, F1_TagsThatCannotBeReadMakeTheEndComeAgain) {
  History history(kNothing);
  history.place("Stopped", "Stopped");
  history.aws().refuse("ListTags", kDenied);
  const auto record = history.deliver("Stopped", "Stopped");
  ASSERT_TRUE(record->failure());
  EXPECT_TRUE(record->failure()->message.starts_with("job train-7: intent of a restart: "));
}

}  // namespace
}  // namespace trainwarden::testing
