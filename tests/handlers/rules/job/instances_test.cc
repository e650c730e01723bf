// F4: the GPUs of instance types.
#include "handlers/rules/job/instances.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

#include "handlers/rules/facts/facts.h"
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
    EXPECT_FALSE(is_unlisted_gpu(member.name)) << member.name;
  }
  for (json::Value type : table.root().find("trainium_no_gpu_metric")->elements()) {
    EXPECT_EQ(gpus_per_instance(type.as_string()), 0) << type.as_string();
    EXPECT_TRUE(is_neuron(type.as_string())) << type.as_string();
  }
}

TEST(InstancesF4, UnlistedFamilies) {
  for (std::string_view type :
       {"ml.p6-b300.48xlarge", "ml.g7e.2xlarge", "ml.gr6.4xlarge", "ml.p7"}) {
    EXPECT_TRUE(is_unlisted_gpu(type)) << type;
    EXPECT_EQ(gpus_per_instance(type), 1) << type;
  }
  for (std::string_view type : {"ml.c5.xlarge", "ml.m7g.large", "ml.inf2.xlarge", "p5.48xlarge",
                                "ml.pro.large", "", "ml."}) {
    EXPECT_FALSE(is_unlisted_gpu(type)) << type;
    EXPECT_EQ(gpus_per_instance(type), 0) << type;
  }
}

}  // namespace
}  // namespace trainwarden::rules::instances_test
