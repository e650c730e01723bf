// A job that a rule of handlers/policy.md's cookbook, or of handlers/policy.json, is tried on.
#pragma once

#include <string_view>

namespace trainwarden::rules::test {

inline constexpr std::string_view kThursday = "2027-03-04T12:00:00Z";

struct Case {
  std::string_view rule;
  std::string_view describe;  // beside TrainingJobStatus InProgress, unless it says otherwise
  std::string_view tags;
  bool holds;
  std::string_view alarm = "";
  std::string_view now = kThursday;
  std::string_view fleet = R"({"spot_timeouts_24h": 0})";
  std::string_view log = "";
  std::string_view silence = "";     // what a sweep finds of the logs
  std::string_view checkpoint = "";  // and at CheckpointConfig.S3Uri
  bool sweep = false;                // a sweep came across the job, no event
  std::string_view alarm_state = "ALARM";
  std::string_view account = "111122223333";
};

inline constexpr std::string_view kTrainsForTwoHours =
    R"("SecondaryStatus": "Training", "SecondaryStatusTransitions":
       [{"Status": "Training", "StartTime": "2027-03-04T10:00:00Z"}])";

inline constexpr std::string_view kWritesCheckpoints =
    R"("CheckpointConfig": {"S3Uri": "s3://b/c/"}, "SecondaryStatus": "Training",
       "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": "2027-03-04T05:00:00Z"}])";

inline constexpr std::string_view kTrainsForFourDays =
    R"("TrainingStartTime": "2027-02-28T12:00:00Z")";

inline constexpr std::string_view kOnP5 =
    R"("ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 1})";

}  // namespace trainwarden::rules::test
