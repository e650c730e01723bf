// What managed spot training saved (policy.md F14, F2).
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string_view>

#include "handlers/rules/job/job_times.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::spot_saving_test {
namespace {

std::optional<double> saved(std::string_view describe) {
  const json::Document document = test::doc(describe);
  return spot_saved_fraction(read_training_job(document.root()));
}

TEST(SpotSaving, F14_OneLessWhatWasBilledOfWhatItTrained) {
  const auto found = saved(
      R"({"TrainingJobStatus": "Completed", "EnableManagedSpotTraining": true,
          "TrainingTimeInSeconds": 5400, "BillableTimeInSeconds": 3600})");
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, 1.0 / 3, 1e-12);
  // While it runs, where both are told.
  EXPECT_EQ(saved(R"({"TrainingJobStatus": "InProgress", "EnableManagedSpotTraining": true,
                      "TrainingTimeInSeconds": 1000, "BillableTimeInSeconds": 250})"),
            0.75);
  // A bill of nothing counts at the end.
  EXPECT_EQ(saved(R"({"TrainingJobStatus": "Stopped", "EnableManagedSpotTraining": true,
                      "TrainingTimeInSeconds": 1000, "BillableTimeInSeconds": 0})"),
            1.0);
}

TEST(SpotSaving, F14_BetweenNothingAndAll) {
  EXPECT_EQ(saved_fraction(1000, 1000), 0.0);
  EXPECT_EQ(saved_fraction(8000, 10000), 0.2);  // as a policy would write it
  EXPECT_EQ(saved_fraction(1200, 1000), 0.0);   // downloads are billed, too
  EXPECT_EQ(saved_fraction(0, 1000), 1.0);
  EXPECT_EQ(saved_fraction(-1, 1000), std::nullopt);
  EXPECT_EQ(saved_fraction(0, 0), std::nullopt);
  EXPECT_EQ(saved_fraction(10, -5), std::nullopt);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(saved_fraction(nan, 1000), std::nullopt);
  EXPECT_EQ(saved_fraction(10, nan), std::nullopt);
}

TEST(SpotSaving, F2_AbsentWhereItIsNotToldOrNotSpot) {
  for (const char* describe :
       {R"({"TrainingJobStatus": "InProgress", "EnableManagedSpotTraining": true})",
        R"({"TrainingJobStatus": "InProgress", "EnableManagedSpotTraining": true,
            "TrainingTimeInSeconds": 1000})",
        R"({"TrainingJobStatus": "InProgress", "EnableManagedSpotTraining": true,
            "TrainingTimeInSeconds": 1000, "BillableTimeInSeconds": null})",
        R"({"TrainingJobStatus": "InProgress", "EnableManagedSpotTraining": true,
            "TrainingTimeInSeconds": 1000, "BillableTimeInSeconds": 0})",
        R"({"TrainingJobStatus": "Completed", "EnableManagedSpotTraining": true,
            "BillableTimeInSeconds": 1000})",
        R"({"TrainingJobStatus": "Completed", "EnableManagedSpotTraining": true,
            "TrainingTimeInSeconds": 0, "BillableTimeInSeconds": 0})",
        R"({"TrainingJobStatus": "Completed", "EnableManagedSpotTraining": false,
            "TrainingTimeInSeconds": 1000, "BillableTimeInSeconds": 250})",
        R"({"TrainingJobStatus": "Completed", "TrainingTimeInSeconds": 1000,
            "BillableTimeInSeconds": 250})"})
    EXPECT_EQ(saved(describe), std::nullopt) << describe;
}

}  // namespace
}  // namespace trainwarden::rules::spot_saving_test
