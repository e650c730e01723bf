// What spot saved, in notices (A5, F14).
#include <gtest/gtest.h>

#include <string>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_spot_test {
namespace {

using test::described;
using test::has;
using test::text;
using test::violation;

std::string describe(const std::string& status, const std::string& more) {
  return R"({"TrainingJobName": "train-1", "TrainingJobStatus": ")" + status + R"(",
             "SecondaryStatus": ")" +
         status + "\", " + more + "}";
}

constexpr const char* kSaved =
    R"("EnableManagedSpotTraining": true, "TrainingTimeInSeconds": 5400, "BillableTimeInSeconds": 3600)";

TEST(NoticeSpot, A5_F14_AnEndTellsWhatSpotSaved) {
  const NoticeJob job = described(describe("Completed", kSaved), "{}");
  EXPECT_TRUE(has(text(violation(), NoticeOutcome::kEnded, job, {}),
                  "\nSpot:       saved 33 % of the full price\n"));
  const NoticeJob running = described(describe("InProgress", kSaved), "{}");
  EXPECT_TRUE(has(text(violation(Mode::kNotify), NoticeOutcome::kNone, running, {}),
                  "\nSpot:       saved 33 % of the full price so far\n"));
  const Notice told = test::sent(NoticeFormat::kJson, violation(), NoticeOutcome::kEnded, {}, job);
  const json::Document document = test::doc(told.message);
  EXPECT_EQ(document.root().find("job")->find("spot_saved_fraction")->as_number(), 0.333);
  EXPECT_TRUE(
      has(test::sent(NoticeFormat::kChat, violation(), NoticeOutcome::kEnded, {}, job).message,
          "Spot: `saved 33 % of the full price`"));
}

TEST(NoticeSpot, A5_F2_WhatIsNotToldIsNotSaid) {
  for (const char* more : {R"("EnableManagedSpotTraining": true, "TrainingTimeInSeconds": 5400)",
                           R"("TrainingTimeInSeconds": 5400, "BillableTimeInSeconds": 3600)"}) {
    const NoticeJob job = described(describe("Completed", more), "{}");
    EXPECT_FALSE(has(text(violation(), NoticeOutcome::kEnded, job, {}), "Spot:")) << more;
    EXPECT_FALSE(
        has(test::sent(NoticeFormat::kJson, violation(), NoticeOutcome::kEnded, {}, job).message,
            "spot_saved_fraction"));
  }
}

}  // namespace
}  // namespace trainwarden::rules::notice_spot_test
