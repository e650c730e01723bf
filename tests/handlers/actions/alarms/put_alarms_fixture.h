// Policies that watch, and the alarms that stand for a job by them.
#pragma once

#include <string>
#include <vector>

#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions {

inline constexpr const char* kWatchGpus =
    R"({"name": "watch-gpus", "match": {"job": {"SecondaryStatus": ["Training"]}},
        "actions": [{"watch": ["gpu-idle"]}]})";
inline constexpr const char* kWatchBoth =
    R"({"name": "watch-both", "match": {"job": {"SecondaryStatus": ["Training"]}},
        "actions": [{"watch": ["gpu-idle", "disk"]}]})";

using Names = std::vector<std::string>;

class WatchTest : public ActionTest {
 protected:
  static rules::Policy watching(const std::string& rules, const std::string& mode = "enforce") {
    return policy(rules, mode, R"("watches": {
        "gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
                     "periods": 3, "at_most": 1, "per_gpu": true, "missing": "notBreaching"},
        "disk": {"metric": "DiskUtilization", "statistic": "Maximum", "period_seconds": 60,
                 "periods": 5, "above": 95, "hosts": "any"}},)");
  }

  // Both watches' alarms stand for the job.
  void place_watched(const testing::PlacedJob& job = {}) {
    aws_.place(job);
    handle(watching(kWatchBoth));
    ASSERT_FALSE(aws_.alarms().empty());
    aws_.calls.clear();
  }
  // The alarm of an idle GPU comes on before an interruption; the job trains again after it.
  void raise_then_train_again() {
    place_watched();
    put_in_state("ALARM");
    aws_.pass(std::chrono::seconds(5));
    aws_.enter("job-1", "Interrupted");
    aws_.pass(std::chrono::seconds(5));
    aws_.enter("job-1", "Training");
  }
  void put_in_state(const char* state, const char* alarm = "trainwarden/job-1/gpu-idle") {
    ASSERT_TRUE(aws_.call(
        "SetAlarmState",
        fmt::format(R"({{"AlarmName":"{}","StateValue":"{}","StateReason":"r"}})", alarm, state)));
  }
  localaws::AlarmState state() const { return aws_.alarm("trainwarden/job-1/gpu-idle")->state; }
  // Completed, and deleted.
  void delete_job() {
    aws_.enter("job-1", "Completed");
    ASSERT_TRUE(aws_.call("DeleteTrainingJob", R"({"TrainingJobName":"job-1"})"));
  }
};

}  // namespace trainwarden::actions
