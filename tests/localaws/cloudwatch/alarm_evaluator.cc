#include "tests/localaws/cloudwatch/alarm_evaluator.h"

#include <fmt/core.h>

#include <algorithm>

namespace trainwarden::localaws {
namespace {

std::string_view words(Comparison comparison) {
  switch (comparison) {
    case Comparison::kGreaterOrEqual:
      return "greater than or equal to";
    case Comparison::kGreater:
      return "greater than";
    case Comparison::kLess:
      return "less than";
    case Comparison::kLessOrEqual:
      return "less than or equal to";
  }
  return "";
}

std::string_view plural(long count) { return count == 1 ? "" : "s"; }

// As CloudWatch writes numbers in reasons: always with a fraction.
std::string decimal(double value) {
  std::string out = fmt::format("{}", value);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

// "0.3 (02/07/26 14:05:00)"
std::string shown(const Datapoint& point) {
  const auto day = std::chrono::floor<std::chrono::days>(point.begin);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(point.begin - day));
  return fmt::format("{} ({:02}/{:02}/{:02} {:02}:{:02}:{:02})", decimal(*point.value),
                     unsigned(date.day()), unsigned(date.month()), int(date.year()) % 100,
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string list_of(const std::vector<Datapoint>& points) {
  std::string out;
  for (const Datapoint& point : points) out.append(out.empty() ? "" : ", ").append(shown(point));
  return out;
}

class Evaluation {
 public:
  Evaluation(const AlarmRule& rule, const std::vector<Datapoint>& newest_first, AlarmState before)
      : rule_(rule), before_(before) {
    long age = 0;
    for (const Datapoint& point : newest_first) {
      ++age;
      if (!point.value) continue;
      real_.push_back(point);
      if (!breaches(rule, *point.value)) continue;
      ++breaching_;
      oldest_breach_ = age;
    }
  }

  std::optional<Verdict> decide() {
    const auto wanted = static_cast<std::size_t>(rule_.periods);
    if (real_.size() >= wanted) {
      real_.resize(wanted);
      breaching_ = std::count_if(real_.begin(), real_.end(), [&](const Datapoint& point) {
        return breaches(rule_, *point.value);
      });
      return by_count(breaching_, 0);
    }
    const long filled = rule_.periods - static_cast<long>(real_.size());
    switch (rule_.missing) {
      case MissingData::kBreaching:
        return by_count(breaching_ + filled, filled);
      case MissingData::kNotBreaching:
        return by_count(breaching_, filled);
      case MissingData::kMissing:
        return with_gaps(filled);
      case MissingData::kIgnore:
        if (breaching_ < rule_.datapoints && breaching_ == static_cast<long>(real_.size()))
          return std::nullopt;
        return by_count(breaching_, 0);
    }
    return std::nullopt;
  }

 private:
  // Nothing but breaches: where the oldest of them is M periods old, waiting for more would change
  // nothing, so it is an alarm although there are fewer than M; else it is too early to tell.
  std::optional<Verdict> with_gaps(long filled) {
    const bool only_breaches = breaching_ == static_cast<long>(real_.size());
    if (!only_breaches || breaching_ >= rule_.datapoints) return by_count(breaching_, 0);
    if (!real_.empty() && oldest_breach_ >= rule_.datapoints)
      return verdict(AlarmState::kAlarm, breaching_, 0);
    return Verdict{AlarmState::kInsufficientData,
                   fmt::format("Insufficient Data: {} datapoint{} {} unknown.", filled,
                               plural(filled), filled == 1 ? "was" : "were"),
                   real_};
  }

  Verdict by_count(long breaching, long filled) {
    return verdict(breaching >= rule_.datapoints ? AlarmState::kAlarm : AlarmState::kOk, breaching,
                   filled);
  }

  Verdict verdict(AlarmState state, long breaching, long filled) {
    return {state, reason(state, breaching, filled), real_};
  }

  std::string reason(AlarmState state, long breaching, long filled) const {
    const std::string_view treated =
        rule_.missing == MissingData::kBreaching ? "Breaching" : "NonBreaching";
    const bool alarm = state == AlarmState::kAlarm;
    if (real_.empty())
      return fmt::format(
          "Threshold Crossed: no datapoints were received for {0} period{1} and {0} missing "
          "datapoint{1} {2} treated as [{3}].",
          filled, plural(filled), filled == 1 ? "was" : "were", treated);
    std::vector<Datapoint> shown_points;
    for (const Datapoint& point : real_)
      if (breaches(rule_, *point.value) == alarm) shown_points.push_back(point);
    if (shown_points.empty()) shown_points = real_;
    const long count = alarm ? breaching : rule_.periods - breaching;
    const long least = alarm ? rule_.datapoints : rule_.periods - rule_.datapoints + 1;
    std::string out = fmt::format(
        "Threshold Crossed: {} out of the last {} datapoints [{}] {} {}{} the threshold ({}) "
        "(minimum {} datapoint{} for {} -> {} transition)",
        count, rule_.periods, list_of(shown_points), count == 1 ? "was" : "were",
        alarm ? "" : "not ", words(rule_.comparison), decimal(rule_.threshold), least,
        plural(least),
        before_ == AlarmState::kInsufficientData ? (alarm ? "OK" : "ALARM") : name(before_),
        name(state));
    if (filled > 0)
      out += fmt::format(" and {} missing datapoint{} {} treated as [{}]", filled, plural(filled),
                         filled == 1 ? "was" : "were", treated);
    return out + ".";
  }

  const AlarmRule& rule_;
  AlarmState before_;
  std::vector<Datapoint> real_;
  long breaching_ = 0;
  long oldest_breach_ = 0;  // 1: in the newest period
};

}  // namespace

std::string_view name(AlarmState state) {
  switch (state) {
    case AlarmState::kOk:
      return "OK";
    case AlarmState::kAlarm:
      return "ALARM";
    case AlarmState::kInsufficientData:
      return "INSUFFICIENT_DATA";
  }
  return "";
}

bool breaches(const AlarmRule& rule, double value) {
  switch (rule.comparison) {
    case Comparison::kGreaterOrEqual:
      return value >= rule.threshold;
    case Comparison::kGreater:
      return value > rule.threshold;
    case Comparison::kLess:
      return value < rule.threshold;
    case Comparison::kLessOrEqual:
      return value <= rule.threshold;
  }
  return false;
}

std::optional<Verdict> evaluate_alarm(const AlarmRule& rule,
                                      const std::vector<Datapoint>& newest_first,
                                      AlarmState before) {
  return Evaluation(rule, newest_first, before).decide();
}

}  // namespace trainwarden::localaws
