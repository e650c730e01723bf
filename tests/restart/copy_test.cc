// The copy itself, and when it is made (policy.md A3, A4).
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::copy_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

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

// As many tags of its own.
std::string own_tags(int count) {
  std::string tags;
  for (int i = 0; i < count; ++i) tags += fmt::format(R"({}"key{}":"v")", i > 0 ? "," : "", i);
  return R"(,"Tags":{)" + tags + "}";
}

// Ours explain; the table tells what the copy is.
TEST(Copy, A3_WhereAJobsOwnTagsLeaveNoRoomTheCopyGoesWithoutOurs) {
  for (const int own : {47, 48, 50}) {
    History history(kResume);
    EXPECT_TRUE(resumed(history, {.more = own_tags(own)}).starts_with("copied as ")) << own;
    ASSERT_EQ(history.aws().created().size(), 1U) << own;
    const std::string copy = history.aws().created()[0];
    EXPECT_EQ(history.aws().tag(copy, "trainwarden:generation"), own == 47 ? "1" : "") << own;
    EXPECT_EQ(history.aws().tag(copy, fmt::format("key{}", own - 1)), "v") << own;
  }
}

TEST(Copy, A3_ALostAnswerIsFoundOutByTheName) {
  History history(kResume);
  history.aws().lose_answer("CreateTrainingJob");
  EXPECT_NE(resumed(history, {}).find("no answer in time"), std::string::npos);
  EXPECT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("already copied as "));
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
  EXPECT_NE(history.aws().tag(kJob, "trainwarden:child"), "");
}

// Its tags do not count: others can write them.
TEST(Copy, A3_ATakenNameIsNoCopyWhateverItsTagsSay) {
  History first(kResume);
  const std::string name = resumed(first).substr(std::string("copied as ").size());
  for (const char* const parent : {"another", kJob}) {
    History history(kResume);
    history.aws().place({.name = name, .tags = {{"trainwarden:parent", parent}}});
    EXPECT_EQ(
        resumed(history),
        fmt::format("not run again: the name {} is taken by a job that is no copy of it", name));
    EXPECT_EQ(history.aws().tag(kJob, "trainwarden:child"), "");
    EXPECT_TRUE(history.item().closed);
  }
}

TEST(Copy, A3_AQuotaIsAnErrorThatIsTriedAgain) {
  History history(kResume);
  history.aws().refuse("CreateTrainingJob", {400, "ResourceLimitExceeded",
                                             "The account-level service limit is 0 Instances"});
  EXPECT_NE(resumed(history, {}).find("ResourceLimitExceeded"), std::string::npos);
  EXPECT_TRUE(history.sweep());
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
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
  EXPECT_EQ(history.item().waits, sys_seconds(seconds(epoch(history) + 900)));
  history.aws().pass(minutes(14));
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
  ASSERT_TRUE(result_of(*history.deliver("Failed", "Failed")).starts_with("waits: "));
  history.aws().pass(minutes(2));
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
    EXPECT_FALSE(history.acted()) << mode;
  }
}

TEST(Restart, R1_TheRecordTellsTheGenerationAndTheEnd) {
  History history(kThrash);
  ASSERT_EQ(thrashed(history), kStoppingToCopy);
  history.aws().pass(minutes(2));
  const auto document = history.deliver("Stopped", "Stopped")->to_json();
  const auto restart = document.root().find("restart");
  ASSERT_TRUE(restart);
  EXPECT_TRUE(restart->find("result")->as_string().starts_with("copied as "));
  EXPECT_FALSE(history.deliver("Stopped", "Stopped")->to_json().root().find("restart"));
}

TEST(Restart, A2_AnAlarmNeverCopies) {
  History history(kResume);
  history.place("Failed", "Failed");
  rules::JobEvent event;
  event.trigger = rules::Trigger::kAlarm;
  event.job_name = kJob;
  EXPECT_EQ(result_of(*history.handle(event, false)), "not done: the job has ended");
  EXPECT_FALSE(history.acted());
}

}  // namespace
}  // namespace trainwarden::testing::copy_test
