// Numbers of metrics as people see them.
#include "handlers/rules/alarms/measured_text.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/handlers/rules/alarms/past_support.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::measured_text_test {
namespace {

TEST(MeasuredText, W4_SmallNumbersKeepThreeSignificantDigits) {
  EXPECT_EQ(short_number(0.002), "0.002");
  EXPECT_EQ(short_number(0.0023456), "0.00235");
  EXPECT_EQ(short_number(-0.0023456), "-0.00235");
  EXPECT_EQ(short_number(0.1 + 0.2), "0.3");
  EXPECT_EQ(short_number(0.075), "0.075");
  EXPECT_EQ(short_number(1e-5), "1e-05");
  EXPECT_EQ(short_number(3.14159e-20), "3.14e-20");
  EXPECT_EQ(short_number(1e-300), "1e-300");
}

TEST(MeasuredText, W4_OnlyZeroIsShownAsZero) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(-0.0), "0");
  for (double value = 1; value > 0; value /= 7) EXPECT_NE(short_number(value), "0") << value;
  EXPECT_NE(short_number(std::numeric_limits<double>::denorm_min()), "0");
}

TEST(MeasuredText, W4_OtherNumbersAreRoundedToAHundredth) {
  EXPECT_EQ(short_number(1), "1");
  EXPECT_EQ(short_number(380.5), "380.5");
  EXPECT_EQ(short_number(4.012), "4.01");
  EXPECT_EQ(short_number(-4.016), "-4.02");
  EXPECT_EQ(short_number(123456789.125), "123456789.13");
}

TEST(MeasuredText, W4_LargeNumbersAreShort) {
  EXPECT_EQ(short_number(3.2e9), "3.2e+09");
  EXPECT_EQ(short_number(-3.2e9), "-3.2e+09");
  EXPECT_EQ(short_number(17'179'869'184), "1.71799e+10");
  EXPECT_EQ(short_number(1e300), "1e+300");
}

TEST(MeasuredText, W4_ValuesAreListedAsNumbers) {
  EXPECT_EQ(shown_values(std::array{0.002, 0.0, 1.5}), "0.002, 0, 1.5");
}

// What a policy says is shown as it says it; what is computed from it is rounded.
TEST(MeasuredText, W4_AThresholdIsShownAsItIsWritten) {
  Watch watch;
  watch.metric = "train:speed";
  watch.source = Watch::Source::kAlgorithm;
  watch.statistic = "Average";
  watch.comparison = Watch::Comparison::kBelow;
  const auto asked = [&watch](double threshold) {
    watch.threshold = threshold;
    const std::string out = asked_of(watch);
    EXPECT_EQ(out, fmt::format("Average train:speed {}",
                               threshold_text(watch, {.threshold = threshold})));
    return out;
  };
  EXPECT_EQ(asked(0.004), "Average train:speed below 0.004");
  EXPECT_EQ(asked(0.00123456), "Average train:speed below 0.00123456");
  EXPECT_EQ(asked(99.995), "Average train:speed below 99.995");
  EXPECT_EQ(asked(640), "Average train:speed below 640");
  EXPECT_EQ(asked(3.2e9), "Average train:speed below 3.2e+09");
  EXPECT_EQ(asked(3'200'000'001), "Average train:speed below 3200000001");
}

// Beside the sentence a record has a code (R1).
template <class Found>
std::string code_of(Found found) {
  Measured measured{};
  measured.found = std::move(found);
  return std::string(code(Measurement(std::move(measured))));
}

std::string code_of_hosts(const std::vector<HostMeasured::Kind>& kinds) {
  HostsMeasured hosts;
  for (const HostMeasured::Kind kind : kinds) hosts.shown.push_back({.kind = kind});
  hosts.all = kinds.size();
  return code_of(std::move(hosts));
}

TEST(MeasuredText, R1_WhatWasMeasuredHasACode) {
  using Host = HostMeasured::Kind;
  EXPECT_EQ(code_of_hosts({Host::kBreaches, Host::kBreaches}), "breaches");
  EXPECT_EQ(code_of_hosts({Host::kBreaches, Host::kNoLonger, Host::kNotRecent}), "no-longer");
  EXPECT_EQ(code_of_hosts({}), "never-heard");
  EXPECT_EQ(code_of(PeriodsTogether{2}), "not-together");
  EXPECT_EQ(code_of(MeanMeasured{.kind = MeanMeasured::Kind::kBreaches}), "breaches");
  EXPECT_EQ(code(Measurement(Reason{.why = Why::kSegmentTooYoung})), "segment-too-young");
}

TEST(MeasuredText, R1_EachOfThoseCodesIsDocumented) {
  const std::string manual = test::read_file("handlers/policy.md");
  std::set<std::string> codes = {code_of(PeriodsTogether{2})};
  for (int i = 0; i <= static_cast<int>(HostMeasured::kLast); ++i)
    codes.insert(code_of_hosts({static_cast<HostMeasured::Kind>(i)}));
  for (int i = 0; i <= static_cast<int>(MeanMeasured::kLast); ++i)
    codes.insert(code_of(MeanMeasured{.kind = static_cast<MeanMeasured::Kind>(i)}));
  EXPECT_EQ(codes.size(), 12U);
  for (const std::string& one : codes)
    EXPECT_NE(manual.find("`" + one + "`"), std::string::npos) << one;
}

TEST(MeasuredText, W6_AComputedThresholdIsShort) {
  Watch watch = past_support::slower();
  watch.median = 0.00123456;
  EXPECT_EQ(threshold_text(watch, {.threshold = *watch.drop_to * *watch.median}),
            "below 0.000741 (0.6 of 0.00123, the median of its first six hours)");
}

}  // namespace
}  // namespace trainwarden::rules::measured_text_test
