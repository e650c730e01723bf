// What counts to a week, to whom, and with how much money (policy.md S2).
#include "handlers/rules/weekly/week_totals.h"

#include "tests/handlers/rules/weekly/weeks.h"

namespace trainwarden::rules::week_totals_test {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using weeks::add;
using weeks::kPrices;
using weeks::kUntil;
using weeks::Ran;
using weeks::tagged;
using weeks::week;

TEST(WeekTotals, S2_JobsCountByTheirEnd) {
  const WeekReport report =
      week(Ran{.name = "a"}, Ran{.name = "b", .status = "Failed", .trained = hours(3)},
           Ran{.name = "c", .status = "Stopped", .trained = hours(2)});
  EXPECT_EQ(report.all.ended.jobs, 3U);
  EXPECT_EQ(report.all.of(Spending::kCompleted).jobs, 1U);
  EXPECT_EQ(report.all.of(Spending::kFailed).jobs, 1U);
  EXPECT_EQ(report.all.of(Spending::kStopped).jobs, 1U);
  EXPECT_DOUBLE_EQ(report.all.ended.usd(), 30);
  EXPECT_DOUBLE_EQ(report.all.wasted().usd(), 10);
  EXPECT_DOUBLE_EQ(report.all.machine_hours, 15);
  EXPECT_EQ(report.all.running.jobs, 0U);
  EXPECT_TRUE(report.is_complete());
}

TEST(WeekTotals, S2_AJobCountsOnceToTheWeekOfItsEndWithItsWholeCost) {
  const struct {
    seconds ended_before;
    bool counts;
  } cases[] = {{seconds(0), false},
               {seconds(1), true},
               {days(7), true},
               {days(7) + seconds(1), false},
               {days(7) - hours(1), true}};
  for (const auto& [ended_before, counts] : cases) {
    const WeekReport report = week(Ran{.ended_before = ended_before, .trained = days(10)});
    EXPECT_EQ(report.all.ended.jobs, counts ? 1U : 0U) << ended_before.count();
    EXPECT_DOUBLE_EQ(report.all.ended.usd(), counts ? 480 : 0);
    EXPECT_EQ(report.all.running.jobs, ended_before == seconds(0) ? 1U : 0U);
  }
}

TEST(WeekTotals, S2_AJobThatEndedAfterTheWeekRanAtItsEnd) {
  // Paid for the nine of its ten hours that lie before.
  const WeekReport report = week(Ran{.name = "a", .ended_before = -hours(1)},
                                 Ran{.name = "b",
                                     .status = "Failed",
                                     .team = tagged("nlp"),
                                     .ended_before = -hours(1),
                                     .more = R"(,"BillableTimeInSeconds":36000)"},
                                 Ran{.name = "c", .ended_before = -hours(11)});
  EXPECT_EQ(report.all.ended.jobs, 0U);
  EXPECT_EQ(report.all.running.jobs, 2U);
  EXPECT_DOUBLE_EQ(report.all.running.usd(), 36);
  EXPECT_DOUBLE_EQ(report.all.wasted().usd(), 0);
  ASSERT_EQ(report.teams.size(), 1U);
  EXPECT_EQ(report.teams[0].sum.running.jobs, 1U);
}

// Weeks that follow each other: whenever a job ends, it is in one of them.
TEST(WeekTotals, S2_NoJobIsInTwoWeeksOrInNone) {
  for (int minute = -30; minute <= 30; ++minute) {
    const Ran job{.ended_before = minutes(minute)};
    std::size_t ended = 0;
    for (const days later : {days(-7), days(0), days(7), days(14)}) {
      WeekTotals totals(kPrices, kUntil + later);
      add(totals, job);
      ended += totals.take().all.ended.jobs;
    }
    EXPECT_EQ(ended, 1U) << minute;
  }
}

TEST(WeekTotals, S2_MachinesAreMultiplied) {
  const WeekReport report = week(Ran{.machines = 8});
  EXPECT_DOUBLE_EQ(report.all.machine_hours, 80);
  EXPECT_DOUBLE_EQ(report.all.ended.usd(), 160);
}

TEST(WeekTotals, S2_AJobWithoutAPriceIsCountedAndNeverFree) {
  const WeekReport report = week(Ran{.name = "a"}, Ran{.name = "b", .type = "ml.x9.large"});
  EXPECT_EQ(report.all.ended.jobs, 2U);
  EXPECT_EQ(report.all.ended.without_price, 1U);
  EXPECT_DOUBLE_EQ(report.all.ended.usd(), 20);
  EXPECT_DOUBLE_EQ(report.all.machine_hours, 20);
}

// F14: the bill of a finished spot job has the discount already.
TEST(WeekTotals, S2_SpotIsPaidByItsBill) {
  const WeekReport report = week(Ran{
      .type = "ml.p5.48xlarge",
      .more =
          R"(,"EnableManagedSpotTraining":true,"BillableTimeInSeconds":3600,"TrainingTimeInSeconds":36000)"});
  EXPECT_DOUBLE_EQ(report.all.ended.usd(), 50);
  EXPECT_EQ(report.all.ended.bounds, 0U);
}

TEST(WeekTotals, S2_SpotWithoutABillIsPaidByItsFactorOrAtMost) {
  const WeekReport by_factor =
      week(Ran{.type = "ml.p5.48xlarge", .more = R"(,"EnableManagedSpotTraining":true)"});
  EXPECT_DOUBLE_EQ(by_factor.all.ended.usd(), 200);
  EXPECT_EQ(by_factor.all.ended.bounds, 0U);
  const WeekReport at_most = week(Ran{.more = R"(,"EnableManagedSpotTraining":true)"});
  EXPECT_DOUBLE_EQ(at_most.all.ended.usd(), 20);
  EXPECT_EQ(at_most.all.ended.bounds, 1U);
}

TEST(WeekTotals, S2_RunningJobsAreSummedApartWithWhatTheyCostSoFar) {
  const WeekReport report =
      week(Ran{.name = "a"},
           Ran{.name = "b", .status = "InProgress", .ended_before = hours(0), .trained = days(20)},
           Ran{.name = "c", .status = "Stopping", .ended_before = hours(0)});
  EXPECT_EQ(report.all.ended.jobs, 1U);
  EXPECT_DOUBLE_EQ(report.all.ended.usd(), 20);
  EXPECT_EQ(report.all.running.jobs, 2U);
  EXPECT_DOUBLE_EQ(report.all.running.usd(), 960 + 20);
  EXPECT_DOUBLE_EQ(report.all.wasted().usd(), 0);
}

// Two lists are taken: in the first it was in progress, in the second it was stopping.
TEST(WeekTotals, S2_ARunningJobInBothListsCountsOnce) {
  const WeekReport report =
      week(Ran{.status = "InProgress", .ended_before = hours(0)},
           Ran{.status = "Stopping", .ended_before = hours(0)},
           Ran{.name = "other", .status = "Stopping", .ended_before = hours(0)});
  EXPECT_EQ(report.all.running.jobs, 2U);
}

// Search had not heard of its end when the first list was taken.
TEST(WeekTotals, S2_AJobThatIsListedAsRunningAndThenAsEndedHasEnded) {
  const auto nlp = tagged("nlp");
  const WeekReport report = week(
      Ran{.name = "a", .status = "InProgress", .team = nlp, .ended_before = hours(0)},
      Ran{.name = "b", .status = "InProgress", .team = nlp, .ended_before = hours(0)},
      Ran{.name = "c", .status = "InProgress", .team = tagged("old"), .ended_before = hours(0)},
      Ran{.name = "a", .status = "Failed", .team = nlp, .ended_before = minutes(1)},
      Ran{.name = "c", .team = nlp, .ended_before = minutes(1)});
  EXPECT_EQ(report.all.ended.jobs, 2U);
  EXPECT_EQ(report.all.running.jobs, 1U);
  EXPECT_DOUBLE_EQ(report.all.ended.usd(), 40);
  EXPECT_DOUBLE_EQ(report.all.running.usd(), 20);
  ASSERT_EQ(report.teams.size(), 1U) << "a team that has no job";
  EXPECT_EQ(report.teams[0].sum.ended.jobs, 2U);
  EXPECT_EQ(report.teams[0].sum.running.jobs, 1U);
}

TEST(WeekTotals, S2_AJobThatIsListedAsRunningAndEndedAfterTheWeekIsOneThatRan) {
  const WeekReport report = week(Ran{.status = "InProgress", .ended_before = hours(0)},
                                 Ran{.status = "Failed", .ended_before = -minutes(1)});
  EXPECT_EQ(report.all.ended.jobs, 0U);
  EXPECT_EQ(report.all.running.jobs, 1U);
  EXPECT_DOUBLE_EQ(report.all.running.usd(), 20);
}

TEST(WeekTotals, S2_AJobThatBeganAfterTheWeekIsNotInIt) {
  const WeekReport report =
      week(Ran{.status = "InProgress", .ended_before = -hours(2), .trained = hours(1)});
  EXPECT_TRUE(report.all.is_empty());
}

TEST(WeekTotals, S2_TeamsAreThoseOfTheTagTheDearestFirst) {
  const WeekReport report = week(
      Ran{.name = "a", .team = tagged("vision")}, Ran{.name = "b", .team = tagged("nlp", "Team")},
      Ran{.name = "c", .status = "Failed", .team = tagged("nlp", "TEAM")},
      Ran{.name = "d", .team = tagged("vision", "teams")}, Ran{.name = "e", .team = tagged("  ")},
      Ran{.name = "f"});
  ASSERT_EQ(report.teams.size(), 2U);
  EXPECT_EQ(report.teams[0].team, "nlp");
  EXPECT_DOUBLE_EQ(report.teams[0].sum.ended.usd(), 40);
  EXPECT_DOUBLE_EQ(report.teams[0].sum.wasted().usd(), 20);
  EXPECT_EQ(report.teams[1].team, "vision");
  EXPECT_EQ(report.teams[1].sum.ended.jobs, 1U);
  EXPECT_EQ(report.no_team.ended.jobs, 3U);
  EXPECT_EQ(report.all.ended.jobs, 6U);
}

TEST(WeekTotals, S2_TeamsAddUpToTheWhole) {
  WeekTotals totals(kPrices, kUntil);
  for (int i = 0; i < 300; ++i)
    add(totals, {.name = fmt::format("job-{}", i),
                 .status = i % 7 == 0   ? "InProgress"
                           : i % 3 == 0 ? "Failed"
                                        : "Completed",
                 .team = i % 5 == 0 ? "" : tagged(fmt::format("team-{}", i % 11)),
                 .ended_before = i % 7 == 0 ? seconds(0) : seconds(hours(i)),
                 .type = i % 13 == 0 ? "ml.unknown" : "ml.g5.xlarge"});
  const WeekReport report = totals.take();
  WeekSum sum = report.no_team;
  for (const TeamWeek& team : report.teams) sum.add(team.sum);
  EXPECT_EQ(sum.ended.jobs, report.all.ended.jobs);
  EXPECT_EQ(sum.ended.without_price, report.all.ended.without_price);
  EXPECT_EQ(sum.running.jobs, report.all.running.jobs);
  EXPECT_EQ(sum.wasted().jobs, report.all.wasted().jobs);
  EXPECT_NEAR(sum.ended.usd(), report.all.ended.usd(), 1e-6);
  EXPECT_NEAR(sum.running.usd(), report.all.running.usd(), 1e-6);
  EXPECT_NEAR(sum.machine_hours, report.all.machine_hours, 1e-6);
}

}  // namespace
}  // namespace trainwarden::rules::week_totals_test
