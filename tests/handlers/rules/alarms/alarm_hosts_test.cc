#include "handlers/rules/alarms/alarm_hosts.h"

#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::alarm_hosts_test {
namespace {

using test::doc;

Watch gpu_idle() {
  Watch watch;
  watch.name = "gpu-idle";
  watch.metric = "GPUUtilization";
  watch.statistic = "Maximum";
  watch.per_gpu = true;
  watch.threshold = 1;
  return watch;
}

std::expected<AlarmHosts, Reason> hosts(const Watch& watch, const std::string& config) {
  const json::Document describe = doc(R"({"ResourceConfig": )" + config + "}");
  return alarm_hosts(watch, read_training_job(describe.root()));
}

std::string group(const std::string& type, int count) {
  return R"({"InstanceGroupName": "g", "InstanceType": ")" + type + R"(", "InstanceCount": )" +
         std::to_string(count) + "}";
}

TEST(AlarmHosts, W1_PerGpuMultipliesTheThresholdByTheGpusOfAMachine) {
  const auto found =
      hosts(gpu_idle(), R"({"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2})");
  ASSERT_TRUE(found) << text(found.error());
  EXPECT_EQ(found->count, 2);
  EXPECT_EQ(found->threshold, 8);  // eight A100
  EXPECT_FALSE(found->heterogeneous);
}

TEST(AlarmHosts, W1_WithoutPerGpuTheThresholdIsAsItStands) {
  Watch watch = gpu_idle();
  watch.per_gpu = false;
  EXPECT_EQ(hosts(watch, R"({"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2})")->threshold,
            1);
}

TEST(AlarmHosts, W1_OfDifferentMachinesTheFewestGpusCountAndMachinesWithoutAnyDoNot) {
  const auto found =
      hosts(gpu_idle(), R"({"InstanceGroups": [)" + group("ml.g5.48xlarge", 1) + "," +
                            group("ml.g5.12xlarge", 2) + "," + group("ml.c5.4xlarge", 3) + "]}");
  ASSERT_TRUE(found) << text(found.error());
  EXPECT_EQ(found->count, 6);
  EXPECT_EQ(found->threshold, 4);  // ml.g5.12xlarge has four
  EXPECT_TRUE(found->heterogeneous);
}

TEST(AlarmHosts, W1_GroupsOfOneTypeAreAlike) {
  const auto found =
      hosts(gpu_idle(), R"({"InstanceGroups": [)" + group("ml.g5.xlarge", 1) + "," +
                            group("ml.g5.xlarge", 2) + "," + group("ml.c5.xlarge", 0) + "]}");
  ASSERT_TRUE(found) << text(found.error());
  EXPECT_EQ(found->count, 3);
  EXPECT_FALSE(found->heterogeneous);
}

TEST(AlarmHosts, W1_FirstLooksAtOneHostAndIsRefusedWhereMachinesDiffer) {
  Watch watch = gpu_idle();
  watch.hosts = Watch::Hosts::kFirst;
  EXPECT_EQ(hosts(watch, R"({"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 40})")->count, 1);
  EXPECT_FALSE(hosts(watch, R"({"InstanceGroups": [)" + group("ml.g5.48xlarge", 1) + "," +
                                group("ml.c5.4xlarge", 3) + "]}"));
}

TEST(AlarmHosts, W2_MachinesWithoutGpusHaveNoGpuMetric) {
  for (const char* type : {"ml.m5.xlarge", "ml.trn1.32xlarge", "ml.inf2.xlarge"}) {
    const auto found = hosts(
        gpu_idle(), R"({"InstanceType": ")" + std::string(type) + R"(", "InstanceCount": 1})");
    ASSERT_FALSE(found) << type;
    EXPECT_EQ(text(found.error()), "the job's machines have no GPU: no GPUUtilization to watch");
  }
  Watch cpu = gpu_idle();
  cpu.metric = "CPUUtilization";
  cpu.per_gpu = false;
  EXPECT_TRUE(hosts(cpu, R"({"InstanceType": "ml.m5.xlarge", "InstanceCount": 1})"));
}

TEST(AlarmHosts, F4_AnUnlistedGpuTypeCountsOneWhereALowThresholdFailsSafe) {
  const std::string config = R"({"InstanceType": "ml.p99.96xlarge", "InstanceCount": 1})";
  Watch watch = gpu_idle();
  EXPECT_EQ(hosts(watch, config)->threshold, 1);
  watch.comparison = Watch::Comparison::kBelow;
  EXPECT_EQ(hosts(watch, config)->threshold, 1);
  for (const auto comparison : {Watch::Comparison::kAtLeast, Watch::Comparison::kAbove}) {
    watch.comparison = comparison;
    EXPECT_EQ(text(hosts(watch, config).error()),
              "how many GPUs `ml.p99.96xlarge` has is not known");
  }
}

TEST(AlarmHosts, F16_WhichOfItsPreferencesAJobRunsOnIsNotGuessed) {
  const std::string list =
      R"("InstancePreferences": [{"InstanceType": "ml.p5.48xlarge", "InstanceCount": 2},
                                 {"InstanceType": "ml.g5.xlarge", "InstanceCount": 4}])";
  EXPECT_EQ(hosts(gpu_idle(), "{" + list + "}").error().why, Why::kUnknownMachines);
  const auto selected = hosts(gpu_idle(), "{" + list + R"(, "SelectedInstanceType":
      "ml.p5.48xlarge", "SelectedInstanceCount": 2})");
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->count, 2);
  EXPECT_EQ(selected->threshold, 8);
}

TEST(AlarmHosts, W1_PerCoreMultipliesTheThresholdByTheVcpusOfAMachine) {
  Watch watch = gpu_idle();
  watch.metric = "CPUUtilization";
  watch.per_gpu = false;
  watch.per_core = true;
  watch.threshold = 95;
  for (const auto comparison : {Watch::Comparison::kAtMost, Watch::Comparison::kAtLeast}) {
    watch.comparison = comparison;
    EXPECT_EQ(hosts(watch, R"({"InstanceType": "ml.m5.xlarge", "InstanceCount": 2})")->threshold,
              380);
    EXPECT_EQ(hosts(watch, R"({"InstanceType": "ml.p3.8xlarge", "InstanceCount": 1})")->threshold,
              3040);
  }
  // Without it, as it stands; of a metric of the algorithm, too.
  watch.per_core = false;
  EXPECT_EQ(hosts(watch, R"({"InstanceType": "ml.m5.xlarge", "InstanceCount": 2})")->threshold, 95);
  watch.per_core = true;
  watch.source = Watch::Source::kAlgorithm;
  EXPECT_EQ(hosts(watch, R"({"InstanceType": "ml.m5.xlarge", "InstanceCount": 2})")->threshold, 95);
}

TEST(AlarmHosts, W2_VcpusThatAreNotKnownCountOneWhereALowThresholdFailsSafe) {
  const std::string config = R"({"InstanceType": "ml.z9.4xlarge", "InstanceCount": 1})";
  Watch watch = gpu_idle();
  watch.metric = "CPUUtilization";
  watch.per_gpu = false;
  watch.per_core = true;
  watch.threshold = 5;
  EXPECT_EQ(hosts(watch, config)->threshold, 5);
  watch.comparison = Watch::Comparison::kAbove;
  EXPECT_EQ(text(hosts(watch, config).error()), "how many vCPUs `ml.z9.4xlarge` has is not known");
}

// Nobody tells which host is of which kind: 95 % of one GPU are 12 % of eight.
TEST(AlarmHosts, W1_OfDifferentMachinesAHighThresholdIsOneOfTheMostGpus) {
  Watch watch = gpu_idle();
  watch.metric = "GPUMemoryUtilization";
  watch.hosts = Watch::Hosts::kAny;
  watch.comparison = Watch::Comparison::kAtLeast;
  watch.threshold = 95;
  const std::string config = R"({"InstanceGroups": [)" + group("ml.g5.48xlarge", 1) + "," +
                             group("ml.g5.xlarge", 2) + "," + group("ml.c5.4xlarge", 3) + "]}";
  EXPECT_EQ(hosts(watch, config)->threshold, 760);
  watch.comparison = Watch::Comparison::kAtMost;
  EXPECT_EQ(hosts(watch, config)->threshold, 95);
  watch.per_gpu = false;
  watch.per_core = true;
  watch.metric = "CPUUtilization";
  EXPECT_EQ(hosts(watch, config)->threshold, 95 * 4);  // ml.g5.xlarge
  watch.comparison = Watch::Comparison::kAbove;
  EXPECT_EQ(hosts(watch, config)->threshold, 95 * 192);  // ml.g5.48xlarge
}

TEST(AlarmHosts, W1_AMetricOfTheAlgorithmHasNoMachines) {
  Watch watch = gpu_idle();
  watch.source = Watch::Source::kAlgorithm;
  watch.metric = "train:loss";
  const json::Document serverless = doc("{}");
  EXPECT_EQ(alarm_hosts(watch, read_training_job(serverless.root()))->count, 1);
  EXPECT_EQ(alarm_hosts(watch, read_training_job(serverless.root()))->threshold, 1);
}

TEST(AlarmHosts, W4_AnUnknownNumberOfMachinesIsNotGuessed) {
  for (const char* config : {"{}", "null", R"({"InstanceType": "ml.g5.xlarge"})",
                             R"({"InstanceType": "ml.g5.xlarge", "InstanceCount": 0})",
                             R"({"InstanceType": "ml.g5.xlarge", "InstanceCount": -1})",
                             R"({"InstanceType": "ml.g5.xlarge", "InstanceCount": 1.5})"})
    EXPECT_FALSE(hosts(gpu_idle(), config)) << config;
}

TEST(AlarmHosts, W1_HostsAreNumberedFromOne) {
  EXPECT_EQ(host_name("train-1", 11), "train-1/algo-11");
}

}  // namespace
}  // namespace trainwarden::rules::alarm_hosts_test
