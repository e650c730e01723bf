// What `trainwarden check` warns of: rules that are sound and never true.
#include "handlers/rules/policy/contradictions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::contradictions_test {
namespace {

struct Case {
  std::string_view members;
  std::string_view warning;  // "" where there is none
};

constexpr Case kCases[] = {
    {R"("match": {"job": {"TrainingJobStatus": ["Completed"], "SecondaryStatus": ["Training"]}})",
     "rules[0] (r): never matches: no job has such a SecondaryStatus with such a "
     "TrainingJobStatus"},
    {R"("match": {"job": {"TrainingJobStatus": ["InProgress"], "SecondaryStatus": ["Training"]}})",
     ""},
    {R"("match": {"job": {"TrainingJobStatus": ["InProgress", "Failed"], "SecondaryStatus": ["MaxRuntimeExceeded", "Stopped"]}})",
     "rules[0] (r): never matches: no job has such a SecondaryStatus with such a "
     "TrainingJobStatus"},
    // A job that is being stopped uploads its model, and one that completed may have been at its
    // limit.
    {R"("match": {"job": {"TrainingJobStatus": ["Stopping"], "SecondaryStatus": ["Uploading"]}})",
     ""},
    {R"("match": {"job": {"TrainingJobStatus": ["Completed"], "SecondaryStatus": ["MaxRuntimeExceeded"]}})",
     ""},
    {R"("match": {"job": {"TrainingJobStatus": ["Stopped"], "SecondaryStatus": ["Hibernating"]}})",
     ""},
    {R"("match": {"job": {"TrainingJobStatus": [{"anything-but": "Failed"}], "SecondaryStatus": ["Failed"]}})",
     ""},
    {R"("match": {"event": {"trigger": ["state"]}, "alarm": {"state": ["ALARM"]}})",
     "rules[0] (r): never matches: only the triggers `alarm` and `sweep` have an alarm"},
    {R"("match": {"event": {"trigger": ["sweep"]}, "alarm": {"state": ["ALARM"]}})", ""},
    {R"("match": {"event": {"trigger": ["state"]}, "alarm": {"state": [{"exists": false}]}})", ""},
    {R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "failure": {"kind": ["ClientError"]}})",
     "rules[0] (r): never matches: only a job whose TrainingJobStatus is Failed has a failure"},
    {R"("match": {"job": {"TrainingJobStatus": ["Failed"]}, "failure": {"kind": ["ClientError"]}})",
     ""},
    {R"("match": {"job": {"TrainingJobStatus": ["Completed"]}, "logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}})",
     "rules[0] (r): never matches: only the logs of a job that trains are silent"},
    {R"("match": {"job": {"SecondaryStatus": ["Interrupted"]}, "logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}})",
     "rules[0] (r): never matches: only the logs of a job that trains are silent"},
    {R"("match": {"job": {"SecondaryStatus": ["Training", "Downloading"]}, "logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}})",
     ""},
    {R"("match": {"job": {"SecondaryStatus": ["Interrupted"]}, "logs": {"silent_seconds": [{"exists": false}]}})",
     ""},
    {R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "warm_pool": {"idle_seconds": [{"numeric": [">", 1]}]}})",
     "rules[0] (r): never matches: only a job that has ended leaves a warm pool"},
    {R"("match": {"job": {"TrainingJobStatus": ["InProgress", "Stopping"]}, "warm_pool": {"remaining_usd": [{"exists": true}]}})",
     "rules[0] (r): never matches: only a job that has ended leaves a warm pool"},
    {R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}, "warm_pool": {"idle_seconds": [{"exists": false}]}})",
     ""},
    {R"("match": {"job": {"TrainingJobStatus": ["InProgress", "Failed"]}, "warm_pool": {"idle_seconds": [{"numeric": [">", 1]}]}})",
     ""},
    {R"("match": {"resources": {"accelerator": ["none"], "gpus": [{"numeric": [">", 0]}]}})",
     "rules[0] (r): never matches: machines without the accelerator `gpu` have no GPUs"},
    {R"("match": {"resources": {"accelerator": ["gpu"], "gpus": [0]}})",
     "rules[0] (r): never matches: machines with the accelerator `gpu` have GPUs"},
    {R"("match": {"resources": {"accelerator": ["none"], "gpus": [{"numeric": ["<", 8]}]}})", ""},
    {R"("match": {"tags": {"a": ["x"]}}, "unless": {"tags": {"a": ["x", "y"]}})",
     "rules[0] (r): never holds: `unless` exempts whatever matches"},
    {R"("match": {"tags": {"a": ["x", "z"]}}, "unless": {"tags": {"a": ["x", "y"]}})", ""},
    {R"("match": {"tags": {"a": ["x"]}}, "unless": {"tags": {"a": ["x"], "b": ["y"]}})", ""},
    {R"("match": [{"tags": {"a": ["x"]}},
                  {"job": {"TrainingJobStatus": ["Failed"], "SecondaryStatus": ["Training"]}}])",
     "rules[0] (r): alternative 2 never matches: no job has such a SecondaryStatus with such a "
     "TrainingJobStatus"},
};

TEST(Contradictions, AreWarnedOf) {
  for (const Case& c : kCases) {
    const auto found = test::texts(contradictions(test::policy(test::stop_rule(c.members))));
    EXPECT_EQ(found.empty() ? "" : found[0], c.warning) << c.members;
    EXPECT_LE(found.size(), 1U);
  }
}

TEST(Contradictions, AReleaseOfWhatRunsIsWarnedOf) {
  const auto of_match = [](std::string_view match, std::string_view actions) {
    return test::texts(contradictions(test::policy(
        fmt::format(R"({{"version": 1, "rules": [{{"name": "r", "match": {}, "actions": {}}}]}})",
                    match, actions))));
  };
  const auto found = [&](std::string_view statuses, std::string_view actions) {
    return of_match(fmt::format(R"({{"job": {{"TrainingJobStatus": {}}}}})", statuses), actions);
  };
  EXPECT_EQ(found(R"(["InProgress"])", R"(["notify", "release"])"),
            std::vector<std::string>{"rules[0] (r): releases nothing: only a job that has ended "
                                     "leaves a warm pool"});
  EXPECT_TRUE(found(R"(["InProgress", "Stopped"])", R"(["release"])").empty());
  EXPECT_TRUE(found(R"(["InProgress"])", R"(["stop"])").empty());
  // An alarm calls of a job that trains.
  EXPECT_EQ(of_match(R"({"alarm": {"state": ["ALARM"]}})", R"(["stop", "release"])").size(), 1U);
  EXPECT_TRUE(of_match(R"({"alarm": {"watch": [{"exists": false}]}})", R"(["release"])").empty());
}

}  // namespace
}  // namespace trainwarden::rules::contradictions_test
