// The action release (A7): which warm pools are let go, which are not, and what people hear.
#include <tuple>

#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::release_test {
namespace {

constexpr const char* kRelease = R"(
  {"name": "release-idle-pools",
   "match": {"job": {"WarmPoolStatus": {"Status": ["Available"]}},
             "warm_pool": {"idle_seconds": [{"numeric": [">=", 1800]}]}},
   "actions": ["release", "notify"]})";
// A rule that says nothing of the pool.
constexpr const char* kReleaseEnded = R"(
  {"name": "release", "match": {"job": {"TrainingJobStatus": ["Completed", "Failed", "Stopped"]}},
   "actions": ["release", "notify"]})";
constexpr const char* kPrice = R"("prices":{"ml.p4d.24xlarge":20},)";

// Eight machines, kept for six hours.
std::string with_pool(const std::string& status, const std::string& more = "") {
  return R"(,"ResourceConfig":{"InstanceType":"ml.p4d.24xlarge","InstanceCount":8,)"
         R"("VolumeSizeInGB":100,"KeepAlivePeriodInSeconds":21600},"WarmPoolStatus":{"Status":")" +
         status + "\"" + more + "}";
}

class ReleaseTest : public SweepTest {
 protected:
  void place_pool(const std::string& job, seconds idle, const std::string& pool = "Available",
                  const std::string& more = "", const std::string& ended = "Stopped") {
    place_ended(job, ended, idle, with_pool(pool, more));
  }
  std::string pool_of(const std::string& job) {
    const auto answer =
        aws_.call("DescribeTrainingJob", fmt::format(R"({{"TrainingJobName":"{}"}})", job));
    if (!answer) return answer.error().message;
    const auto document = json::Document::parse(*answer);
    const auto pool = document->root().find("WarmPoolStatus");
    return pool ? std::string(pool->find("Status")->as_string()) : "none";
  }
};

TEST_F(ReleaseTest, A7_ASweepReleasesAPoolThatStandsIdle) {
  place_pool("idle", hours(1));
  place_pool("fresh", minutes(20));
  const SweepReport report = run(policy(kRelease, "enforce", kPrice));
  EXPECT_EQ(report.failed, 0U);
  EXPECT_EQ(report.would_act, 0U);  // P7: it ends no training
  EXPECT_EQ(pool_of("idle"), "Terminated");
  EXPECT_EQ(pool_of("fresh"), "Available");
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 1U);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(kind(records_[0]), Kind::kReleased);
  EXPECT_EQ(outcome(records_[0]).saved_usd, 800);  // five hours of eight machines
  EXPECT_EQ(attribute("outcome"), "released");
  EXPECT_TRUE(told("releasing its warm pool saves up to 800.00 USD"));
}

TEST_F(ReleaseTest, A7_MorePoolsThanASweepMayStopJobs) {
  for (int i = 0; i < 4; ++i) place_pool(fmt::format("job-{}", i), hours(1));
  const SweepReport report =
      run(policy(kRelease, "enforce", R"("limits":{"stops_per_sweep":1,"stops_per_hour":0},)"));
  EXPECT_FALSE(report.held_back);
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 4U);
}

TEST_F(ReleaseTest, A7_OnceHoweverOftenItIsAsked) {
  place_pool("idle", hours(1));
  run(kRelease);
  clock_.sleep_for(minutes(15));
  run(kRelease);
  const Record again = handle(policy(kReleaseEnded), event("idle"));
  EXPECT_TRUE(because(again, Why::kPoolNotAvailable));
  EXPECT_FALSE(again.failure());
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 1U);
  EXPECT_EQ(aws_.notices().size(), 1U);
}

TEST_F(ReleaseTest, A7_APoolThatIsNotAvailableIsNoFailure) {
  place_pool("reused", hours(1), "Reused", R"(,"ReusedByJob":"job-2")");
  place_pool("over", hours(1), "Terminated");
  place_ended("none", "Completed", hours(1));
  aws_.place({.name = "runs", .more = with_pool("InUse")});
  const rules::Policy all = policy(
      R"({"name": "release", "match": {"job": {"TrainingJobName": [{"exists": true}]}},
          "actions": ["release", "notify"]})");
  EXPECT_TRUE(because(handle(all, event("reused")), Why::kPoolIsReused));
  EXPECT_TRUE(because(handle(all, event("over")), Why::kPoolNotAvailable));
  EXPECT_TRUE(because(handle(all, event("none")), Why::kNoWarmPool));
  EXPECT_TRUE(because(handle(all, event("runs")), Why::kPoolNotAvailable));
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 0U);
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(ReleaseTest, A7_APoolThatIsTakenOverMeanwhileIsLeftAlone) {
  place_pool("idle", hours(1));
  // Between the look and the call.
  aws_.before("UpdateTrainingJob",
              [&] { place_pool("idle", hours(1), "Reused", R"(,"ReusedByJob":"job-2")"); });
  run(kRelease);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(because(records_[0], Why::kPoolIsReused));
  EXPECT_FALSE(records_[0].failure());
  EXPECT_TRUE(aws_.notices().empty());
  // Nothing is left to be told.
  clock_.sleep_for(minutes(15));
  run(kRelease);
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(ReleaseTest, A7_ALookBeforeItFindsThePoolTakenOver) {
  place_pool("idle", hours(1));
  aws_.before("DescribeTrainingJob", [&] { place_pool("idle", hours(1), "Reused"); }, 2);
  run(kRelease);
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 0U);
}

TEST_F(ReleaseTest, A7_ALostAnswerIsMadeUpForByALook) {
  place_pool("idle", hours(1));
  aws_.lose_answer("UpdateTrainingJob");
  run(kRelease);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(kind(records_[0]), Kind::kReleased);
  EXPECT_EQ(attribute("outcome"), "released");
}

TEST_F(ReleaseTest, A7_ADeniedReleaseIsToldAsFailed) {
  place_pool("idle", hours(1));
  aws_.refuse("UpdateTrainingJob", kDenied);
  run(kRelease);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(records_[0].failure());
  EXPECT_EQ(pool_of("idle"), "Available");
  EXPECT_EQ(attribute("outcome"), "failed");
  EXPECT_EQ(aws_.notices().size(), 1U);
  // The next one succeeds, and says so.
  clock_.sleep_for(minutes(15));
  run(kRelease);
  EXPECT_EQ(attribute("outcome"), "released");
  EXPECT_EQ(aws_.notices().size(), 2U);
}

// What AWS refused was not done, whatever becomes of the pool later on.
TEST_F(ReleaseTest, A7_ARefusedReleaseIsNotToldAsDoneWhenThePoolEnds) {
  const localaws::AwsError refused{400, "ValidationException", "It cannot be updated."};
  const localaws::AwsError in_use{400, "ResourceInUse", "It is being updated."};
  for (const auto& error : {kDenied, testing::kThrottled, refused, in_use}) {
    const std::string job = "idle-" + error.code;
    place_pool(job, hours(1));
    aws_.refuse("UpdateTrainingJob", error, 3);
    run(kRelease);
    clock_.sleep_for(minutes(15));
    place_pool(job, hours(1) + minutes(15), "Terminated");
    request_ = "after-" + error.code;
    run(kRelease);
    EXPECT_NE(attribute("outcome"), "released") << error.code;
  }
}

// Another function has released the pool and died, and this one comes too late for it.
TEST_F(ReleaseTest, A7_ARefusalForgetsNoClaimOfAnotherDelivery) {
  place_pool("idle", hours(1));
  aws_.before("DescribeTrainingJob", [] { throw testing::Killed(); }, 3);
  EXPECT_THROW(run(kRelease), testing::Killed);
  EXPECT_EQ(pool_of("idle"), "Terminated");
  // Describe lags behind for this one.
  const auto place = [&](const char* status) { place_pool("idle", hours(1), status); };
  place("Available");
  aws_.refuse("UpdateTrainingJob", testing::kThrottled);
  request_ = "request-2";
  run(kRelease);
  EXPECT_TRUE(aws_.notices().empty());
  place("Terminated");
  clock_.sleep_for(minutes(15));
  request_ = "request-3";
  run(kRelease);
  EXPECT_EQ(attribute("outcome"), "released");
}

// Nor is what the job asked for itself: that its pool ends.
TEST_F(ReleaseTest, A7_APoolThatRanOutWasNotReleased) {
  const std::string kept = R"(,"ResourceRetainedBillableTimeInSeconds":21600)";
  place_pool("idle", hours(5) + minutes(55));
  aws_.before("UpdateTrainingJob", [&] { place_pool("idle", hours(6), "Terminated", kept); });
  run(kRelease);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(because(records_[0], Why::kPoolNotAvailable));
  EXPECT_TRUE(aws_.notices().empty());

  place_pool("other", hours(5) + minutes(50));
  aws_.before("UpdateTrainingJob", [] { throw testing::Killed(); });
  EXPECT_THROW(run(kRelease), testing::Killed);
  request_ = "request-2";
  clock_.sleep_for(minutes(15));
  place_pool("other", hours(6) + minutes(5), "Terminated", kept);
  run(kRelease);
  EXPECT_TRUE(aws_.notices().empty());
}

// The first answer was lost, and the try after it finds no pool.
TEST_F(ReleaseTest, A7_ATryAfterTheReleaseIsRefusedAndItWasDone) {
  place_pool("idle", hours(1));
  aws_.before("UpdateTrainingJob", [&] {
    place_pool("idle", hours(1), "Terminated", R"(,"ResourceRetainedBillableTimeInSeconds":3600)");
  });
  run(policy(kRelease, "enforce", kPrice));
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(kind(records_[0]), Kind::kReleased);
  EXPECT_EQ(outcome(records_[0]).saved_usd, 800);
  EXPECT_EQ(attribute("outcome"), "released");
}

// Whether the job runs again depends on its logs, which may be under way for two minutes.
TEST_F(ReleaseTest, A7_ARestartThatCannotBeDecidedOnYetKeepsThePool) {
  const auto rules = [](const std::string& mode) {
    return std::string(kReleaseEnded) + R"(,{"name": "resume", "mode": ")" + mode +
           R"(", "match": {"job": {"TrainingJobStatus": ["Failed"]},
                "failure": {"resume": ["yes", "once"]}}, "actions": [{"restart": {}}]})";
  };
  const std::string failed = R"(,"FailureReason":"AlgorithmError: ExitCode 1")";
  place_ended("job-1", "Failed", minutes(1), with_pool("Available") + failed);
  const Record undecided = handle(policy(rules("enforce")), event());
  EXPECT_EQ(undecided.skipped.size(), 1U);
  EXPECT_TRUE(because(undecided, Why::kPoolForCopy));
  EXPECT_EQ(pool_of("job-1"), "Available");
  // Then it is decided on, and the copy takes the pool.
  clock_.sleep_for(minutes(2));
  handle(policy(rules("enforce")), event());
  ASSERT_EQ(aws_.created().size(), 1U);
  EXPECT_EQ(pool_of("job-1"), "Reused");
  // What cannot be read for an hour keeps none, nor does a rule that makes no copy.
  for (const auto& [job, since, pool] : {std::tuple{"job-3", minutes(59), "Available"},
                                         std::tuple{"job-4", minutes(61), "Terminated"}}) {
    place_ended(job, "Failed", since, with_pool("Available") + failed);
    aws_.refuse("FilterLogEvents", kDenied);
    handle(policy(rules("enforce")), event(job));
    EXPECT_EQ(pool_of(job), pool) << job;
  }
  place_ended("job-2", "Failed", minutes(1), with_pool("Available") + failed);
  handle(policy(rules("notify")), event("job-2"));
  EXPECT_EQ(pool_of("job-2"), "Terminated");
}

TEST_F(ReleaseTest, A7_NotWhileACopyIsOwedOrJustMade) {
  constexpr const char* kRestart = R"(
    {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
     "actions": [{"restart": {}}]})";
  const std::string both = std::string(kReleaseEnded) + "," + kRestart;
  place_ended("job-1", "Failed", minutes(1),
              with_pool("Available") + R"(,"FailureReason":"InternalServerError: x")");
  // AWS has no machines to give: the copy stays owed.
  aws_.refuse("CreateTrainingJob", kDenied);
  const Record first = handle(policy(both), event());
  EXPECT_TRUE(because(first, Why::kPoolForCopy));
  clock_.sleep_for(minutes(15));
  EXPECT_EQ(aws_.created().size(), 0U);
  run(both);
  ASSERT_EQ(aws_.created().size(), 1U);
  // It has taken the pool over.
  EXPECT_EQ(pool_of("job-1"), "Reused");
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 0U);
}

TEST_F(ReleaseTest, A7_APoolThatTheCopyDoesNotTakeIsReleasedLater) {
  constexpr const char* kRestart = R"(
    {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
     "actions": [{"restart": {"instance_types": ["ml.g5.48xlarge"]}}]})";
  const std::string both = std::string(kReleaseEnded) + "," + kRestart;
  place_ended("job-1", "Failed", minutes(1),
              with_pool("Available") + R"(,"FailureReason":"InternalServerError: x")");
  EXPECT_TRUE(because(handle(policy(both), event()), Why::kPoolForCopy));
  ASSERT_EQ(aws_.created().size(), 1U);
  EXPECT_EQ(pool_of("job-1"), "Available");
  clock_.sleep_for(minutes(5));
  run(both);
  EXPECT_EQ(pool_of("job-1"), "Available");
  clock_.sleep_for(minutes(10));
  run(both);
  EXPECT_EQ(pool_of("job-1"), "Terminated");
}

TEST_F(ReleaseTest, A7_ARestartThatIsHeldBackKeepsThePool) {
  constexpr const char* kRestart = R"(
    {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed"]}},
     "actions": [{"restart": {}}]})";
  place_ended("job-1", "Failed", minutes(1),
              with_pool("Available") + R"(,"FailureReason":"InternalServerError: x")");
  const Record record = handle(policy(std::string(kReleaseEnded) + "," + kRestart, "enforce",
                                      R"("limits":{"restarts_per_hour":0},)"),
                               event());
  EXPECT_TRUE(because(record, Why::kPoolForCopy));
  EXPECT_EQ(pool_of("job-1"), "Available");
}

TEST_F(ReleaseTest, A7_OnlyInTheModeEnforce) {
  place_pool("idle", hours(1));
  for (const char* const mode : {"observe", "notify"}) {
    run(policy(kRelease, mode));
    ASSERT_EQ(records_.size(), 1U);
    EXPECT_EQ(kind(records_[0]),
              std::string_view(mode) == "observe" ? Kind::kObserved : Kind::kNotDone);
  }
  EXPECT_EQ(pool_of("idle"), "Available");
  EXPECT_EQ(attribute("outcome"), "none");
  EXPECT_TRUE(told("In the mode enforce its warm pool would be released."));
}

TEST_F(ReleaseTest, P4_TwoRulesReleaseOnce) {
  place_pool("idle", hours(1));
  run(std::string(kRelease) + "," + kReleaseEnded);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(kind(records_[0], 0), Kind::kReleased);
  EXPECT_EQ(kind(records_[0], 1), Kind::kReleasedByRule);
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 1U);
  EXPECT_EQ(aws_.notices().size(), 2U);
}

TEST_F(ReleaseTest, A7_TheAlarmFunctionLeavesItToTheStateFunction) {
  place_pool("idle", hours(1));
  powers_ = {};
  EXPECT_EQ(kind(handle(policy(kReleaseEnded), event("idle"))), Kind::kLeft);
  EXPECT_EQ(pool_of("idle"), "Available");
  EXPECT_TRUE(aws_.notices().empty());
}

TEST_F(ReleaseTest, A7_AFunctionThatDiedAfterItIsMadeUpForByTheSweep) {
  place_pool("idle", hours(1));
  // The look before the notice is sent is the third.
  aws_.before("DescribeTrainingJob", [] { throw testing::Killed(); }, 3);
  EXPECT_THROW(run(kRelease), testing::Killed);
  EXPECT_EQ(pool_of("idle"), "Terminated");
  EXPECT_TRUE(aws_.notices().empty());
  request_ = "request-2";
  clock_.sleep_for(minutes(15));
  run(kRelease);
  EXPECT_EQ(attribute("outcome"), "released");
  EXPECT_EQ(aws_.notices().size(), 1U);
  EXPECT_EQ(aws_.count("UpdateTrainingJob"), 1U);
}

// What the stop of a job with a warm pool saves is less by the pool.
TEST_F(ReleaseTest, A5_AStopClaimsNoMoreThanItSaves) {
  aws_.place({.type = "ml.p4d.24xlarge",
              .count = 8,
              .age = hours(38),
              .more = R"(,"ResourceConfig":{"InstanceType":"ml.p4d.24xlarge","InstanceCount":8,)"
                      R"("VolumeSizeInGB":100,"KeepAlivePeriodInSeconds":21600})"});
  const Record record = handle(policy(kModelName, "enforce", kPrice));
  ASSERT_EQ(kind(record), Kind::kStopped);
  // Ten hours are left of 48, and the pool may take six of them.
  EXPECT_EQ(outcome(record).saved_usd, 640);
  EXPECT_TRUE(told("its warm pool may cost up to 960.00 USD after its end"));
  EXPECT_TRUE(told("stopping it saves up to 640.00 USD"));
}

}  // namespace
}  // namespace trainwarden::actions::release_test
