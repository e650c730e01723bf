// What a job itself did in its first six hours (policy.md W6).
#include "handlers/rules/alarms/job_past.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/handlers/rules/alarms/confirmation_support.h"
#include "tests/handlers/rules/alarms/past_support.h"

namespace trainwarden::rules::job_past_test {
namespace {

using confirmation::at;
using past_support::slower;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr sys_seconds kFirst{seconds(1'783'000'500)};  // a multiple of 300
constexpr sys_seconds kKnown = kFirst + hours(6) + minutes(10);
constexpr int kPeriods = 72;

using Values = std::vector<double>;

// The n-th value is that of the n-th period; one that is not a number has no datapoint.
std::vector<Datapoint> series(const Values& values, seconds period = seconds(300)) {
  std::vector<Datapoint> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) out.push_back({kFirst + period * static_cast<long>(i), values[i]});
  return out;
}

double median(const Values& values, const Watch& watch = slower()) {
  const auto past = past_of(watch, series(values, seconds(watch.period_seconds)), kKnown);
  EXPECT_TRUE(past) << text(past.error());
  return past ? past->median : -1;
}

std::string none(const std::vector<Datapoint>& datapoints, sys_seconds now = kKnown) {
  const auto past = past_of(slower(), datapoints, now);
  return past ? "" : text(past.error());
}

TEST(JobPast, W6_TheMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle) {
  Values values(kPeriods, 100);
  EXPECT_EQ(median(values), 100);
  for (int i = 0; i < kPeriods / 2; ++i) values[static_cast<std::size_t>(2 * i)] = 50;
  EXPECT_EQ(median(values), 75);
  EXPECT_EQ(median({1, 6, 2, 5, 3, 4}, slower(3600)), 3.5);
}

TEST(JobPast, W6_TheMedianOfAnOddNumberIsTheOneInTheMiddle) {
  Values values(kPeriods - 1, 100);
  for (int i = 0; i < kPeriods / 2; ++i) values[static_cast<std::size_t>(i)] = 40;
  EXPECT_EQ(median(values), 40) << "36 of 71";
  EXPECT_EQ(median({9, 1, 5, 7, 3}, slower(3600)), 5);
}

// What is far off in few periods moves nothing: a median, no mean.
TEST(JobPast, W6_AFewOddPeriodsAreNothing) {
  Values values(kPeriods, 100);
  for (std::size_t i = 0; i < 30; ++i) values[i] = 0;
  EXPECT_EQ(median(values), 100);
}

TEST(JobPast, W6_OnlyTheFirstSixHoursCount) {
  Values values(kPeriods, 100);
  values.resize(20 * kPeriods, 7);
  EXPECT_EQ(median(values), 100);
  // In no matter what order.
  auto datapoints = series(values);
  std::ranges::reverse(datapoints);
  EXPECT_EQ(past_of(slower(), datapoints, kKnown + hours(200))->median, 100);
}

TEST(JobPast, W6_GapsAreNoValues) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  Values values(kPeriods, 100);
  for (std::size_t i = 1; i <= kPeriods / 2; ++i) values[i] = gap;
  EXPECT_EQ(median(values), 100) << "36 of 72";
  values[kPeriods - 1] = gap;
  EXPECT_EQ(none(series(values)),
            "train:samples_per_second had 35 datapoints in the job's first six hours, and a "
            "comparison needs 36");
}

TEST(JobPast, W6_WhatIsNoNumberIsNoDatapoint) {
  std::vector<Datapoint> datapoints = series(Values(kPeriods, 100));
  for (std::size_t i = 0; i < 30; ++i)
    datapoints[i].value = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : std::numeric_limits<double>::infinity();
  // The first datapoint is the 31st period's now, and the six hours begin with it.
  EXPECT_NE(none(datapoints).find("not known before"), std::string::npos);
  EXPECT_EQ(past_of(slower(), datapoints, kKnown + minutes(150))->median, 100);
}

TEST(JobPast, W6_AMedianOfNothingOrLessIsNoPast) {
  for (const double value : {0.0, -0.0, -5.0})
    EXPECT_EQ(none(series(Values(kPeriods, value))),
              "the median of train:samples_per_second in the job's first six hours is not above 0");
  Values values(kPeriods, 0);
  for (std::size_t i = 0; i < kPeriods / 2; ++i) values[i] = 10;
  EXPECT_EQ(median(values), 5);
}

TEST(JobPast, W6_ItIsKnownTenMinutesAfterTheSixHours) {
  const auto datapoints = series(Values(kPeriods, 100));
  EXPECT_EQ(none(datapoints, kKnown - seconds(1)),
            "what train:samples_per_second was in the job's first six hours is not known before " +
                rfc3339(kKnown));
  EXPECT_EQ(none(datapoints, kKnown), "");
  EXPECT_EQ(past_of(slower(), datapoints, kKnown)->known_from, kKnown);
  EXPECT_EQ(none({}, kKnown + hours(100)),
            "what train:samples_per_second was in the job's first six hours is not known yet");
}

TEST(JobPast, W6_ThePolicysLongestPeriodHasSixOfThem) {
  EXPECT_EQ(median({4, 4, 4}, slower(3600)), 4);
  EXPECT_FALSE(past_of(slower(3600), series({4, 4}, seconds(3600)), kKnown));
  // Periods that do not divide six hours: 10 whole ones.
  EXPECT_EQ(median({1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 99, 99}, slower(2100)), 2);
}

TEST(JobPast, W6_TheThresholdIsTheShareOfTheMedian) {
  const Watch watch = with_past(slower(), {.median = 200});
  EXPECT_EQ(watch.threshold, 120);
  EXPECT_EQ(watch.median, 200);
  EXPECT_FALSE(needs_past(watch));
}

// A job that trained for less than six hours costs no query.
TEST(JobPast, W6_NothingIsAskedBeforeItCanBeKnown) {
  const auto reason = [](const confirmation::Job& job, minutes later = minutes(0)) {
    const json::Document described = confirmation::describe(job);
    const auto asked = past_request(slower(), "train-1", read_training_job(described.root()),
                                    confirmation::kNow + later);
    return asked ? "" : text(asked.error());
  };
  const confirmation::Job trains{.transitions = {{"Starting", -370}, {"Training", -364}}};
  EXPECT_EQ(reason(trains),
            "what train:samples_per_second was in the job's first six hours is not known before " +
                rfc3339(at(-364) - (at(-364).time_since_epoch() % seconds(300)) + hours(6) +
                        minutes(10)));
  EXPECT_EQ(reason(trains, minutes(10)), "");
  const confirmation::Job never{.transitions = {{"Starting", -900}}};
  EXPECT_NE(reason(never, hours(1000)), "");
}

TEST(JobPast, W6_AllThatItTrainedIsAskedForInTheWatchsPeriods) {
  const json::Document described = confirmation::describe(
      {.created = -2000,
       .transitions = {
           {"Starting", -1990}, {"Training", -1981}, {"Interrupted", -1900}, {"Training", -500}}});
  const auto asked =
      past_request(slower(), "train-1", read_training_job(described.root()), confirmation::kNow);
  ASSERT_TRUE(asked);
  EXPECT_EQ(json::to_text(asked->queries.root()),
            R"([{"Id":"h1","MetricStat":{"Metric":{"Namespace":"/aws/sagemaker/TrainingJobs",)"
            R"("MetricName":"train:samples_per_second","Dimensions":[{"Name":"TrainingJobName",)"
            R"("Value":"train-1"}]},"Period":300,"Stat":"p50"},"ReturnData":true}])");
  for (const sys_seconds edge : {asked->begin, asked->end})
    EXPECT_EQ(edge.time_since_epoch() % seconds(300), seconds(0)) << rfc3339(edge);
  EXPECT_LE(asked->begin, at(-1981));
  EXPECT_GT(asked->begin, at(-1981) - minutes(5));
  EXPECT_GT(asked->end, confirmation::kNow - minutes(5));
}

}  // namespace
}  // namespace trainwarden::rules::job_past_test
