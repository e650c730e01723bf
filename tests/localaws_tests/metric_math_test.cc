#include "tests/localaws/cloudwatch/metric_math.h"

#include <gtest/gtest.h>

#include <string>

namespace trainwarden::localaws::metric_math_test {
namespace {

sys_millis minute(int n) { return sys_millis(std::chrono::minutes(n)); }

// The rules are those of "Metric math syntax and functions": missing values of operators and of AVG
// are 0, division by zero drops the datapoint, a function of one series is a number, and the result
// is a series.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html m1: 8 and 2
// in the minutes 1 and 2; m2: 4, 6 and 10 in 1, 2 and 3; none: nothing.
MathInput input() {
  MathInput out;
  out.series["m1"] = {{minute(1), 8}, {minute(2), 2}};
  out.series["m2"] = {{minute(1), 4}, {minute(2), 6}, {minute(3), 10}};
  out.series["none"] = {};
  out.metrics = {"m1", "m2", "none"};
  out.times = {minute(1), minute(2), minute(3)};
  return out;
}

TEST(MetricMathTest, ComputesByHandWorkedValues) {
  struct Case {
    std::string_view expression;
    Series expected;
  };
  const Case cases[] = {
      {"m1", {{minute(1), 8}, {minute(2), 2}}},
      {"MAX(METRICS())", {{minute(1), 8}, {minute(2), 6}, {minute(3), 10}}},
      {"MIN([m1,m2])", {{minute(1), 4}, {minute(2), 2}, {minute(3), 10}}},
      {"MAX([m1, m2])/4", {{minute(1), 2}, {minute(2), 1.5}, {minute(3), 2.5}}},
      {"AVG([m1,m2])", {{minute(1), 6}, {minute(2), 4}, {minute(3), 5}}},  // (0 + 10) / 2
      {"SUM(METRICS())", {{minute(1), 12}, {minute(2), 8}, {minute(3), 10}}},
      {"m1/m2", {{minute(1), 2}, {minute(2), 2.0 / 6}, {minute(3), 0}}},  // 0 / 10
      {"m2/m1", {{minute(1), 0.5}, {minute(2), 3}}},                      // 10 / 0 is dropped
      {"m1-m2*2", {{minute(1), 0}, {minute(2), -10}, {minute(3), -20}}},
      {"SUM(100/[m1, m2])", {{minute(1), 37.5}, {minute(2), 50 + 100.0 / 6}, {minute(3), 10}}},
      {"AVG([m1,m2]/m2)", {{minute(1), 1.5}, {minute(2), (2.0 / 6 + 1) / 2}, {minute(3), 0.5}}},
      {"MAX(METRICS()*2)", {{minute(1), 16}, {minute(2), 12}, {minute(3), 20}}},
      {"SUM(-[m1, m2])", {{minute(1), -12}, {minute(2), -8}, {minute(3), -10}}},
      {"-(m1 + 1)", {{minute(1), -9}, {minute(2), -3}}},
      {"100/(m2-4)", {{minute(2), 50}, {minute(3), 100.0 / 6}}},
      {"FILL(m1,0)", {{minute(1), 8}, {minute(2), 2}, {minute(3), 0}}},
      {"ABS(-m1)", {{minute(1), 8}, {minute(2), 2}}},
      {"FLOOR(m2/4)", {{minute(1), 1}, {minute(2), 1}, {minute(3), 2}}},
      {"m2-MIN(m2)", {{minute(1), 0}, {minute(2), 2}, {minute(3), 6}}},
      {"MAX(m2)-m2", {{minute(1), 6}, {minute(2), 4}, {minute(3), 0}}},
      {"none", {}},
      {"none+m1", {{minute(1), 8}, {minute(2), 2}}},
      {"none+none", {}},
      {"none+1", {}},
      {"MAX([none,none])", {}},
  };
  for (const Case& tested : cases) {
    const auto found = evaluate_math(tested.expression, input());
    ASSERT_TRUE(found) << tested.expression << ": " << found.error().message;
    EXPECT_EQ(*found, tested.expected) << tested.expression;
  }
}

TEST(MetricMathTest, SaysWhatIsWrong) {
  struct Case {
    std::string_view expression;
    std::string_view message;
  };
  for (const Case& tested :
       {Case{"", "ends too early"}, Case{"m1/", "ends too early"}, Case{"m1 m2", "unexpected `m2`"},
        Case{"m3", "unknown id `m3`"}, Case{"MOST(m1)", "unknown function `MOST`"},
        Case{"Max", "expected an id or a function"}, Case{"MAX(m1", "expected `)`"},
        Case{"[m1,m2]", "more than one series"}, Case{"METRICS()/2", "more than one series"},
        Case{"MAX(m2)", "a number, not a series"}, Case{"7", "a number, not a series"},
        Case{"[m1]/[m2]", "not for two arrays"}, Case{"[1]", "holds series"},
        Case{"FILL(m1)", "FILL takes"}, Case{"m1?", "unexpected `?`"}}) {
    const auto found = evaluate_math(tested.expression, input());
    ASSERT_FALSE(found) << tested.expression;
    EXPECT_NE(found.error().message.find(tested.message), std::string::npos)
        << tested.expression << ": " << found.error().message;
  }
  EXPECT_FALSE(evaluate_math(std::string(10'000, '('), input()));
}

TEST(MetricMathTest, FillsEachPeriod) {
  MathInput filled = input();
  filled.times = {minute(0), minute(1), minute(2), minute(3)};
  EXPECT_EQ(*evaluate_math("FILL(m1,7)", filled),
            (Series{{minute(0), 7}, {minute(1), 8}, {minute(2), 2}, {minute(3), 7}}));
  EXPECT_EQ(*evaluate_math("FILL(none,0)", filled),
            (Series{{minute(0), 0}, {minute(1), 0}, {minute(2), 0}, {minute(3), 0}}));
}

TEST(MetricMathTest, WhatIsNoSeriesIsKnownWithoutData) {
  EXPECT_FALSE(ids_in("MAX(m1)/4"));
  EXPECT_FALSE(ids_in("METRICS()/4"));
  EXPECT_TRUE(ids_in("m1/MAX(m1)"));
  EXPECT_TRUE(ids_in("MAX([m1])"));
}

TEST(MetricMathTest, NamesTheIdsOfAnExpression) {
  EXPECT_EQ(*ids_in("MAX([m1,m2])/m1"), (std::vector<std::string>{"m1", "m2", "m1"}));
  EXPECT_TRUE(ids_in("MAX(METRICS())/4")->empty());
}

}  // namespace
}  // namespace trainwarden::localaws::metric_math_test
