// A tuning job and jobs that it launched.
#pragma once

#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::stop_tuner_fixture {

using localaws::TunerType;

inline constexpr const char* kWholeTuner = R"(
  {"name": "whole-tuner",
   "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}},
   "actions": [{"stop": {"tuning_job": true}}, "notify"], "message": "Jobs need the tag team."})";
inline constexpr const char* kArn = "arn:aws:sagemaker:eu-central-1:111122223333:";

class StopTuner : public SweepTest {
 protected:
  // Its ARN ends with its name, and its children tell that in lower case.
  void place_tuner(const std::string& name = "Xgb-Tune-1", const std::string& status = "InProgress",
                   TunerType type = TunerType::kTuningJob, const std::string& arn = "") {
    const std::string kind =
        type == TunerType::kAutoMlJob ? "AutoMLJob" : "HyperParameterTuningJob";
    const std::string given = arn.empty() ? "" : fmt::format(R"(,"{}Arn":"{}")", kind, arn);
    ASSERT_TRUE(aws_.sagemaker().place_tuner(
        type, name, fmt::format(R"({{"{}Status":"{}"{}}})", kind, status, given),
        clock_.now() - hours(1)));
  }
  void place_child(const std::string& name, const Tags& tags = {},
                   const std::string& tuner = "xgb-tune-1", const std::string& more = "") {
    aws_.place({.name = name,
                .tags = tags,
                .more = fmt::format(R"(,"TuningJobArn":"{}hyper-parameter-tuning-job/{}"{})", kArn,
                                    tuner, more)});
  }
  std::string tuner_status(const std::string& name = "Xgb-Tune-1",
                           TunerType type = TunerType::kTuningJob) const {
    const auto* const found = aws_.sagemaker().find_tuner(type, name);
    return found == nullptr ? "" : found->status;
  }
  Record handle_as(const std::string& request, const rules::JobEvent& of,
                   const std::string& rules = kWholeTuner) {
    const std::string before = std::exchange(request_, request);
    Record record = handle(policy(rules), of);
    request_ = before;
    return record;
  }
  std::ptrdiff_t tuner_stops() const { return aws_.count("StopHyperParameterTuningJob"); }
};

}  // namespace trainwarden::actions::stop_tuner_fixture
