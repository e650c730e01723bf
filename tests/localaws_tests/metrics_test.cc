#include "tests/localaws/cloudwatch/metrics.h"

#include <gtest/gtest.h>

namespace trainwarden::localaws::metrics_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const MetricKey kKey{"N", "m", {}};
const Span kSpan{sys_millis(minutes(0)), sys_millis(minutes(10)), seconds(300)};

Sample one(double value) { return {value, 1, value, value, value, "None"}; }

MetricStore store(std::initializer_list<Sample> samples) {
  MetricStore out;
  int at = 0;
  for (const Sample& sample : samples) out.add(kKey, sys_millis(seconds(20 * at++)), sample);
  return out;
}

TEST(MetricsTest, StatisticsOfAPeriod) {
  const MetricStore values = store({one(40), one(10), one(30), one(20)});
  struct Case {
    std::string_view statistic;
    double expected;
  };
  for (const Case& tested :
       {Case{"SampleCount", 4}, Case{"Sum", 100}, Case{"Average", 25}, Case{"Minimum", 10},
        Case{"Maximum", 40}, Case{"p0", 10}, Case{"p50", 25}, Case{"p100", 40}, Case{"p90", 37}})
    EXPECT_EQ(values.series(kKey, tested.statistic, "", kSpan),
              (Series{{sys_millis(minutes(0)), tested.expected}}))
        << tested.statistic;
}

// "Percentile statistics are not available" of statistic sets, unless of one sample or of equal
// ones, nor of negative values.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html#Percentiles
TEST(MetricsTest, WherePercentilesAreNotAvailableThereIsNone) {
  const Sample set{.value = 5, .count = 2, .sum = 10, .minimum = 1, .maximum = 9, .unit = "None"};
  const Sample equal{.value = 5, .count = 2, .sum = 10, .minimum = 5, .maximum = 5, .unit = "None"};
  EXPECT_TRUE(store({one(1), set}).series(kKey, "p90", "", kSpan).empty());
  EXPECT_TRUE(store({one(1), one(-1)}).series(kKey, "p90", "", kSpan).empty());
  EXPECT_EQ(store({equal}).series(kKey, "p90", "", kSpan).size(), 1U);
  EXPECT_EQ(store({one(1), set}).series(kKey, "Maximum", "", kSpan).size(), 1U);
}

TEST(MetricsTest, WhatIsNoStatisticIsNotKnown) {
  for (const std::string_view wrong : {"p", "p101", "p-1", "P90", "p90x", "maximum", "tm90", ""})
    EXPECT_FALSE(known_statistic(wrong)) << wrong;
  for (const std::string_view good : {"p0", "p99.9", "p100", "Average", "SampleCount"})
    EXPECT_TRUE(known_statistic(good)) << good;
}

}  // namespace
}  // namespace trainwarden::localaws::metrics_test
