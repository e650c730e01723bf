// No event tells that the time in a tag has come: the sweep sees it (S1, F15).
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_until_test {
namespace {

constexpr const char* kKept = R"(
  {"name": "kept", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
   "unless": {"until": {"keep-until": [{"numeric": [">", 0, "<=", 604800]}]}}, "actions": ["stop", "notify"]})";

TEST_F(SweepTest, S1_F15_AJobIsStoppedWhenItsTimeHasRunOut) {
  const auto now = std::chrono::floor<seconds>(clock_.now());
  place("kept", {{"keep-until", rfc3339(now + hours(2))}});
  place("kept-for-longer", {{"keep-until", rfc3339(now + hours(4))}});
  SweepReport report = run(kKept);
  EXPECT_EQ(report.looked_at, 0U);
  EXPECT_EQ(aws_.count("DescribeTrainingJob") + aws_.count("ListTags"), 0);

  aws_.pass(hours(2) + seconds(1));
  report = run(kKept);
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_EQ(aws_.status("kept"), "Stopping");
  EXPECT_EQ(aws_.status("kept-for-longer"), "InProgress");
}

TEST_F(SweepTest, S1_F15_ATimeThatWasPutOffMeanwhileCountsBeforeTheStop) {
  const auto now = std::chrono::floor<seconds>(clock_.now());
  place("late", {{"keep-until", rfc3339(now - hours(1))}});
  aws_.before("DescribeTrainingJob",
              [&] { aws_.tag_job("late", "keep-until", rfc3339(now + hours(1))); });
  const SweepReport report = run(kKept);
  EXPECT_EQ(report.looked_at, 1U);
  EXPECT_EQ(aws_.status("late"), "InProgress");
}

TEST_F(SweepTest, F1_F15_TagsThatCannotBeReadStopNothing) {
  place("kept", {{"keep-until", "2020-01-01"}});
  aws_.refuse("ListTags", testing::kDenied, 100);
  run(kKept);
  EXPECT_EQ(aws_.status("kept"), "InProgress");
}

}  // namespace
}  // namespace trainwarden::actions::sweep_until_test
