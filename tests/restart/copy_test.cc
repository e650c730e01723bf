// Restarts by hand, and the copy itself.
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/restart/support.h"

namespace trainwarden::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(RestartByHand, A2_IsFinishedByASecondCommandWhereNoFunctionIsDeployed) {
  History history(kNothing);
  history.place("InProgress", "Training");
  const auto first = history.restart_by_hand({.spot = false, .instance_types = {}, .limit = 3});
  EXPECT_EQ(rules::text(first.result), "stopping, to be copied when it has ended");
  EXPECT_NE(first.note.find("run this command again when the job has ended"), std::string::npos);
  EXPECT_EQ(rules::text(history.restart_by_hand().result), "already Stopping");
  history.aws().pass(seconds(120));
  EXPECT_TRUE(rules::text(history.restart_by_hand().result).starts_with("copied as train-7-r1-"));
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("EnableManagedSpotTraining")), "false");
  EXPECT_TRUE(
      rules::text(history.restart_by_hand().result).starts_with("already copied as train-7-r1-"));
  // A function that was deployed meanwhile has nothing left to do.
  EXPECT_EQ(intent_of(*history.deliver("Stopped", "Stopped")), "-");
  EXPECT_EQ(history.aws().created().size(), 1U);
}

TEST(RestartByHand, A2_TheCommandsOptionsComeBeforeTheIntents) {
  History history(kNothing);
  history.place("InProgress", "Training");
  history.restart_by_hand({.spot = false, .instance_types = {"ml.p5.48xlarge"}});
  history.aws().pass(seconds(120));
  EXPECT_TRUE(
      rules::text(history.restart_by_hand({.spot = {}, .instance_types = {"ml.g5.xlarge"}}).result)
          .starts_with("copied as "));
  const auto body = json::Document::parse(history.aws().create_requests.at(0));
  EXPECT_EQ(json::to_text(*body->root().find("EnableManagedSpotTraining")), "false");
  EXPECT_EQ(body->root().find("ResourceConfig")->find("InstanceType")->as_string(), "ml.g5.xlarge");
}

TEST(RestartByHand, A2_AVoidIntentIsNoPersonsStop) {
  History history(kNothing);
  history.place("Stopped", "Stopped", R"(,"Tags":{"trainwarden:intent":"void"})");
  EXPECT_EQ(result_of(*history.deliver("Stopped", "Stopped")), "-");
  EXPECT_TRUE(rules::text(history.restart_by_hand().result).starts_with("copied as "));
}

TEST(RestartByHand, A2_AStopOnPurposeHoldsByHandToo) {
  for (const char* const more :
       {"", R"(,"Tags":{"trainwarden:intent":"void","trainwarden:action":"stop"})",
        R"(,"Tags":{"trainwarden:intent":"void","trainwarden:stopped":"2026-07-02T13:46:41Z"})"}) {
    History history(kNothing);
    history.place("Stopped", "Stopped", more);
    EXPECT_EQ(rules::text(history.restart_by_hand().result),
              "refused: it was stopped on purpose, and not to be run again");
    EXPECT_FALSE(history.aws().wrote());
  }
}

// The copy itself.
TEST(Copy, A3_BuiltInMetricDefinitionsAreLeftOutAtTheSecondTry) {
  History history(kResume);
  history.aws().refuse(
      "CreateTrainingJob",
      {400, "ValidationException",
       "You can't override the metric definitions for Amazon SageMaker algorithms. Please retry "
       "the request without specifying metric definitions."});
  EXPECT_TRUE(resumed(history, {}).starts_with("copied as "));
  EXPECT_EQ(history.aws().count("CreateTrainingJob"), 2);
}

TEST(Copy, A3_ALostAnswerIsFoundOutByTheName) {
  History history(kResume);
  history.aws().lose_answer("CreateTrainingJob");
  EXPECT_NE(resumed(history, {}).find("no answer in time"), std::string::npos);
  EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("already copied as "));
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
  EXPECT_NE(history.aws().tag(kJob, "trainwarden:child"), "");
}

TEST(Copy, A3_ATakenNameIsNoCopyUnlessItsTagsSaySo) {
  History first(kResume);
  const std::string name = resumed(first, {}).substr(std::string("copied as ").size());
  History history(kResume);
  history.place("InProgress", "Training", R"(,"Tags":{"trainwarden:parent":"another"})", name);
  EXPECT_EQ(resumed(history, {}),
            fmt::format("refused: the name {} is taken by a job that is no copy of it", name));
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), "");
}

TEST(Copy, A3_AQuotaIsAnErrorThatIsTriedAgain) {
  History history(kResume);
  history.aws().refuse("CreateTrainingJob", {400, "ResourceLimitExceeded",
                                             "The account-level service limit is 0 Instances"});
  EXPECT_NE(resumed(history, {}).find("ResourceLimitExceeded"), std::string::npos);
  EXPECT_TRUE(history.sweep());
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
}

TEST(Copy, A3_FiftyTagsAreTheMost) {
  std::string tags;
  for (int i = 0; i < 48; ++i) tags += fmt::format(R"({}"key{}":"v")", i > 0 ? "," : "", i);
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = "x", .more = R"(,"Tags":{)" + tags + "}"}),
            "refused: the copy would have 51 tags, three of them ours, and a job takes 50");
  EXPECT_FALSE(history.aws().wrote());
}

TEST(Copy, A3_AParentThatHasItsCopyIsLeftAlone) {
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = "x", .more = R"(,"Tags":{"trainwarden:child":"c-1"})"}),
            "already copied as c-1");
  EXPECT_FALSE(history.aws().wrote());
}

TEST(Copy, A3_ADeletedCopyIsNotMadeAgain) {
  History history(kResume);
  resumed(history, {});
  const std::string copy = history.copies_of(kJob).at(0);
  history.transition("Completed", "", copy);
  ASSERT_TRUE(
      history.aws().call("DeleteTrainingJob", fmt::format(R"({{"TrainingJobName":"{}"}})", copy)));
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")), "already copied as " + copy);
  history.sweep();
  EXPECT_EQ(history.aws().created().size(), 1U);
}

constexpr const char* kCapacity =
    "CapacityError: Unable to provision requested ML compute capacity.";

TEST(Capacity, A4_TheSameMachinesOnlyByASweepAndNotAtOnce) {
  History history(kResume);
  EXPECT_EQ(resumed(history, {.reason = kCapacity, .more = ""}),
            fmt::format("waits: a sweep asks for the same machines again from {} on",
                        rfc3339(sys_seconds(seconds(epoch(history) + 900)))));
  // What the job's own end decided is remembered: a sweep counts it no more (P7).
  EXPECT_EQ(history.aws().tag(kJob, "trainwarden:waits"),
            rfc3339(sys_seconds(seconds(epoch(history) + 900))));
  history.aws().pass(minutes(14));
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
  history.aws().pass(minutes(2));
  ASSERT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("waits: "));
  history.sweep();
  EXPECT_EQ(history.aws().created().size(), 1U);
}

TEST(Capacity, A4_TheNextTypeAtOnce) {
  History history(R"({"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
       "actions": [{"restart": {"instance_types": ["ml.p4d.24xlarge", "ml.p5.48xlarge"]}}]})");
  EXPECT_TRUE(resumed(history, {.reason = kCapacity, .more = ""}).starts_with("copied as "));
  EXPECT_NE(history.aws().create_requests.at(0).find(R"("InstanceType":"ml.p5.48xlarge")"),
            std::string::npos);
}

TEST(Restart, ObserveAndNotifyWriteNothing) {
  for (const char* const mode : {"observe", "notify"}) {
    History history(kResume, mode);
    resumed(history, {});
    EXPECT_FALSE(history.aws().wrote()) << mode;
  }
}

TEST(Restart, A2_AnAlarmNeverCopies) {
  History history(kResume);
  history.place("Failed", "Failed");
  rules::JobEvent event;
  event.trigger = rules::Trigger::kAlarm;
  event.job_name = kJob;
  EXPECT_EQ(result_of(*history.handle(event, false)), "not done: the job has ended");
  EXPECT_FALSE(history.aws().wrote());
}

TEST(Restart, R1_TheRecordTellsTheGenerationAndTheIntent) {
  History history(kNothing);
  const std::string result = honoured(history, "v1 gen=1 at={}", 2);
  const auto record = history.deliver("Stopped", "Stopped");
  const auto document = record->to_json();
  EXPECT_EQ(document.root().find("generation")->as_integer(), 0);
  EXPECT_FALSE(document.root().find("intent"));  // done: the job is tagged as copied
}

}  // namespace
}  // namespace trainwarden::testing
