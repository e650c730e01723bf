// Of jobs on one checkpoint one goes on (A2): what other jobs on it keep a restart from being made.
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::checkpoint_test {
namespace {

using std::chrono::seconds;

TEST(RestartRefused, A2_ALaterJobOnTheSameCheckpoint) {
  History history(kResume);
  history.place("InProgress", "Training", "", "by-hand");
  EXPECT_EQ(resumed(history, {}), "not run again: the job by-hand uses its checkpoint");
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_AJobThatWentOnWithTheCheckpointMeanwhile) {
  History history(kResume);
  history.place("InProgress", "Training");
  history.aws().pass(seconds(10));
  history.place("InProgress", "Training", "", "by-hand");
  history.transition("Failed", "InternalServerError");
  history.aws().pass(seconds(10));
  history.transition("Completed", "", "by-hand");
  // The failure was lost, and is found when a person has long run the job again.
  history.sweep();
  EXPECT_TRUE(history.aws().created().empty());
  EXPECT_EQ(result_of(*history.deliver("Failed", "Failed")),
            "not run again: the job by-hand has gone on with its checkpoint since");
}

TEST(RestartRefused, A2_OfTwoThatEndedInTheSameSecondTheLaterOneGoesOn) {
  for (const bool later_first : {false, true}) {
    History history(kResume);
    history.place("InProgress", "Training");
    history.aws().pass(seconds(10));
    history.place("InProgress", "Training", "", "by-hand");
    history.transition("Failed", "InternalServerError");
    history.transition("Failed", "InternalServerError", "by-hand");
    for (const bool later : {later_first, !later_first})
      history.deliver("Failed", "Failed", later ? "by-hand" : kJob);
    EXPECT_TRUE(history.copies_of(kJob).empty());
    EXPECT_EQ(history.copies_of("by-hand").size(), 1U);
  }
}

TEST(RestartRefused, A2_OfTwoThatAlsoBeganInTheSameSecondTheLastByNameGoesOn) {
  for (const bool by_hand_first : {false, true}) {
    History history(kResume);
    history.place("InProgress", "Training");
    history.place("InProgress", "Training", "", "by-hand");
    history.aws().pass(seconds(10));
    history.transition("Failed", "InternalServerError");
    history.transition("Failed", "InternalServerError", "by-hand");
    for (const bool by_hand : {by_hand_first, !by_hand_first})
      history.deliver("Failed", "Failed", by_hand ? "by-hand" : kJob);
    EXPECT_EQ(history.copies_of(kJob).size(), 1U);
    EXPECT_TRUE(history.copies_of("by-hand").empty());
  }
}

// The copy of the one that ended first would begin where that one was, not where the other came to.
TEST(RestartRefused, A2_AnEarlierJobThatUsedTheCheckpointForLonger) {
  for (const bool longer_first : {false, true}) {
    History history(kResume);
    history.place("InProgress", "Training", "", "longer");
    history.aws().pass(seconds(10));
    history.place("InProgress", "Training");
    history.transition("Failed", "InternalServerError");
    history.aws().pass(seconds(10));
    history.transition("Failed", "InternalServerError", "longer");
    for (const bool longer : {longer_first, !longer_first})
      history.deliver("Failed", "Failed", longer ? "longer" : kJob);
    EXPECT_TRUE(history.copies_of(kJob).empty());
    EXPECT_EQ(history.copies_of("longer").size(), 1U);
  }
}

TEST(RestartRefused, A2_NotForAJobThatOnlySearchStillCallsRunning) {
  History history(kResume);
  history.place("InProgress", "Training", "", "by-hand");
  history.aws().pass(seconds(10));
  history.place("InProgress", "Training");
  history.transition("Failed", "InternalServerError");
  bool ended = false;
  history.aws().before("Search", [&] {
    history.aws().before("DescribeTrainingJob", [&] {
      ended = true;
      history.transition("Failed", "AlgorithmError: exit code 1", "by-hand");
    });
  });
  history.deliver("Failed", "Failed");
  EXPECT_TRUE(ended);
  EXPECT_EQ(history.copies_of(kJob).size(), 1U);
}

TEST(RestartRefused, A2_WhereNobodyKnowsWhetherTheOtherRunsTheEventComesAgain) {
  History history(kResume);
  history.place("InProgress", "Training", "", "by-hand");
  history.place("Failed", "Failed",
                fmt::format(R"(,"FailureReason":"InternalServerError","TrainingEndTime":{})",
                            epoch(history)));
  history.aws().before("Search", [&] { history.aws().refuse("DescribeTrainingJob", kDenied); });
  EXPECT_NE(result_of(*history.deliver("Failed", "Failed")).find("AccessDeniedException"),
            std::string::npos);
  EXPECT_FALSE(history.acted());
}

TEST(RestartRefused, A2_ASearchThatFailedIsNoPermission) {
  History history(kResume);
  history.aws().refuse("Search", kDenied);
  EXPECT_NE(resumed(history, {}).find("Search: AccessDeniedException"), std::string::npos);
  EXPECT_FALSE(history.acted());
}

}  // namespace
}  // namespace trainwarden::testing::checkpoint_test
