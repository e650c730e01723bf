#include "handlers/rules/job/instance_types.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "handlers/rules/job/instances.h"

namespace trainwarden::rules::instance_types_test {
namespace {

TEST(InstanceTypes, HaveAFamilyAndASize) {
  for (const std::string_view type :
       {"ml.g5.xlarge", "ml.p6-b200.48xlarge", "ml.t3.medium", "ml.u-6tb1.metal", "ml.m5.24xlage"})
    EXPECT_TRUE(is_instance_type(type)) << type;
  for (const std::string_view text :
       {"", "ml.", "ml.g5", "ml.g5.", "ml..xlarge", "ml.p548xlarge", "p5.48xlarge", "ml.P5.x",
        "ml.g5.xlarge.2", "ml.g5.x large", "ml.5g.xlarge", "ml.bogus thing", "Ml.g5.xlarge",
        "ml.g5.xlarge/ml.g6.xlarge"})
    EXPECT_FALSE(is_instance_type(text)) << text;
  EXPECT_FALSE(is_instance_type("ml.g5." + std::string(60, '9')));
}

// One of each family that SageMaker trains on, and the sizes that only few have:
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ResourceConfig.html
TEST(InstanceTypes, KnownOnesLeaveNoDoubt) {
  for (const std::string_view type :
       {"ml.m4.10xlarge",   "ml.m5.large",      "ml.m6i.32xlarge",     "ml.m7i.48xlarge",
        "ml.c4.8xlarge",    "ml.c5.18xlarge",   "ml.c5n.9xlarge",      "ml.c6i.xlarge",
        "ml.c7i.large",     "ml.r5.16xlarge",   "ml.r5d.12xlarge",     "ml.r7i.2xlarge",
        "ml.t3.medium",     "ml.p2.xlarge",     "ml.p3.16xlarge",      "ml.p3dn.24xlarge",
        "ml.p4d.24xlarge",  "ml.p4de.24xlarge", "ml.p5.4xlarge",       "ml.p5.48xlarge",
        "ml.p5e.48xlarge",  "ml.p5en.48xlarge", "ml.p6-b200.48xlarge", "ml.p6-b300.48xlarge",
        "ml.g4dn.16xlarge", "ml.g5.24xlarge",   "ml.g6.12xlarge",      "ml.p6e-gb200.36xlarge",
        "ml.g6e.8xlarge",   "ml.g7e.2xlarge",   "ml.trn1.32xlarge",    "ml.trn1n.32xlarge",
        "ml.trn2.48xlarge"})
    EXPECT_FALSE(doubt_of_instance_type(type)) << type;
}

// https://aws.amazon.com/ec2/instance-types/
TEST(InstanceTypes, W1_VcpusOfAMachine) {
  const std::pair<const char*, int> cases[] = {
      {"ml.m4.xlarge", 4},      {"ml.m5.large", 2},        {"ml.m4.10xlarge", 40},
      {"ml.c4.8xlarge", 36},    {"ml.c5.9xlarge", 36},     {"ml.c5n.18xlarge", 72},
      {"ml.c6i.32xlarge", 128}, {"ml.t3.medium", 2},       {"ml.p3.8xlarge", 32},
      {"ml.p3dn.24xlarge", 96}, {"ml.p4d.24xlarge", 96},   {"ml.p5.48xlarge", 192},
      {"ml.p5.4xlarge", 16},    {"ml.g5.12xlarge", 48},    {"ml.p6e-gb200.36xlarge", 144},
      {"ml.g4dn.xlarge", 4},    {"ml.trn1.32xlarge", 128}, {"ml.trn2.48xlarge", 192}};
  for (const auto& [type, vcpus] : cases) EXPECT_EQ(vcpus_per_instance(type), vcpus) << type;
  for (const char* unknown : {"", "ml.", "ml.m5", "ml.m5.", "ml.m5.metal", "ml.m5.xlarg",
                              "ml.m5.0xlarge", "ml.m5.-2xlarge", "ml.m5.12xlargest",
                              "ml.m5.99999999999xlarge", "m5.xlarge", "ml.z9.4xlarge"})
    EXPECT_FALSE(vcpus_per_instance(unknown)) << unknown;
}

TEST(InstanceTypes, WhatWasProbablyMeant) {
  struct {
    std::string_view text;
    std::string_view meant;  // empty where nothing is near
  } const cases[] = {
      {"ml.p5.48xlage", "ml.p5.48xlarge"},
      {"ml.p548xlarge", "ml.p5.48xlarge"},
      {"p5.48xlarge", "ml.p5.48xlarge"},
      {"ml.P5.48xlarge", "ml.p5.48xlarge"},
      {"ml.trn1.32xlrage", "ml.trn1.32xlarge"},
      {"ml.m5.4xlage", "ml.m5.4xlarge"},  // of its own family, not ml.g5.4xlarge
      {"ml.m54xlarge", ""},               // nor of another kind here
      {"ml.bogus.thing", ""},
  };
  for (const auto& c : cases) {
    const std::string doubt = doubt_of_instance_type(c.text).value_or("");
    EXPECT_EQ(doubt, "`" + std::string(c.text) + "` is not a known instance type" +
                         (c.meant.empty() ? std::string()
                                          : "; did you mean `" + std::string(c.meant) + "`?"));
  }
}

}  // namespace
}  // namespace trainwarden::rules::instance_types_test
