// P2, W1: what a policy may hold, and what it is warned of.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"
#include "handlers/rules/state/brake.h"
#include "tests/handlers/rules/policy/policy_file_texts.h"

namespace trainwarden::rules::policy_file_warnings_test {
namespace {

using policy_file_texts::with;
using policy_file_texts::with_actions;
using policy_file_texts::with_watch;

TEST(PolicyFileP2, OddButAllowedIsAWarning) {
  struct {
    std::string text;
    std::string_view warning;
  } const cases[] = {
      {with_watch(
           R"("metric": "GPUUtilisation", "statistic": "Sum", "period_seconds": 60, "periods": 1, "below": 1)"),
       "watches.w.metric: `GPUUtilisation` is not a known metric of instances; did you mean "
       "`GPUUtilization`?"},
      {with_watch(
           R"("metric": "CPUUtilization", "statistic": "Sum", "period_seconds": 60, "periods": 1, "below": 1, "per_gpu": true)"),
       "watches.w.per_gpu: divides by the GPUs of a machine, and the metric is not of GPUs"},
      {with_watch(
           R"("metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 60, "periods": 15, "at_most": 1, "hosts": "any", "missing": "breaching")"),
       "watches.w.missing: of several hosts, one that falls silent is not noticed while others "
       "have "
       "data: CloudWatch's MIN and MAX pass over missing data"},
      {with_watch(
           R"("metric": "CPUUtilization", "statistic": "SampleCount", "period_seconds": 600, "periods": 3, "below": 1, "missing": "breaching")"),
       "watches.w.periods: silence is noticed after 3000 s, since CloudWatch looks for datapoints "
       "two periods further back before it fills in what is missing; `\"period_seconds\": 60, "
       "\"periods\": 30` notices it after 1920 s"},
      {with_watch(  // a week: no shorter than an hour
           R"("metric": "CPUUtilization", "statistic": "SampleCount", "period_seconds": 86400, "periods": 7, "below": 1, "missing": "breaching")"),
       "watches.w.periods: silence is noticed after 777600 s, since CloudWatch looks for "
       "datapoints two periods further back before it fills in what is missing; "
       "`\"period_seconds\": 3600, \"periods\": 168` notices it after 612000 s"},
      {with_watch(  // of more and shorter periods, other ones would breach
           R"("metric": "CPUUtilization", "statistic": "SampleCount", "period_seconds": 600, "periods": 3, "datapoints": 2, "below": 1, "missing": "breaching")"),
       "watches.w.periods: silence is noticed after 2400 s, since CloudWatch looks for datapoints "
       "two periods further back before it fills in what is missing; shorter periods notice it "
       "sooner"},
      {with(R"("prices": {"ml.p5.48xlage": 3})"),
       "prices[\"ml.p5.48xlage\"]: `ml.p5.48xlage` is not a known instance type; did you mean "
       "`ml.p5.48xlarge`?"},
      {with_actions(R"([{"restart": {"instance_types": ["ml.p5.24xlarge"]}}])"),
       "rules[0].actions[0].restart.instance_types[0]: `ml.p5.24xlarge` is not a known instance "
       "type; did you mean `ml.p5.4xlarge`?"},
      {with_actions(R"(["stop", "restart"])"),
       "rules[0].actions: the restart never happens: a stop beats it (P4)"},
  };
  for (const auto& c : cases) {
    const Policy policy = test::policy(c.text);
    ASSERT_EQ(policy.warnings().size(), 1U) << c.text;
    EXPECT_EQ(policy.warnings()[0].text(), c.warning);
  }
}

// SageMaker's CPUUtilization, GPUUtilization and GPUMemoryUtilization are sums over a machine.
TEST(PolicyFileP2, W1_AThresholdThatWasMeantForOneGpuOrCoreIsAWarning) {
  const auto warnings_of = [](std::string_view members) {
    const Policy policy = test::policy(with_watch(
        R"("statistic": "Average", "period_seconds": 300, "periods": 3, )" + std::string(members)));
    return test::texts(policy.warnings());
  };
  const struct {
    std::string_view members;
    std::string_view warning;
  } odd[] = {
      {R"("metric": "GPUMemoryUtilization", "at_least": 95)",
       "watches.w.at_least: GPUMemoryUtilization is a sum, 0 to 100 for each GPU of a machine: "
       "where there are 8, 95 of it is 11.875 for each; `\"per_gpu\": true` makes it 95 for each"},
      {R"("metric": "GPUUtilization", "below": 80, "hosts": "mean")",
       "watches.w.below: GPUUtilization is a sum, 0 to 100 for each GPU of a machine: where there "
       "are 8, 80 of it is 10 for each; `\"per_gpu\": true` makes it 80 for each"},
      {R"("metric": "CPUUtilization", "above": 90)",
       "watches.w.above: CPUUtilization is a sum, 0 to 100 for each vCPU of a machine: where there "
       "are 8, 90 of it is 11.25 for each; `\"per_core\": true` makes it 90 for each"},
      {R"("metric": "CPUUtilization", "at_least": 101, "per_core": true)",
       "watches.w.at_least: CPUUtilization is 0 to 100 for each vCPU: 101 holds never"},
      {R"("metric": "GPUUtilization", "at_most": 100, "per_gpu": true)",
       "watches.w.at_most: GPUUtilization is 0 to 100 for each GPU: 100 holds always"},
      {R"("metric": "MemoryUtilization", "below": 150)",
       "watches.w.below: MemoryUtilization is 0 to 100: 150 holds always"},
      {R"("metric": "GPUUtilization", "below": 5, "per_core": true)",
       "watches.w.per_core: divides by the vCPUs of a machine, and the metric is not of CPUs"},
      {R"("metric": "GPUUtilization", "below": 5, "hosts": "mean", "missing": "breaching")",
       "watches.w.missing: says nothing: what a silent host does is not known, and a mean counts "
       "datapoints alone; `\"hosts\": \"every\"` watches silence"},
  };
  for (const auto& c : odd) {
    const auto warnings = warnings_of(c.members);
    EXPECT_TRUE(std::ranges::count(warnings, c.warning) == 1)
        << c.members << "\n"
        << (warnings.empty() ? std::string() : std::string(warnings[0]));
  }
  for (const std::string_view good :
       {R"("metric": "GPUUtilization", "at_most": 1)",  // idle, one as all
        R"("metric": "CPUUtilization", "below": 5)",
        R"("metric": "GPUMemoryUtilization", "at_least": 95, "per_gpu": true)",
        R"("metric": "CPUUtilization", "at_least": 95, "per_core": true)",
        R"("metric": "GPUMemoryUtilization", "at_least": 700)",  // who knows that it is a sum
        R"("metric": "DiskUtilization", "at_least": 90)",
        R"("metric": "MemoryUtilization", "at_least": 100)",
        R"("metric": "gpu:use", "source": "algorithm", "below": 80)"})
    EXPECT_EQ(warnings_of(good).size(), 0U) << good << warnings_of(good)[0];
}

TEST(PolicyFileP2, W1_OnePartOfAMachineCountsAndNotTwo) {
  const auto policy = parse_policy(with_watch(
      R"("metric": "CPUUtilization", "statistic": "Average", "period_seconds": 300, "periods": 3,
         "below": 5, "per_core": true, "per_gpu": true)"));
  ASSERT_FALSE(policy);
  EXPECT_NE(
      policy.error().message.find("watches.w: expected one of per_gpu, per_core, found several"),
      std::string::npos)
      << policy.error().message;
}

// Metrics arrive up to three minutes late.
TEST(PolicyFileP2, W1_APeriodThatMetricsAreTooLateForIsAWarning) {
  const auto warnings_of = [](std::string_view members) {
    const Policy policy = test::policy(
        with_watch(R"("metric": "DiskUtilization", "statistic": "Maximum", "at_least": 90, )" +
                   std::string(members)));
    return test::texts(policy.warnings());
  };
  for (const std::string_view late :
       {R"("period_seconds": 60, "periods": 5, "missing": "notBreaching")",
        R"("period_seconds": 60, "periods": 5, "missing": "ignore")",
        R"("period_seconds": 60, "periods": 1, "missing": "notBreaching")"})
    EXPECT_EQ(warnings_of(late).size(), 1U) << late;
  EXPECT_EQ(warnings_of(R"("period_seconds": 60, "periods": 5, "missing": "notBreaching")")[0],
            "watches.w.period_seconds: metrics arrive up to 180 s late: the last 3 periods of 60 s "
            "are empty then, and of 5 that must breach the alarm sees 4 at most; let a period last "
            "300 s");
  EXPECT_EQ(warnings_of(R"("period_seconds": 60, "periods": 3, "missing": "breaching")")[0],
            "watches.w.periods: metrics arrive up to 180 s late, and 3 × 60 s are over before: "
            "what is late passes for silence; let it span 600 s or more");
  for (const std::string_view good :
       {R"("period_seconds": 300, "periods": 1, "missing": "notBreaching")",
        R"("period_seconds": 60, "periods": 5, "datapoints": 4, "missing": "notBreaching")",
        R"("period_seconds": 60, "periods": 5)",
        R"("period_seconds": 120, "periods": 5, "missing": "ignore")",
        R"("period_seconds": 60, "periods": 10, "missing": "breaching")"})
    EXPECT_EQ(warnings_of(good).size(), 0U) << good;
}

TEST(PolicyFileP2, SilenceThatIsSeenSoonEnoughIsNoWarning) {
  for (const std::string_view members :
       {R"("period_seconds": 60, "periods": 5, "missing": "breaching")",
        R"("period_seconds": 300, "periods": 10, "missing": "breaching")",
        R"("period_seconds": 600, "periods": 3, "missing": "notBreaching")",
        R"("period_seconds": 600, "periods": 3)"}) {
    const Policy policy = test::policy(
        with_watch(R"("metric": "CPUUtilization", "statistic": "SampleCount", "below": 1, )" +
                   std::string(members)));
    EXPECT_EQ(policy.warnings().size(), 0U) << members;
  }
}

}  // namespace
}  // namespace trainwarden::rules::policy_file_warnings_test
