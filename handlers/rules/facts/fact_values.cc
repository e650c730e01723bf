#include "handlers/rules/facts/fact_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::rules {
namespace {

constexpr double kAnyNumber = std::numeric_limits<double>::infinity();

// How numbers of a fact lie between the least and the most.
enum class Numbers : std::uint8_t { kAll, kWhole, kDays };

struct ValueRow {
  Group group;
  std::string_view path;
  double least;
  double most;
  Numbers numbers;
};

constexpr double kFirstDay = 19700101;
constexpr double kLastDay = 99991231;

constexpr std::array kNumbersOfFacts = {
    ValueRow{Group::kTime, "hour", 0, 23, Numbers::kWhole},
    ValueRow{Group::kTime, "date", kFirstDay, kLastDay, Numbers::kDays},
    ValueRow{Group::kMachines, "instance_count", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kGpus, "gpus_per_instance", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kGpus, "gpus", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kRuntime, "queued_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kRuntime, "training_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kRuntime, "elapsed_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kRuntime, "remaining_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kRuntime, "stopping_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kSpot, "interruptions", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kSpot, "interruptions_6h", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kSpot, "interruptions_24h", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kSpot, "window_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kSpot, "training_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kSpot, "active_fraction", 0, 1, Numbers::kAll},
    ValueRow{Group::kSpot, "saved_fraction", 0, 1, Numbers::kAll},
    ValueRow{Group::kCost, "usd_per_hour", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kCost, "spent_usd", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kCost, "max_usd", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kWarmPool, "idle_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kWarmPool, "remaining_seconds", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kPoolCost, "remaining_usd", 0, kAnyNumber, Numbers::kAll},
    ValueRow{Group::kLineage, "generation", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kFleet, "spot_timeouts_24h", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kFleet, "spot_interruptions_24h", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kFleet, "capacity_errors_24h", 0, kAnyNumber, Numbers::kWhole},
    ValueRow{Group::kCheckpoint, "age_seconds", 0, kAnyNumber, Numbers::kAll},
};

// "`time.hour` is a whole number from 0 to 23"
std::string nature_of(const ValueRow& row) {
  const std::string fact = fmt::format("`{}.{}` is", name(row.group), row.path);
  if (row.numbers == Numbers::kDays) return fact + " a day as a number, YYYYMMDD";
  const std::string_view number = row.numbers == Numbers::kWhole ? "whole number" : "number";
  return row.most == kAnyNumber
             ? fmt::format("{} a {} of {} or more", fact, number, row.least)
             : fmt::format("{} a {} from {} to {}", fact, number, row.least, row.most);
}

bool is_day(double number) {
  constexpr int kMonths = 100;
  constexpr int kYears = 10000;
  if (!(number >= kFirstDay && number <= kLastDay) || number != std::floor(number)) return false;
  const int date = static_cast<int>(number);
  const std::chrono::year_month_day day{
      std::chrono::year(date / kYears),
      std::chrono::month(static_cast<unsigned>(date / kMonths % kMonths)),
      std::chrono::day(static_cast<unsigned>(date % kMonths))};
  return day.ok();
}

bool is_value(const ValueRow& row, double number) {
  if (row.numbers == Numbers::kDays) return is_day(number);
  return number >= row.least && number <= row.most &&
         (row.numbers == Numbers::kAll || number == std::floor(number));
}

// Whether some value of the fact lies between the test's bounds.
bool has_value_between(const ValueRow& row, const Test& test) {
  const bool own_low = row.least > test.low;
  const bool own_high = row.most < test.high;
  const double low = own_low ? row.least : test.low;
  const double high = own_high ? row.most : test.high;
  const bool open_low = !own_low && test.open_low;
  const bool open_high = !own_high && test.open_high;
  if (row.numbers == Numbers::kAll) return low < high || (low == high && !open_low && !open_high);
  const double first = open_low ? std::floor(low) + 1 : std::ceil(low);
  const double last = open_high ? std::ceil(high) - 1 : std::floor(high);
  if (row.numbers == Numbers::kWhole) return first <= last;
  double day = first;  // no two days are further apart than the end of a year and its successor
  while (day <= last && !is_day(day)) ++day;
  return day <= last;
}

// "above 22 and below 23"
std::string bounds_of(const Test& test) {
  if (test.low == test.high) return fmt::format("{}", test.low);
  std::string out;
  if (std::isfinite(test.low))
    out = fmt::format("{} {}", test.open_low ? "above" : "at least", test.low);
  if (std::isfinite(test.high))
    out += fmt::format("{}{} {}", out.empty() ? "" : " and ", test.open_high ? "below" : "at most",
                       test.high);
  return out;
}

// What was found where another type is compared.
std::string other_type(const Test& test) {
  switch (test.kind) {
    case Test::Kind::kText:
    case Test::Kind::kAddress:
      return fmt::format("the text `{}`", test.text);
    case Test::Kind::kNumber:
      return fmt::format("the number {}", test.number);
    case Test::Kind::kNumeric:
      return "a comparison of numbers";
    case Test::Kind::kBoolean:
      return test.boolean ? "`true`" : "`false`";
    default:
      return "an operator on texts";
  }
}

void review_number(const ValueRow& row, const Test& test, const JsonPath& where,
                   Diagnostics& diagnostics) {
  const auto complain = [&](std::string_view what) {
    diagnostics.error(where, fmt::format("{}{}", nature_of(row), what));
  };
  const auto must_be_value = [&](double number) {
    if (is_value(row, number)) return;
    complain(row.numbers == Numbers::kDays ? fmt::format("; there is no day {}", number)
                                           : fmt::format(", found {}", number));
  };
  switch (test.kind) {
    case Test::Kind::kNumber:
      must_be_value(test.number);
      return;
    case Test::Kind::kNumeric:
      if (!has_value_between(row, test))
        complain(fmt::format("; no such {} is {}", row.numbers == Numbers::kDays ? "day" : "number",
                             bounds_of(test)));
      return;
    case Test::Kind::kAnythingBut:
      for (const double number : test.numbers) must_be_value(number);
      return;
    case Test::Kind::kPresent:
    case Test::Kind::kAbsent:
    case Test::Kind::kNull:
      return;
    default:
      complain(fmt::format(", found {}", other_type(test)));
  }
}

void review_weekday(const Test& test, const JsonPath& where, Diagnostics& diagnostics) {
  const auto days = known_values(Group::kTime, "weekday");
  const auto complain = [&](std::string_view what) {
    diagnostics.error(where, fmt::format("`time.weekday` is {}{}", one_of(days), what));
  };
  for (const std::string& text : test.whole_texts())
    if (std::ranges::find(days, text) == days.end())
      complain(fmt::format(", found `{}`{}", text, did_you_mean(text, days)));
  if (!test.whole_texts().empty() || test.kind == Test::Kind::kAbsent) return;
  if (test.is_numeric() || test.kind == Test::Kind::kBoolean) {
    complain(fmt::format(", found {}", other_type(test)));
    return;
  }
  Condition condition;
  condition.add(test);
  if (std::ranges::none_of(
          days, [&](std::string_view day) { return condition.accepts(Scalar::of(day)); }))
    complain(": none of them passes");
}

}  // namespace

bool review_value(const FactPath& fact, const Test& test, const JsonPath& where,
                  Diagnostics& diagnostics) {
  if (fact.group == Group::kTime && fact.path == "weekday") {
    review_weekday(test, where, diagnostics);
    return true;
  }
  if (fact.type != LeafType::kNumber) return false;  // most are texts
  const auto row = std::ranges::find_if(kNumbersOfFacts, [&fact](const ValueRow& one) {
    return one.group == fact.group && one.path == fact.path;
  });
  if (row == kNumbersOfFacts.end()) return false;
  review_number(*row, test, where, diagnostics);
  return true;
}

}  // namespace trainwarden::rules
