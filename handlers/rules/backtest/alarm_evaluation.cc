#include "handlers/rules/backtest/alarm_evaluation.h"

#include <algorithm>

namespace trainwarden::rules {
namespace {

struct Counted {
  std::size_t there = 0;  // periods with a datapoint
  std::size_t breaching = 0;
  std::size_t oldest_breach = 0;  // its age in periods; 1 is the newest
};

// most: so many datapoints, the newest.
Counted count_newest(const AlarmTerms& terms, std::span<const std::optional<double>> range,
                     std::size_t most) {
  Counted out;
  for (std::size_t age = 1; age <= range.size() && out.there < most; ++age) {
    const auto& value = range[range.size() - age];
    if (!value) continue;
    ++out.there;
    if (!terms.breaches(*value)) continue;
    ++out.breaching;
    out.oldest_breach = age;
  }
  return out;
}

}  // namespace

bool AlarmTerms::breaches(double value) const {
  switch (comparison) {
    case Watch::Comparison::kAtMost:
      return value <= threshold;
    case Watch::Comparison::kBelow:
      return value < threshold;
    case Watch::Comparison::kAtLeast:
      return value >= threshold;
    case Watch::Comparison::kAbove:
      return value > threshold;
  }
  return false;
}

AlarmLight evaluate_alarm(const AlarmTerms& terms, std::span<const std::optional<double>> range,
                          AlarmLight before) {
  const std::size_t looked_at = terms.periods + kPeriodsBefore;
  if (range.size() > looked_at) range = range.last(looked_at);
  const Counted found = count_newest(terms, range, terms.periods);
  const auto by = [&](std::size_t breaching) {
    return breaching >= terms.datapoints ? AlarmLight::kAlarm : AlarmLight::kOk;
  };
  const std::size_t gaps = terms.periods - found.there;
  if (gaps == 0) return by(found.breaching);
  const bool only_breaches = found.breaching == found.there;
  switch (terms.missing) {
    case Watch::Missing::kBreaching:
      return by(found.breaching + gaps);
    case Watch::Missing::kNotBreaching:
      return by(found.breaching);
    case Watch::Missing::kIgnore:
      return only_breaches && found.breaching < terms.datapoints ? before : by(found.breaching);
    case Watch::Missing::kMissing:
      break;
  }
  if (!only_breaches || found.breaching >= terms.datapoints) return by(found.breaching);
  // Nothing but breaches, too few of them: where the oldest is as old as the alarm asks for,
  // waiting for more would change nothing.
  return found.there > 0 && found.oldest_breach >= terms.datapoints ? AlarmLight::kAlarm
                                                                    : AlarmLight::kInsufficientData;
}

}  // namespace trainwarden::rules
