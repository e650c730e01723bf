#include "handlers/rules/job/hourly_cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "handlers/rules/job/instances.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::hourly_cost_test {
namespace {

using test::doc;
using test::kNow;

double of(const std::string& type, int count, const Prices& prices = {}) {
  const auto described = doc(fmt::format(
      R"({{"ResourceConfig": {{"InstanceType": "{}", "InstanceCount": {}}}}})", type, count));
  return hourly_cost(read_training_job(described.root()), prices, kNow);
}

TEST(Dearness, P7_IsThePriceWhereThereIsOne) {
  EXPECT_DOUBLE_EQ(of("ml.g5.xlarge", 3, {{"ml.g5.xlarge", 1.5}}), 4.5);
}

// Each is dearer than the one before it, by AWS's price list.
TEST(Dearness, P7_WithoutPricesFollowsFamilyAndSize) {
  double before = 0;
  for (const auto& [type, count] : {std::pair("ml.m5.large", 1),
                                    {"ml.m5.large", 2},
                                    {"ml.g5.xlarge", 1},
                                    {"ml.g5.2xlarge", 1},
                                    {"ml.m5.24xlarge", 1},
                                    {"ml.trn1.32xlarge", 1},
                                    {"ml.p4d.24xlarge", 1},
                                    {"ml.p5.48xlarge", 1},
                                    {"ml.p4d.24xlarge", 16}}) {
    EXPECT_GT(of(type, count), before) << type;
    before = of(type, count);
  }
}

// One price is missing: the others still stand in a sound order beside it.
TEST(Dearness, P7_AJobWithoutAPriceIsHeldAgainstThoseWithOne) {
  const Prices prices{{"ml.m5.large", 0.115}};
  EXPECT_GT(of("ml.p5.48xlarge", 1, prices), of("ml.m5.large", 20, prices));
}

TEST(Dearness, P7_TakesWhateverATypeIsCalled) {
  for (const char* type : {"", "ml", "ml.", "ml.x", "ml.p9.metal",
                           "ml.g5.99999999999999999999xlarge", "ml.t3.medium", "xlarge"})
    EXPECT_GE(rough_usd_per_hour(type), 0) << type;
  const auto serverless = doc("{}");
  EXPECT_EQ(hourly_cost(read_training_job(serverless.root()), {}, kNow), 0);
}

}  // namespace
}  // namespace trainwarden::rules::hourly_cost_test
