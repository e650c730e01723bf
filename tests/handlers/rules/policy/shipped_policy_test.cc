// handlers/policy.json: what a first deployment would do. Its rules one by one are in
// cookbook_test.cc.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "handlers/rules/policy/contradictions.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::shipped_policy_test {
namespace {

using test::doc;
using test::kNow;

TEST(ShippedPolicy, LoadsWithoutWarningsAndObserves) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  EXPECT_EQ(policy.mode(), Mode::kObserve);
  EXPECT_EQ(test::texts(warnings_of(policy)), std::vector<std::string>());
  std::vector<std::string> names;
  for (const Rule& rule : policy.rules()) names.push_back(rule.name);
  ASSERT_EQ(names, (std::vector<std::string>{
                       "required-tags", "watch-gpus", "stop-idle", "spot-needs-checkpoints",
                       "spot-interrupted-too-often", "spot-makes-no-progress",
                       "spot-waited-in-vain", "no-spot-today", "resume-failed",
                       "lost-without-checkpoint", "own-fault", "not-understood"}));
  EXPECT_EQ(test::kinds(policy.rules()[0].actions),
            (std::vector{ActionKind::kStop, ActionKind::kNotify}));
  EXPECT_FALSE(policy.rules()[0].message.empty());
}

TEST(ShippedPolicy, TheDemosPolicyHasNoWarningsEither) {
  const Policy policy = test::policy(test::read_file("tests/demo/policy.json"));
  EXPECT_EQ(test::texts(warnings_of(policy)), std::vector<std::string>());
}

TEST(ShippedPolicy, StopsTheUntaggedJobOnly) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  JobEvent starting = test::running();
  starting.secondary_status = "Starting";
  Sources sources(starting);
  const Evaluation first = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  // The spot rules look at Describe while a job starts.
  EXPECT_EQ(first.needs.names(), "describe, tags");
  sources.set(Source::kDescribe, doc(R"({"TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Starting", "ResourceConfig": {"InstanceType": "ml.g5.xlarge",
    "InstanceCount": 1}})"));
  sources.set(Source::kTags, doc("{}"));
  const Evaluation second = decide(policy, facts_from(sources, kNow), Mode::kEnforce);
  ASSERT_EQ(second.decisions.size(), 1U);
  EXPECT_TRUE(second.decisions[0].rests_on_absent_tag);
  sources.set(Source::kTags, doc(R"({"model_name": "mnist"})"));
  EXPECT_TRUE(decide(policy, facts_from(sources, kNow), Mode::kEnforce).decisions.empty());
}

TEST(ShippedPolicy, WatchesGpusAndStopsTheJobWhoseGpusIdle) {
  const Policy policy = test::policy(test::read_file("handlers/policy.json"));
  Sources training(test::running());
  training.set(Source::kTags, doc(R"({"model_name": "mnist"})"));
  training.set(Source::kDescribe, doc(R"({"TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.g5.xlarge",
    "InstanceCount": 1}})"));
  const Evaluation begins = decide(policy, facts_from(training, kNow), Mode::kEnforce);
  ASSERT_EQ(begins.decisions.size(), 1U);
  EXPECT_EQ(begins.decisions[0].actions[0].watches, std::vector<std::string>{"gpu-idle"});
  JobEvent alarm = test::running();
  alarm.alarm = {"trainwarden/train-1/gpu-idle", "gpu-idle", "ALARM"};
  Sources idle(alarm);
  idle.set(Source::kTags, doc(R"({"model_name": "mnist"})"));
  idle.set(Source::kDescribe, doc(R"({"TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.c5.xlarge",
    "InstanceCount": 1}})"));
  const Evaluation calls = decide(policy, facts_from(idle, kNow), Mode::kEnforce);
  ASSERT_EQ(calls.decisions.size(), 1U);
  EXPECT_EQ(calls.decisions[0].rule, "stop-idle");
}

}  // namespace
}  // namespace trainwarden::rules::shipped_policy_test
