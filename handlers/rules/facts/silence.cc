#include "handlers/rules/facts/silence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace trainwarden::rules {
namespace {

// Lines arrive some minutes late, and a program may pause for about as long.
constexpr std::chrono::minutes kShortSilence{10};

// The fewest whole seconds that are at least that many; above: more than that many.
double whole(double seconds, bool above) {
  return above ? std::floor(seconds) + 1 : std::ceil(seconds);
}

// Where the test's answer changes, as whole seconds, though not yet as durations.
std::vector<double> changes(const Test& test) {
  std::vector<double> out;
  const auto at = [&](double number) {
    out.push_back(whole(number, false));
    out.push_back(whole(number, true));
  };
  if (test.kind == Test::Kind::kNumber) at(test.number);
  if (test.kind == Test::Kind::kAnythingBut)
    for (const double number : test.numbers) at(number);
  if (test.kind != Test::Kind::kNumeric) return out;
  if (std::isfinite(test.low)) out.push_back(whole(test.low, test.open_low));
  if (std::isfinite(test.high)) out.push_back(whole(test.high, !test.open_high));
  return out;
}

// The numbers that the test names.
std::vector<double> named(const Test& test) {
  if (test.kind == Test::Kind::kNumber) return {test.number};
  if (test.kind == Test::Kind::kAnythingBut) return test.numbers;
  std::vector<double> out;
  if (test.kind == Test::Kind::kNumeric)
    for (const double bound : {test.low, test.high})
      if (std::isfinite(bound)) out.push_back(bound);
  return out;
}

std::chrono::seconds as_seconds(double number) {
  return std::chrono::seconds(static_cast<std::int64_t>(std::max(number, 0.0)));
}

// Whether only a long silence passes.
bool asks_for_silence(const Test& test) {
  return test.kind == Test::Kind::kNumeric && std::isfinite(test.low) &&
         test.high == std::numeric_limits<double>::infinity();
}

bool is_of_presence(const Test& test) {
  return test.kind == Test::Kind::kPresent || test.kind == Test::Kind::kAbsent;
}

}  // namespace

void review_silence(const Test& test, const JsonPath& where, Diagnostics& diagnostics) {
  if (!is_of_presence(test) && !test.is_numeric()) {
    diagnostics.error(where,
                      "expected seconds of silence, such as `{\"numeric\": [\">=\", 3600]}`, or "
                      "`exists`");
    return;
  }
  const double most = std::chrono::duration<double>(kLongestSilence).count();
  const double least = asks_for_silence(test) ? 1 : 0;
  for (const double number : named(test)) {
    if (number >= least && number <= most) continue;
    diagnostics.error(where, fmt::format("expected {} to {} seconds of silence, since a log group "
                                         "may keep its events for a day only, found {}",
                                         least, most, number));
    return;
  }
  if (asks_for_silence(test) && std::chrono::duration<double>(test.low) < kShortSilence)
    diagnostics.warning(where, fmt::format("lines arrive some minutes late: expected {} seconds of "
                                           "silence or more, found {}",
                                           std::chrono::seconds(kShortSilence).count(), test.low));
}

std::optional<std::chrono::seconds> silence_that_passes(const Test& test) {
  if (!asks_for_silence(test)) return std::nullopt;
  return as_seconds(whole(test.low, test.open_low));
}

std::optional<std::chrono::seconds> silence_that_fails(const Test& test) {
  if (test.kind == Test::Kind::kNumber) return as_seconds(whole(test.number, true));
  if (test.kind != Test::Kind::kNumeric || !std::isfinite(test.high)) return std::nullopt;
  return as_seconds(whole(test.high, !test.open_high));
}

std::vector<std::chrono::seconds> silences_asked(const Test& test) {
  std::vector<std::chrono::seconds> out;
  if (!asks_for_silence(test)) out.emplace_back(0);
  for (const double at : changes(test)) out.push_back(as_seconds(at));
  return out;
}

bool is_writing(json::Value silence, std::chrono::seconds within) {
  const auto seconds = silence.find(kSilentSeconds);
  return seconds && seconds->is_number() &&
         seconds->as_number() < std::chrono::duration<double>(within).count();
}

}  // namespace trainwarden::rules
