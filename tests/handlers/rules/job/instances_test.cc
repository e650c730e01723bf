// F4: the GPUs of instance types.
#include "handlers/rules/job/instances.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "handlers/rules/facts/facts.h"
#include "handlers/rules/job/instance_types.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::instances_test {
namespace {

using test::doc;

TEST(InstancesF4, TheTableIsTheSamples) {
  const std::filesystem::path path = "../shared/samples/gpu_counts.json";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "50 cases need " << path.string() << ", which is not here";
  const json::Document table = doc(test::read_file(path));
  for (json::Member member : table.root().find("gpus")->members()) {
    EXPECT_EQ(gpus_per_instance(member.name), member.value.as_number()) << member.name;
  }
  for (json::Value type : table.root().find("trainium_no_gpu_metric")->elements()) {
    EXPECT_EQ(gpus_per_instance(type.as_string()), 0) << type.as_string();
    EXPECT_TRUE(is_neuron(type.as_string())) << type.as_string();
  }
}

// https://aws.amazon.com/ec2/instance-types/g7/, /g7e/ and /p6/
TEST(InstancesF4, TypesOf2026) {
  const std::pair<const char*, int> cases[] = {{"ml.g7.2xlarge", 1},   {"ml.g7.8xlarge", 1},
                                               {"ml.g7.12xlarge", 2},  {"ml.g7.24xlarge", 4},
                                               {"ml.g7.48xlarge", 8},  {"ml.g7e.4xlarge", 1},
                                               {"ml.g7e.12xlarge", 2}, {"ml.g7e.24xlarge", 4},
                                               {"ml.g7e.48xlarge", 8}, {"ml.p6-b300.48xlarge", 8}};
  for (const auto& [type, gpus] : cases) {
    EXPECT_EQ(gpus_per_instance(type), gpus) << type;
    EXPECT_TRUE(vcpus_per_instance(type)) << type;
    EXPECT_EQ(doubt_of_instance_type(type), std::nullopt) << type;
  }
  EXPECT_EQ(vcpus_per_instance("ml.g7.2xlarge"), 8);
}

TEST(InstancesF4, UnlistedTypesAreUnknownAndCountOneForAlarms) {
  for (std::string_view type : {"ml.gr6.4xlarge", "ml.p7", "ml.p7.48xlarge", "ml.g5.96xlarge"}) {
    EXPECT_EQ(gpus_per_instance(type), std::nullopt) << type;
    EXPECT_EQ(gpus_or_one(type), 1) << type;
    EXPECT_EQ(accelerator(type), "gpu") << type;
  }
  for (std::string_view type : {"ml.m99.large", "p5.48xlarge", "ml.pro.large", "", "ml."}) {
    EXPECT_EQ(gpus_per_instance(type), std::nullopt) << type;
    EXPECT_EQ(accelerator(type), std::nullopt) << type;
    EXPECT_EQ(vcpus_per_instance(type), std::nullopt) << type;
  }
  for (std::string_view type : {"ml.c5.xlarge", "ml.m5.8xlarge", "ml.t2.large"}) {
    EXPECT_EQ(gpus_per_instance(type), 0) << type;
    EXPECT_EQ(accelerator(type), "none") << type;
  }
  EXPECT_EQ(gpus_per_instance("ml.inf2.xlarge"), 0);
  EXPECT_EQ(accelerator("ml.inf2.xlarge"), "neuron");
  EXPECT_EQ(gpus_per_instance("ml.trn9.xlarge"), std::nullopt);
  EXPECT_EQ(accelerator("ml.trn9.xlarge"), "neuron");
}

}  // namespace
}  // namespace trainwarden::rules::instances_test
