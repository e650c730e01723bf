#include "handlers/rules/backtest/totals.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/report/made_up.h"

namespace trainwarden::rules::totals_test {
namespace {

using made_up::JobStatus;
using std::chrono::hours;

double whole(const Split& split) { return std::accumulate(split.begin(), split.end(), 0.0); }
double part(const Split& split, Spending spending) {
  return split[static_cast<std::size_t>(spending)];
}

JobFinding hundred_dollars(JobStatus status) {
  return made_up::job("run", status, hours(100), hours(10), 10);
}

struct Case {
  JobStatus status;
  StopVerdict verdict;
  bool restarts;
  Spending what;  // the part that the stop decides on
  double usd;
  Spending rest;
};

TEST(Totals, AStopDecidesOnThePartThatItsVerdictIsAbout) {
  // Each stop comes when 30 of 100 dollars are paid.
  const Case cases[] = {
      {JobStatus::kFailed, StopVerdict::kRight, false, Spending::kKept, 70, Spending::kFailed},
      {JobStatus::kStopped, StopVerdict::kRight, false, Spending::kKept, 70, Spending::kStopped},
      {JobStatus::kCompleted, StopVerdict::kWrong, false, Spending::kDestroyed, 30,
       Spending::kCompleted},
      {JobStatus::kFailed, StopVerdict::kWrong, false, Spending::kDestroyed, 30, Spending::kFailed},
      {JobStatus::kCompleted, StopVerdict::kRule, false, Spending::kOther, 70,
       Spending::kCompleted},
      {JobStatus::kStopped, StopVerdict::kUnknown, false, Spending::kOther, 70, Spending::kStopped},
      {JobStatus::kFailed, StopVerdict::kRight, true, Spending::kOther, 70, Spending::kFailed},
      {JobStatus::kCompleted, StopVerdict::kWrong, true, Spending::kOther, 70,
       Spending::kCompleted},
      {JobStatus::kInProgress, StopVerdict::kUnknown, false, Spending::kOther, 70,
       Spending::kNotOver}};
  for (const Case& one : cases) {
    JobFinding job = hundred_dollars(one.status);
    job.stop = made_up::stop(job, 0, 0.3, one.verdict, StopGround::kNotTold);
    job.stop->restarts = one.restarts;
    const Split split = split_of(job);
    EXPECT_DOUBLE_EQ(part(split, one.what), one.usd) << name(one.what);
    EXPECT_DOUBLE_EQ(part(split, one.rest), 100 - one.usd) << name(one.rest);
    EXPECT_DOUBLE_EQ(whole(split), 100);
  }
}

TEST(Totals, WithoutAStopCostsCountByHowTheJobEnded) {
  EXPECT_DOUBLE_EQ(part(split_of(hundred_dollars(JobStatus::kCompleted)), Spending::kCompleted),
                   100);
  EXPECT_DOUBLE_EQ(part(split_of(hundred_dollars(JobStatus::kFailed)), Spending::kFailed), 100);
  EXPECT_DOUBLE_EQ(part(split_of(hundred_dollars(JobStatus::kStopped)), Spending::kStopped), 100);
  EXPECT_DOUBLE_EQ(part(split_of(hundred_dollars(JobStatus::kInProgress)), Spending::kNotOver),
                   100);
  EXPECT_DOUBLE_EQ(part(split_of(hundred_dollars(JobStatus::kUnknown)), Spending::kNotOver), 100);
}

TEST(Totals, AJobWithoutAPriceIsCountedAndAddsNothing) {
  Findings findings = made_up::findings();
  JobFinding job = hundred_dollars(JobStatus::kFailed);
  job.usd.reset();
  job.stop = made_up::stop(job, 0, 0.3, StopVerdict::kRight, StopGround::kReachedLimit);
  findings.jobs = {job};
  const Totals totals = totals_of(findings);
  EXPECT_EQ(totals.all.jobs, 1U);
  EXPECT_EQ(totals.all.without_price, 1U);
  EXPECT_EQ(totals.all.usd(), 0);
  EXPECT_EQ(totals.of(StopVerdict::kRight).stops, 1U);
  EXPECT_EQ(totals.of(StopVerdict::kRight).without_price, 1U);
  EXPECT_TRUE(totals.costliest.empty());
}

TEST(Totals, EveryGroupingAddsUpToTheWhole) {
  const Findings findings = made_up::fleet();
  const Totals totals = totals_of(findings);
  double paid = 0;
  for (const JobFinding& job : findings.jobs) paid += job.usd.value_or(0);
  ASSERT_GT(paid, 0);
  EXPECT_NEAR(totals.all.usd(), paid, 0.001);
  const auto sum_of = [](const auto& groups) {
    std::pair<double, std::size_t> sum;
    for (const auto& group : groups) {
      sum.first += group.sum.usd();
      sum.second += group.sum.jobs;
    }
    return sum;
  };
  const auto expect_whole = [&](std::pair<double, std::size_t> sum) {
    EXPECT_NEAR(sum.first, paid, 0.001);
    EXPECT_EQ(sum.second, findings.jobs.size());
  };
  expect_whole(sum_of(totals.teams));
  expect_whole(sum_of(totals.weeks));
  ASSERT_FALSE(totals.tags.empty());
  for (const TagTotal& tag : totals.tags) expect_whole(sum_of(tag.values));
  double kept = 0;
  double destroyed = 0;
  std::size_t stops = 0;
  for (const RuleTotal& rule : totals.rules) {
    kept += rule.of(StopVerdict::kRight).after_usd;
    destroyed += rule.of(StopVerdict::kWrong).before_usd;
    for (const StopSum& one : rule.verdict) stops += one.stops;
  }
  EXPECT_NEAR(totals.kept_usd(), kept, 0.001);
  EXPECT_NEAR(totals.destroyed_usd(), destroyed, 0.001);
  EXPECT_EQ(totals.stops(), stops);
  EXPECT_GT(kept, 0);
  EXPECT_GT(destroyed, 0);
}

TEST(Totals, WeeksBeginOnMondaysAndNoneIsLeftOut) {
  Findings findings = made_up::findings();
  findings.jobs = {made_up::job("a", JobStatus::kCompleted, hours(24 * 20), hours(1), 10),
                   made_up::job("b", JobStatus::kCompleted, hours(1), hours(1), 10)};
  const Totals totals = totals_of(findings);
  ASSERT_EQ(totals.weeks.size(), 3U);  // of 2, 9 and 16 November 2026
  for (const SpanTotal& week : totals.weeks)
    EXPECT_EQ(std::chrono::weekday(week.begin), std::chrono::Monday);
  EXPECT_EQ(totals.weeks[0].sum.jobs, 1U);
  EXPECT_EQ(totals.weeks[1].sum.jobs, 0U);
  EXPECT_EQ(totals.weeks[2].sum.jobs, 1U);
}

TEST(Totals, WrongStopsAreLookedAtBeforeUnknownOnesAndOthersNever) {
  Findings findings = made_up::findings();
  const auto add = [&](double usd_per_hour, StopVerdict verdict) {
    JobFinding job = made_up::job("j", JobStatus::kFailed, hours(50), hours(10), usd_per_hour);
    job.stop = made_up::stop(job, 0, 0.5, verdict, StopGround::kNotTold);
    findings.jobs.push_back(job);
  };
  add(90, StopVerdict::kUnknown);
  add(10, StopVerdict::kWrong);
  add(99, StopVerdict::kRight);
  add(20, StopVerdict::kWrong);
  add(99, StopVerdict::kRule);
  add(95, StopVerdict::kUnknown);
  EXPECT_EQ(totals_of(findings).look_at, (std::vector<std::size_t>{3, 1, 5, 0}));
}

TEST(Totals, ATagThatEveryJobHasAnotherValueOfMakesNoTotals) {
  Findings findings = made_up::findings(false);
  for (int i = 0; i < 40; ++i) {
    findings.jobs.push_back(
        made_up::job(fmt::format("j{}", i), JobStatus::kCompleted, hours(50), hours(1), 1));
    findings.jobs.back().tags = {{"run", fmt::format("{}", i)}, {"project", i < 30 ? "a" : "b"}};
  }
  const Totals totals = totals_of(findings);
  ASSERT_EQ(totals.tags.size(), 1U);
  EXPECT_EQ(totals.tags[0].key, "project");
  EXPECT_EQ(totals.tags[0].values[0].name, "a");
}

TEST(Totals, OfManyKeysThoseThatMostJobsHaveAreSummed) {
  Findings findings = made_up::findings(false);
  for (int i = 0; i < 60; ++i) {
    findings.jobs.push_back(
        made_up::job(fmt::format("j{}", i), JobStatus::kCompleted, hours(50), hours(1), 1));
    findings.jobs.back().tags = {{fmt::format("own-{}", i), "x"}, {"zone", i < 30 ? "a" : "b"}};
  }
  const Totals totals = totals_of(findings);
  EXPECT_EQ(totals.tags.size(), 20U);
  EXPECT_EQ(totals.tags.back().key, "zone");
}

TEST(Totals, AJobWhoseCreationIsNotToldMakesNoWeeksOfItsOwn) {
  Findings findings = made_up::findings();
  findings.jobs = {hundred_dollars(JobStatus::kCompleted), hundred_dollars(JobStatus::kCompleted)};
  findings.jobs[0].created = {};
  const Totals totals = totals_of(findings);
  EXPECT_LE(totals.weeks.size(), 14U);
  EXPECT_EQ(totals.weeks.front().sum.jobs, 1U);
}

TEST(Totals, FailuresAreThoseOfFailedJobsOnly) {
  Findings findings = made_up::findings(false);
  findings.jobs = {hundred_dollars(JobStatus::kFailed), hundred_dollars(JobStatus::kFailed),
                   hundred_dollars(JobStatus::kStopped)};
  findings.jobs[2].failure = Verdict{FailureLabel::kHardware, RunAgain::kOnce};
  findings.jobs[0].failure = Verdict{FailureLabel::kHardware, RunAgain::kYes};
  const Totals totals = totals_of(findings);
  ASSERT_EQ(totals.failures.size(), 2U);
  EXPECT_EQ(totals.failures[0].sum.jobs + totals.failures[1].sum.jobs, 2U);
}

TEST(Totals, OfNoJobsAllIsNothing) {
  const Totals totals = totals_of(made_up::findings());
  EXPECT_EQ(totals.all.jobs, 0U);
  EXPECT_TRUE(totals.weeks.empty());
  EXPECT_EQ(totals.rules.size(), 4U);
}

}  // namespace
}  // namespace trainwarden::rules::totals_test
