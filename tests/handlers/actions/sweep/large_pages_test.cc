// Issue 39.6: pages of Search that are larger than the client takes.
#include "handlers/actions/weekly/weekly.h"
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::large_pages_test {
namespace {

constexpr const char* kFleet = R"(
  {"name": "scarce", "match": {"fleet": {"capacity_errors_24h": [{"numeric": [">=", 3]}]}},
   "actions": ["notify"]})";

class LargePages : public SweepTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) aws_.sagemaker().fix_pages();
    aws_.most_bytes = 60'000;
  }
  // A description of about so many bytes, created that long ago.
  void large(const std::string& name, std::size_t bytes, seconds age, const Tags& tags = {}) {
    aws_.place(
        {.name = name, .age = age, .since = seconds(30), .tags = tags, .more = filled(bytes)});
  }
  static std::string filled(std::size_t bytes) {
    return fmt::format(R"(,"HyperParameters":{{"a":"{}"}})", std::string(bytes, 'x'));
  }
  std::ptrdiff_t stopped() const { return aws_.count("StopTrainingJob"); }
};

TEST_P(LargePages, Issue39_6_ASweepAsksForHalfAsManyAndSeesEachJobOnce) {
  for (int i = 0; i < 100; ++i) large(fmt::format("job-{}", i), 2000, hours(2) + seconds(i / 4));
  const SweepReport report = run(limited(kTeam, 1000));
  EXPECT_EQ(report.running, 100U);
  EXPECT_FALSE(report.failure());
  EXPECT_FALSE(report.incomplete);
  EXPECT_EQ(report.to_look_at, 100U);
  EXPECT_EQ(report.work_left(), 0U);
}

TEST_P(LargePages, Issue39_6_AFewLargeJobsDoNotMakeTheRestOfTheListSlow) {
  for (int i = 0; i < 5; ++i) large(fmt::format("large-{}", i), 20'000, hours(9), kOrderly);
  for (int i = 0; i < 400; ++i)
    large(fmt::format("job-{}", i), 10, hours(2) + seconds(i), kOrderly);
  aws_.most_bytes = 200'000;
  const SweepReport report = run(kTeam);
  EXPECT_EQ(report.running, 405U);
  EXPECT_FALSE(report.failure());
  EXPECT_LT(aws_.count("Search"), 80);
}

TEST_P(LargePages, Issue39_6_ASingleJobThatIsTooLargeIsSkippedByName) {
  for (int i = 0; i < 20; ++i) large(fmt::format("job-{}", i), 10, hours(2) + seconds(i));
  large("monster", 70'000, hours(2) + seconds(7));
  large("behemoth", 70'000, hours(9));
  const SweepReport report = run(limited(kTeam, 1000));
  EXPECT_EQ(report.running, 20U);
  EXPECT_EQ(report.too_large, 2U);
  EXPECT_EQ(report.work_left(), 2U);
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(stopped(), 20);
  const std::string told = json::to_text(report.to_json().root());
  EXPECT_NE(told.find("job monster: "), std::string::npos) << told;
  EXPECT_NE(told.find("job behemoth: "), std::string::npos) << told;
}

TEST_P(LargePages, Issue39_6_WithoutAListOfNamesTheSweepFailsAndSaysSo) {
  large("monster", 70'000, hours(2));
  aws_.refuse("ListTrainingJobs", kDenied, 100);
  const SweepReport report = run(kTeam);
  ASSERT_TRUE(report.failure());
  EXPECT_EQ(report.failure()->code, ErrorCode::kTooLarge);
}

TEST_P(LargePages, Issue39_6_TheFleetIsCountedAndNoJobTwice) {
  for (int i = 0; i < 40; ++i)
    place_ended(
        fmt::format("lost-{}", i), "Failed", minutes(30) + seconds(i / 8),
        filled(3000) +
            R"(,"FailureReason":"CapacityError: Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity error.")");
  place("job-1", kOrderly);
  const Record record = handle(policy(kFleet, "observe"), event());
  ASSERT_EQ(record.decisions.size(), 1U);
  EXPECT_EQ(record.decisions[0].decision.because[0].value, "40");
}

TEST_P(LargePages, Issue39_6_TheWeeklyReportCountsEachJobOnceAndNamesWhatItCouldNotRead) {
  for (int i = 0; i < 40; ++i)
    place_ended(fmt::format("job-{}", i), "Completed", hours(30), filled(3000));
  place_ended("monster", "Completed", hours(31), filled(70'000));
  const aws::CallContext context{clock_.in(left_), "", nullptr};
  const Apis apis(client_, clock_, context, config_, powers_, request_);
  const rules::Policy with = policy(kTeam);
  const WeeklyRecord report =
      report_week({with, ceiling_}, apis, std::chrono::floor<seconds>(clock_.now()), nullptr);
  EXPECT_FALSE(report.error);
  EXPECT_EQ(report.week.all.ended.jobs, 40U);
  EXPECT_EQ(report.week.too_large, Names{"monster"});
  EXPECT_TRUE(told("monster"));
}

INSTANTIATE_TEST_SUITE_P(Tokens, LargePages, ::testing::Values(false, true), [](const auto& fixed) {
  return std::string(fixed.param ? "WithTheirPageSize" : "OfAnySize");
});

TEST_F(SweepTest, Issue39_6_AlarmsThatAreTooLargeForOnePageAreListedInSmallerOnes) {
  for (int i = 0; i < 60; ++i) put_alarm(fmt::format("job-{}/loss", i));
  aws_.most_bytes = 15'000;
  const SweepReport report = run(kTeam);
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.alarms, 60U);
}

}  // namespace
}  // namespace trainwarden::actions::large_pages_test
