// The product's own evaluation of an alarm, for backtests, against the embedded AWS's: two that
// were written apart, over thousands of made-up series (issue 17, 3).
#include "handlers/rules/backtest/alarm_evaluation.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/localaws/cloudwatch/alarm_evaluator.h"

namespace trainwarden::localaws::alarm_evaluation_test {
namespace {

using rules::AlarmLight;
using rules::AlarmTerms;
using rules::Watch;

AlarmState state_of(AlarmLight light) {
  if (light == AlarmLight::kAlarm) return AlarmState::kAlarm;
  return light == AlarmLight::kOk ? AlarmState::kOk : AlarmState::kInsufficientData;
}

MissingData missing_of(Watch::Missing missing) {
  switch (missing) {
    case Watch::Missing::kBreaching:
      return MissingData::kBreaching;
    case Watch::Missing::kNotBreaching:
      return MissingData::kNotBreaching;
    case Watch::Missing::kIgnore:
      return MissingData::kIgnore;
    case Watch::Missing::kMissing:
      break;
  }
  return MissingData::kMissing;
}

Comparison comparison_of(Watch::Comparison comparison) {
  switch (comparison) {
    case Watch::Comparison::kAtMost:
      return Comparison::kLessOrEqual;
    case Watch::Comparison::kBelow:
      return Comparison::kLess;
    case Watch::Comparison::kAtLeast:
      return Comparison::kGreaterOrEqual;
    case Watch::Comparison::kAbove:
      break;
  }
  return Comparison::kGreater;
}

TEST(AlarmEvaluation, AgreesWithTheEmbeddedAws) {
  std::mt19937 dice(17);
  const auto below = [&](int limit) {
    return static_cast<int>(dice() % static_cast<unsigned>(limit));
  };
  int alarms = 0;
  for (int round = 0; round < 20'000; ++round) {
    AlarmTerms terms{};
    terms.periods = static_cast<std::size_t>(1 + below(8));
    terms.datapoints = 1 + static_cast<std::size_t>(below(static_cast<int>(terms.periods)));
    terms.threshold = 5;
    terms.comparison = static_cast<Watch::Comparison>(below(4));
    terms.missing = static_cast<Watch::Missing>(below(4));
    const int gaps = below(5);
    std::vector<std::optional<double>> range;
    for (std::size_t i = 0; i < terms.periods + rules::kPeriodsBefore; ++i)
      range.push_back(below(5) < gaps ? std::nullopt : std::optional<double>(4 + below(3)));
    const auto before = static_cast<AlarmLight>(below(3));
    std::vector<Datapoint> newest_first;
    for (auto value = range.rbegin(); value != range.rend(); ++value)
      newest_first.push_back({sys_millis(), *value});
    const AlarmRule rule{static_cast<int>(terms.periods), static_cast<int>(terms.datapoints),
                         terms.threshold, comparison_of(terms.comparison),
                         missing_of(terms.missing)};
    const auto theirs = evaluate_alarm(rule, newest_first, state_of(before));
    const AlarmLight ours = rules::evaluate_alarm(terms, range, before);
    ASSERT_EQ(name(state_of(ours)), name(theirs ? theirs->state : state_of(before)))
        << "round " << round << ", " << terms.datapoints << " of " << terms.periods;
    alarms += ours == AlarmLight::kAlarm ? 1 : 0;
  }
  EXPECT_GT(alarms, 1000);
  EXPECT_LT(alarms, 19'000);
}

}  // namespace
}  // namespace trainwarden::localaws::alarm_evaluation_test
