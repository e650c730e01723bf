// P2: a match that never holds is warned of.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"
#include "tests/handlers/rules/policy/match_text.h"

namespace trainwarden::rules::match_warnings_test {
namespace {

using match_text::with_match;

struct Warned {
  std::string_view match;
  std::string_view warning;
};

constexpr Warned kWarned[] = {
    {R"({"job": {"TrainingJobStatus": ["InProgres"]}})",
     "rules[0].match.job.TrainingJobStatus[0]: `InProgres` is not a known TrainingJobStatus; did "
     "you mean `InProgress`?"},
    {R"({"job": {"SecondaryStatus": ["Training", "Hibernating"]}})",
     "rules[0].match.job.SecondaryStatus[1]: `Hibernating` is not a known SecondaryStatus"},
    {R"({"event": {"trigger": ["cron"]}})",
     "rules[0].match.event.trigger[0]: `cron` is not a known trigger"},
    {R"({"event": {"account": ["111122223333", "1111-2222-3333"]}})",
     "rules[0].match.event.account[1]: `1111-2222-3333` is no account, which has 12 digits"},
    {R"({"event": {"account": [111122223333]}})",
     "rules[0].match.event.account[0]: never matches: event.account is a string"},
    {R"({"job": {"ResourceConfig": {"InstanceCount": ["2"]}}})",
     "rules[0].match.job.ResourceConfig.InstanceCount[0]: never matches: "
     "job.ResourceConfig.InstanceCount is a number"},
    {R"({"job": {"EnableManagedSpotTraining": ["true"]}})",
     "rules[0].match.job.EnableManagedSpotTraining[0]: never matches: "
     "job.EnableManagedSpotTraining is a boolean"},
    {R"({"job": {"HyperParameters": {"epochs": [10]}}})",
     "rules[0].match.job.HyperParameters.epochs[0]: never matches: job.HyperParameters.epochs is a "
     "string"},
    {R"({"job": {"CreationTime": ["2026-01-01"]}})",
     "rules[0].match.job.CreationTime[0]: never matches: job.CreationTime is a time (seconds since "
     "1970)"},
    {R"({"resources": {"instance_types": ["ml.p5.48xlarge", "ml.p5.48xlage"]}})",
     "rules[0].match.resources.instance_types[1]: `ml.p5.48xlage` is not a known instance type; "
     "did you mean `ml.p5.48xlarge`?"},
    {R"({"resources": {"instance_types": [{"prefix": "p5"}]}})",
     "rules[0].match.resources.instance_types[0]: no instance type begins with `p5`: all begin "
     "with `ml.`"},
    {R"({"job": {"ResourceConfig": {"InstanceType": [{"anything-but": {"prefix": ["ml.g5", "g6"]}}]}}})",
     "rules[0].match.job.ResourceConfig.InstanceType[0]: no instance type begins with `g6`: all "
     "begin with `ml.`"},
    {R"({"resources": {"instance_types": [{"wildcard": "p5.*"}]}})",
     "rules[0].match.resources.instance_types[0]: no instance type begins with `p5.`: all begin "
     "with `ml.`"},
    {R"({"job": {"ResourceConfig": {"InstanceCount": [{"numeric": ["<", 0]}]}}})",
     "rules[0].match.job.ResourceConfig.InstanceCount[0]: never matches: "
     "job.ResourceConfig.InstanceCount is 0 or more"},
    {R"({"job": {"StoppingCondition": {"MaxRuntimeInSeconds": [-1]}}})",
     "rules[0].match.job.StoppingCondition.MaxRuntimeInSeconds[0]: never matches: "
     "job.StoppingCondition.MaxRuntimeInSeconds is 0 or more"},
    {R"({"job": {"ResourceConfig": {"InstanceType": ["ml.p548xlarge"]}}})",
     "rules[0].match.job.ResourceConfig.InstanceType[0]: `ml.p548xlarge` is not a known instance "
     "type; did you mean `ml.p5.48xlarge`?"},
    {R"({"job": {"ResourceConfig": {"InstanceGroups": {"InstanceType": [{"anything-but": ["ml.m5.xlage"]}]}}}})",
     "rules[0].match.job.ResourceConfig.InstanceGroups.InstanceType[0]: `ml.m5.xlage` is not a "
     "known instance type; did you mean `ml.m5.xlarge`?"},
    {R"({"tags": {"n": [1]}})", "rules[0].match.tags.n[0]: never matches: tags.n is a string"},
    {R"({"job": {"FailureReason": [null]}})",
     "rules[0].match.job.FailureReason[0]: never matches: a null fact counts as absent; write "
     "`{\"exists\": false}`"},
    // What AWS always gives, also where nobody set it.
    {R"({"job": {"OutputDataConfig": {"KmsKeyId": [{"exists": false}]}}})",
     "rules[0].match.job.OutputDataConfig.KmsKeyId: never matches: AWS always gives "
     "job.OutputDataConfig.KmsKeyId, also where nobody set it; write `[\"\"]`"},
    {R"({"job": {"EnableNetworkIsolation": [{"exists": false}]}})",
     "rules[0].match.job.EnableNetworkIsolation: never matches: AWS always gives "
     "job.EnableNetworkIsolation, also where nobody set it; write `[false]`"},
    {R"({"job": {"OutputDataConfig": {"KmsKeyId": [{"exists": true}]}}})",
     "rules[0].match.job.OutputDataConfig.KmsKeyId: matches every job: AWS always gives "
     "job.OutputDataConfig.KmsKeyId, also where nobody set it; write "
     "`[{\"anything-but\": \"\"}]`"},
    {R"({"job": {"RoleArn": [{"exists": false}]}})",
     "rules[0].match.job.RoleArn: never matches: AWS always gives job.RoleArn"},
};

// The forms that hold as they are meant.
TEST(PolicyP2, WhatAwsAlwaysGivesMayBeAskedForAsItIs) {
  for (const char* const match :
       {R"({"job": {"OutputDataConfig": {"KmsKeyId": [{"exists": false}, ""]}}})",
        R"({"job": {"OutputDataConfig": {"KmsKeyId": [{"anything-but": ""}]}}})",
        R"({"job": {"EnableNetworkIsolation": [false, {"exists": false}]}})",
        R"({"job": {"EnableManagedSpotTraining": [true]}})",
        R"({"job": {"TrainingJobStatus": [{"exists": true}]}})",
        R"({"job": {"ResourceConfig": {"VolumeKmsKeyId": [{"exists": false}]}}})"}) {
    const auto policy = parse_policy(with_match(match));
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_TRUE(policy->warnings().empty()) << match << policy->warnings()[0].text();
  }
}

TEST(PolicyP2, WhatCannotMatchIsAWarning) {
  for (const Warned& c : kWarned) {
    SCOPED_TRACE(std::string(c.match));
    const auto policy = parse_policy(with_match(c.match));
    ASSERT_TRUE(policy) << policy.error().message;
    ASSERT_EQ(policy->warnings().size(), 1U);
    EXPECT_EQ(policy->warnings()[0].text(), c.warning);
  }
}

TEST(PolicyP2, WhatMayMatchIsNoWarning) {
  for (
      const std::string_view match : {
          R"({"resources": {"instance_types": [{"prefix": "ml.p5"}, {"prefix": "ml."}, {"prefix": "m"}]}})",
          R"({"resources": {"instance_types": [{"wildcard": "*.p5.*"}, {"suffix": ".48xlarge"}]}})",
          R"({"resources": {"instance_types": [{"anything-but": {"wildcard": "ml.*.xlarge"}}]}})",
          R"({"tags": {"type": [{"prefix": "p5"}]}})",
          R"({"job": {"ResourceConfig": {"InstanceCount": [{"numeric": ["<=", 0]}, {"numeric": [">", -1]}]}}})",
          R"({"job": {"FinalMetricDataList": {"Value": [{"numeric": ["<", 0]}]}}})",
      }) {
    SCOPED_TRACE(std::string(match));
    const auto policy = parse_policy(with_match(match));
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_TRUE(policy->warnings().empty()) << policy->warnings()[0].text();
  }
}

}  // namespace
}  // namespace trainwarden::rules::match_warnings_test
