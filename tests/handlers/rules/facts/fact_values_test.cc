// Values that no job can have, of facts that are our own (P2).
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/policy/policy.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::fact_values_test {
namespace {

struct Found {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

// Of a condition `fact`, "time.hour", with these elements.
Found review_of(std::string_view fact, std::string_view elements) {
  const std::size_t dot = fact.find('.');
  const std::string text = test::stop_rule(R"("match": {")" + std::string(fact.substr(0, dot)) +
                                           R"(": {")" + std::string(fact.substr(dot + 1)) +
                                           R"(": [)" + std::string(elements) + "]}}");
  const auto policy = parse_policy(text);
  return {test::texts(check_policy(text)),
          policy ? test::texts(policy->warnings()) : std::vector<std::string>()};
}

struct Case {
  std::string_view fact;
  std::string_view elements;
  std::string_view says;  // below rules[0].match.time.hour[0]
};

constexpr Case kMistakes[] = {
    {"time.hour", "25", "`time.hour` is a whole number from 0 to 23, found 25"},
    {"time.hour", "24", "`time.hour` is a whole number from 0 to 23, found 24"},
    {"time.hour", "-1", "`time.hour` is a whole number from 0 to 23, found -1"},
    {"time.hour", "7.5", "`time.hour` is a whole number from 0 to 23, found 7.5"},
    {"time.hour", R"({"numeric": [">", 23]})",
     "`time.hour` is a whole number from 0 to 23; no such number is above 23"},
    {"time.hour", R"({"numeric": ["<", 0]})",
     "`time.hour` is a whole number from 0 to 23; no such number is below 0"},
    {"time.hour", R"({"numeric": [">", 22, "<", 23]})",
     "`time.hour` is a whole number from 0 to 23; no such number is above 22 and below 23"},
    {"time.hour", R"({"numeric": [">=", 24, "<=", 30]})",
     "`time.hour` is a whole number from 0 to 23; no such number is at least 24 and at most 30"},
    {"time.hour", R"({"numeric": ["=", 7.5]})",
     "`time.hour` is a whole number from 0 to 23; no such number is 7.5"},
    {"time.hour", R"("25")", "`time.hour` is a whole number from 0 to 23, found the text `25`"},
    {"time.hour", R"("7")", "`time.hour` is a whole number from 0 to 23, found the text `7`"},
    {"time.hour", R"({"prefix": "1"})",
     "`time.hour` is a whole number from 0 to 23, found an operator on texts"},
    {"time.hour", "true", "`time.hour` is a whole number from 0 to 23, found `true`"},
    {"time.hour", R"({"anything-but": [22, 25]})",
     "`time.hour` is a whole number from 0 to 23, found 25"},
    {"time.weekday", R"("Mon")",
     "`time.weekday` is `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`, found `Mon`; did you "
     "mean `mon`?"},
    {"time.weekday", "1",
     "`time.weekday` is `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`, found the number 1"},
    {"time.weekday", R"({"prefix": "x"})",
     "`time.weekday` is `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`: none of them passes"},
    {"time.weekday", R"({"anything-but": ["sat", "Sun"]})",
     "`time.weekday` is `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`, found `Sun`; did you "
     "mean `sun`?"},
    {"time.weekday", R"({"numeric": [">", 1]})",
     "`time.weekday` is `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`, found a comparison of "
     "numbers"},
    {"time.date", "20261301",
     "`time.date` is a day as a number, YYYYMMDD; there is no day 20261301"},
    {"time.date", "20260229",
     "`time.date` is a day as a number, YYYYMMDD; there is no day 20260229"},
    {"time.date", "261231", "`time.date` is a day as a number, YYYYMMDD; there is no day 261231"},
    {"time.date", R"("2026-12-31")",
     "`time.date` is a day as a number, YYYYMMDD, found the text `2026-12-31`"},
    {"time.date", R"({"numeric": [">", 20261231, "<", 20270101]})",
     "`time.date` is a day as a number, YYYYMMDD; no such day is above 20261231 and below "
     "20270101"},
    {"time.date", R"({"numeric": ["<", 261231]})",
     "`time.date` is a day as a number, YYYYMMDD; no such day is below 261231"},
    {"spot.active_fraction", "1.5", "`spot.active_fraction` is a number from 0 to 1, found 1.5"},
    {"spot.active_fraction", R"({"numeric": [">", 1]})",
     "`spot.active_fraction` is a number from 0 to 1; no such number is above 1"},
    {"spot.saved_fraction", R"({"numeric": [">=", 60]})",
     "`spot.saved_fraction` is a number from 0 to 1; no such number is at least 60"},
    {"resources.gpus", "-1", "`resources.gpus` is a whole number of 0 or more, found -1"},
    {"resources.gpus", R"("8")",
     "`resources.gpus` is a whole number of 0 or more, found the text `8`"},
    {"resources.instance_count", R"({"numeric": [">", 1, "<", 2]})",
     "`resources.instance_count` is a whole number of 0 or more; no such number is above 1 and "
     "below 2"},
    {"fleet.spot_timeouts_24h", "0.5",
     "`fleet.spot_timeouts_24h` is a whole number of 0 or more, found 0.5"},
    {"cost.spent_usd", R"({"numeric": ["<", 0]})",
     "`cost.spent_usd` is a number of 0 or more; no such number is below 0"},
    {"warm_pool.remaining_usd", "-2",
     "`warm_pool.remaining_usd` is a number of 0 or more, found -2"},
    {"runtime.elapsed_seconds", R"({"numeric": ["<=", -1]})",
     "`runtime.elapsed_seconds` is a number of 0 or more; no such number is at most -1"},
};

TEST(FactValuesP2, WhatNoJobCanHaveIsAMistake) {
  for (const Case& c : kMistakes) {
    const Found found = review_of(c.fact, c.elements);
    ASSERT_EQ(found.errors.size(), 1U) << c.fact << ": " << c.elements;
    EXPECT_TRUE(found.errors[0].starts_with("rules[0].match." + std::string(c.fact) + "[0]"));
    EXPECT_TRUE(found.errors[0].ends_with(": " + std::string(c.says))) << found.errors[0];
  }
}

TEST(FactValuesP2, WhatSomeJobCanHaveIsNone) {
  const Case fine[] = {
      {"time.hour", "0, 23", ""},
      {"time.hour", R"({"numeric": [">=", 22]})", ""},
      {"time.hour", R"({"numeric": [">=", 23]})", ""},
      {"time.hour", R"({"numeric": [">", 22]})", ""},
      {"time.hour", R"({"numeric": ["<=", 0]})", ""},
      {"time.hour", R"({"numeric": [">", 22, "<=", 23]})", ""},
      {"time.hour", R"({"numeric": [">=", -5, "<", 99]})", ""},
      {"time.hour", R"({"numeric": ["=", 7]})", ""},
      {"time.hour", "7.0", ""},
      {"time.hour", R"({"anything-but": [22]})", ""},
      {"time.hour", R"({"exists": true})", ""},
      {"time.weekday", R"("mon", "sun")", ""},
      {"time.weekday", R"({"prefix": "s"})", ""},
      {"time.weekday", R"({"wildcard": "*u*"})", ""},
      {"time.weekday", R"({"equals-ignore-case": "MON"})", ""},
      {"time.weekday", R"({"anything-but": ["sat", "sun"]})", ""},
      {"time.weekday", R"({"anything-but": {"prefix": "s"}})", ""},
      {"time.weekday", R"({"exists": true})", ""},
      {"time.date", "20261231, 20280229", ""},
      {"time.date", R"({"numeric": ["<=", 20261231]})", ""},
      {"time.date", R"({"numeric": [">=", 20261231, "<", 20270101]})", ""},
      {"time.date", R"({"anything-but": [20261225]})", ""},
      {"spot.active_fraction", R"({"numeric": ["<", 0.5]})", ""},
      {"spot.active_fraction", "0, 1, 0.25", ""},
      {"spot.active_fraction", R"({"numeric": [">=", 1]})", ""},
      {"resources.gpus", "0, 8", ""},
      {"resources.gpus", R"({"numeric": [">", 0]})", ""},
      {"resources.gpus", R"({"numeric": [">", 1.5]})", ""},
      {"runtime.elapsed_seconds", R"({"numeric": [">", 1.5, "<", 1.75]})", ""},
      {"cost.spent_usd", R"({"numeric": ["<=", 0]})", ""},
      {"failure.exit_code", "-9", ""},
      {"until.keep", R"({"numeric": ["<", 0]})", ""},
  };
  for (const Case& c : fine) {
    const Found found = review_of(c.fact, c.elements);
    EXPECT_EQ(found.errors, std::vector<std::string>()) << c.fact << ": " << c.elements;
    EXPECT_EQ(found.warnings, std::vector<std::string>()) << c.fact << ": " << c.elements;
  }
}

// AWS may add values to what is its own.
TEST(FactValuesP2, OfWhatIsAwssItStaysAWarning) {
  for (const Case& c :
       {Case{"job.BillableTimeInSeconds", R"("8")", ""},
        Case{"job.TrainingJobStatus", R"("Paused")", ""},
        Case{"resources.accelerator", R"("tpu")", ""}, Case{"time.hour", "null", ""}}) {
    const Found found = review_of(c.fact, c.elements);
    EXPECT_TRUE(found.errors.empty()) << c.fact;
    EXPECT_EQ(found.warnings.size(), 1U) << c.fact;
  }
}

}  // namespace
}  // namespace trainwarden::rules::fact_values_test
