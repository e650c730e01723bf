#include "tests/localaws/sagemaker/job_machine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainwarden::localaws::job_machine_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const sys_millis kStart{milliseconds(1'783'000'000'000)};

std::vector<std::string> path_of(const JobMachine& job) {
  std::vector<std::string> out;
  for (const StatusTransition& transition : job.state().transitions)
    out.push_back(transition.status);
  return out;
}

void run_until(JobMachine& job, sys_millis now) {
  while (job.step(now)) {
  }
}

TEST(JobMachine, StartsDownloadsAndTrains) {
  JobMachine job(kStart, hours(1));
  EXPECT_EQ(job.state().status, "InProgress");
  EXPECT_EQ(job.state().secondary, "Starting");
  EXPECT_FALSE(job.step(kStart + milliseconds(1999)));
  EXPECT_TRUE(job.step(kStart + milliseconds(2000)));
  EXPECT_EQ(job.state().secondary, "Downloading");
  EXPECT_EQ(job.state().training_start, kStart + seconds(2));
  run_until(job, kStart + seconds(10));
  EXPECT_EQ(path_of(job), (std::vector<std::string>{"Starting", "Downloading", "Training"}));
  EXPECT_EQ(job.state().transitions[1].end, kStart + seconds(4));
  EXPECT_FALSE(job.state().transitions[2].end);
  EXPECT_EQ(job.state().last_modified, kStart + seconds(4));
  EXPECT_FALSE(job.state().training_end);
}

TEST(JobMachine, ALateStepMakesEachTransitionAtTheTimeItWasDue) {
  JobMachine job(kStart, seconds(60));
  run_until(job, kStart + hours(24));
  EXPECT_EQ(path_of(job), (std::vector<std::string>{"Starting", "Downloading", "Training",
                                                    "Uploading", "MaxRuntimeExceeded"}));
  EXPECT_EQ(job.state().status, "Stopped");
  EXPECT_EQ(job.state().transitions[3].start, kStart + seconds(62));
  EXPECT_EQ(job.state().training_end, kStart + seconds(63));
}

TEST(JobMachine, StopsFromAnyStageOnce) {
  for (const int after : {0, 3, 10}) {
    JobMachine job(kStart, hours(1));
    const sys_millis now = kStart + seconds(after);
    run_until(job, now);
    ASSERT_TRUE(job.stop(now));
    EXPECT_EQ(job.state().status, "Stopping");
    EXPECT_FALSE(job.stop(now)) << "a job that is stopping cannot be stopped";
    EXPECT_FALSE(job.step(now + milliseconds(999)));
    EXPECT_TRUE(job.step(now + seconds(1)));
    EXPECT_EQ(job.state().status, "Stopped");
    EXPECT_EQ(job.state().secondary, "Stopped");
    EXPECT_EQ(job.state().training_end, now + seconds(1));
    EXPECT_EQ(job.state().training_start.has_value(), after > 0);
    EXPECT_FALSE(job.stop(now + hours(1)));
    EXPECT_FALSE(job.step(now + hours(1)));
  }
}

TEST(JobMachine, GoesOnlyWhereTheTableSays) {
  JobMachine job(kStart, hours(1));
  const auto refused = job.enter("Completed", kStart);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_EQ(job.state().secondary, "Starting");
  for (const char* next :
       {"Downloading", "Training", "Interrupted", "Starting", "Training", "Uploading", "Completed"})
    EXPECT_TRUE(job.enter(next, kStart)) << next;
  EXPECT_EQ(job.state().status, "Completed");
  for (const char* next : {"Starting", "Training", "Stopping", "Stopped", "Failed"})
    EXPECT_FALSE(job.enter(next, kStart)) << "nothing follows an end: " << next;
}

TEST(JobMachine, TheTableHasNoWayOutOfAnEnd) {
  const std::vector<std::string> ends = {"Completed", "Failed", "Stopped", "MaxRuntimeExceeded",
                                         "MaxWaitTimeExceeded"};
  const std::vector<std::string> others = {"Starting",    "Pending",    "Downloading",
                                           "Training",    "Uploading",  "Stopping",
                                           "Interrupted", "Restarting", "Updating"};
  for (const std::string& from : ends) {
    EXPECT_TRUE(ended(status_of(from))) << from;
    for (const std::string& to : others) EXPECT_FALSE(transition_allowed(from, to)) << from << to;
    for (const std::string& to : ends) EXPECT_FALSE(transition_allowed(from, to)) << from << to;
  }
  for (const std::string& from : others) {
    EXPECT_FALSE(ended(status_of(from))) << from;
    EXPECT_EQ(transition_allowed(from, "Stopping"), from != "Stopping") << from;
  }
}

TEST(JobMachine, IsForcedAnywhere) {
  JobMachine job(kStart, hours(1));
  job.force({.secondary = "NeverSeen", .status = "", .failure_reason = "", .message = ""},
            kStart + seconds(1));
  EXPECT_EQ(job.state().status, "InProgress");
  EXPECT_EQ(job.state().transitions.back().message, "NeverSeen");
  job.force({.secondary = "Failed",
             .status = "",
             .failure_reason = "AlgorithmError: exit code 1",
             .message = "said"},
            kStart + seconds(2));
  EXPECT_EQ(job.state().status, "Failed");
  EXPECT_EQ(job.state().failure_reason, "AlgorithmError: exit code 1");
  EXPECT_EQ(job.state().transitions.back().message, "said");
  EXPECT_EQ(job.state().training_end, kStart + seconds(2));
}

TEST(JobMachine, APlacedJobMovesOnlyWhenStopped) {
  JobState state;
  state.status = "InProgress";
  state.secondary = "Training";
  state.created = kStart;
  state.last_modified = kStart;
  JobMachine job(state, {});
  run_until(job, kStart + hours(1000));
  EXPECT_EQ(job.state().secondary, "Training");
  ASSERT_TRUE(job.stop(kStart + hours(1)));
  run_until(job, kStart + hours(2));
  EXPECT_EQ(job.state().secondary, "Stopped");
}

}  // namespace
}  // namespace trainwarden::localaws::job_machine_test
