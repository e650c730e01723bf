#include "handlers/rules/alarms/alarm_definition.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::alarm_definition_test {
namespace {

using test::doc;

constexpr const char* kPlain = R"({
  "AlarmName": "trainwarden/j/w", "AlarmDescription": "d",
  "AlarmActions": ["arn:aws:sns:eu-central-1:1:t"], "Namespace": "N", "MetricName": "m",
  "Dimensions": [{"Name": "Host", "Value": "j/algo-1"}], "Period": 300, "Statistic": "Maximum",
  "EvaluationPeriods": 3, "DatapointsToAlarm": 3, "Threshold": 4,
  "ComparisonOperator": "LessThanThreshold", "TreatMissingData": "breaching"})";

// The same as DescribeAlarms shows it: what was not given, what is of the state, another order.
constexpr const char* kPlainDescribed = R"({
  "AlarmArn": "arn:aws:cloudwatch:eu-central-1:1:alarm:trainwarden/j/w", "Threshold": 4.0,
  "AlarmName": "trainwarden/j/w", "AlarmDescription": "d", "ActionsEnabled": true, "OKActions": [],
  "AlarmConfigurationUpdatedTimestamp": 1.783000600123E9, "StateValue": "ALARM",
  "StateReason": "x", "StateReasonData": "{}", "StateUpdatedTimestamp": 1783000700,
  "StateTransitionedTimestamp": 1783000700, "InsufficientDataActions": [], "Unit": null,
  "AlarmActions": ["arn:aws:sns:eu-central-1:1:t"], "Namespace": "N", "MetricName": "m",
  "Dimensions": [{"Value": "j/algo-1", "Name": "Host"}], "Period": 300, "Statistic": "Maximum",
  "EvaluationPeriods": 3, "DatapointsToAlarm": 3,
  "ComparisonOperator": "LessThanThreshold", "TreatMissingData": "breaching"})";

constexpr const char* kMath = R"json({
  "AlarmName": "trainwarden/j/w", "AlarmActions": [], "EvaluationPeriods": 3, "Threshold": 0.5,
  "ComparisonOperator": "LessThanThreshold", "Metrics": [
    {"Id": "e1", "Expression": "MAX([m1,m2])", "Label": "l", "ReturnData": true},
    {"Id": "m1", "ReturnData": false, "MetricStat": {"Period": 60, "Stat": "p90", "Metric": {
      "Namespace": "N", "MetricName": "m", "Dimensions": [{"Name": "Host", "Value": "j/algo-1"}]}}},
    {"Id": "m2", "ReturnData": false, "MetricStat": {"Period": 60, "Stat": "p90", "Metric": {
      "Namespace": "N", "MetricName": "m",
      "Dimensions": [{"Name": "Host", "Value": "j/algo-2"}]}}}]})json";

constexpr const char* kMathDescribed = R"json({
  "AlarmName": "trainwarden/j/w", "ActionsEnabled": true, "EvaluationPeriods": 3.0,
  "DatapointsToAlarm": 3, "Threshold": 5e-1, "TreatMissingData": "missing", "Dimensions": [],
  "EvaluateLowSampleCountPercentile": "evaluate", "StateValue": "OK", "OKActions": [],
  "ComparisonOperator": "LessThanThreshold", "Metrics": [
    {"Id": "m2", "ReturnData": false, "MetricStat": {"Period": 60, "Stat": "p90", "Metric": {
      "MetricName": "m", "Namespace": "N", "Dimensions": [{"Name": "Host", "Value": "j/algo-2"}]}}},
    {"Id": "m1", "ReturnData": false, "MetricStat": {"Period": 60, "Stat": "p90", "Metric": {
      "MetricName": "m", "Namespace": "N", "Dimensions": [{"Name": "Host", "Value": "j/algo-1"}]}}},
    {"Id": "e1", "Expression": "MAX([m1,m2])", "Label": "l"}]})json";

TEST(AlarmDefinition, W2_WhatDescribeAlarmsShowsOfAnAlarmIsThatAlarm) {
  for (const auto& [planned, described] :
       {std::pair(kPlain, kPlainDescribed), std::pair(kMath, kMathDescribed)}) {
    const json::Document a = doc(planned);
    const json::Document b = doc(described);
    EXPECT_TRUE(same_alarm(a.root(), b.root())) << planned;
    EXPECT_EQ(alarm_fingerprint(a.root()), alarm_fingerprint(b.root()));
  }
  EXPECT_FALSE(same_alarm(doc(kPlain).root(), doc(kMath).root()));
}

TEST(AlarmDefinition, W2_EveryDifferenceOfTheDefinitionIsSeen) {
  const struct {
    const char* of;
    std::string_view from;
    std::string_view to;
  } cases[] = {
      {kPlainDescribed, "trainwarden/j/w\", \"AlarmDesc", "trainwarden/j/w/1\", \"AlarmDesc"},
      {kPlainDescribed, "\"d\"", "\"e\""},
      {kPlainDescribed, "\"ActionsEnabled\": true", "\"ActionsEnabled\": false"},
      {kPlainDescribed, "1:t\"]", "1:u\"]"},
      {kPlainDescribed, "1:t\"]", "1:t\", \"arn:aws:sns:eu-central-1:1:u\"]"},
      {kPlainDescribed, "\"OKActions\": []", "\"OKActions\": [\"x\"]"},
      {kPlainDescribed, "\"InsufficientDataActions\": []", "\"InsufficientDataActions\": [\"x\"]"},
      {kPlainDescribed, "\"N\"", "\"O\""},
      {kPlainDescribed, "\"m\"", "\"n\""},
      {kPlainDescribed, "j/algo-1", "j/algo-2"},
      {kPlainDescribed, "\"Host\"", "\"Other\""},
      {kPlainDescribed, "\"Unit\": null", "\"Unit\": \"Percent\""},
      {kPlainDescribed, "\"Period\": 300", "\"Period\": 60"},
      {kPlainDescribed, "Maximum", "Minimum"},
      {kPlainDescribed, "\"EvaluationPeriods\": 3", "\"EvaluationPeriods\": 4"},
      {kPlainDescribed, "\"DatapointsToAlarm\": 3", "\"DatapointsToAlarm\": 2"},
      {kPlainDescribed, "4.0", "4.01"},
      {kPlainDescribed, "LessThanThreshold", "LessThanOrEqualToThreshold"},
      {kPlainDescribed, "\"breaching\"", "\"ignore\""},
      {kMathDescribed, "MAX", "MIN"},
      {kMathDescribed, "\"l\"", "\"k\""},
      {kMathDescribed, "\"p90\"", "\"p99\""},
      {kMathDescribed, "\"Period\": 60", "\"Period\": 120"},
      {kMathDescribed, "j/algo-2", "j/algo-3"},
      {kMathDescribed, "\"missing\"", "\"notBreaching\""},
      {kMathDescribed, "\"evaluate\"", "\"ignore\""},
      {kMathDescribed, "\"Id\": \"m2\"", "\"Id\": \"m3\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.from) + " -> " + std::string(c.to));
    std::string changed = c.of;
    const std::size_t at = changed.find(c.from);
    ASSERT_NE(at, std::string::npos);
    changed.replace(at, c.from.size(), c.to);
    const json::Document planned = doc(c.of == kPlainDescribed ? kPlain : kMath);
    const json::Document described = doc(changed);
    EXPECT_FALSE(same_alarm(planned.root(), described.root()));
    EXPECT_NE(alarm_fingerprint(planned.root()), alarm_fingerprint(described.root()));
  }
}

// Else the first sweep after an update would put all alarms again.
TEST(AlarmDefinition, W3_AnAlarmOfAnOlderVersionStands) {
  const auto described_as = [](std::string_view description) {
    std::string text = kPlainDescribed;
    return doc(text.replace(text.find("\"d\""), 3, fmt::format("\"{}\"", description)));
  };
  constexpr std::string_view kSentence =
      "Made by Trainwarden, and deleted by it when the job has ended.";
  const json::Document ours = described_as(fmt::format("d. {} [trainwarden]", kSentence));
  const json::Document old = described_as(fmt::format("d. {}", kSentence));
  EXPECT_TRUE(same_alarm(ours.root(), old.root()));
  EXPECT_EQ(alarm_fingerprint(ours.root()), alarm_fingerprint(old.root()));
  for (const char* other : {"d. ", "d.", "e. [trainwarden]", "d. [trainwarden] ", ""})
    EXPECT_FALSE(same_alarm(ours.root(), described_as(other).root())) << other;
}

TEST(AlarmDefinition, TotalOnAnything) {
  for (const char* text : {"{}", "[]", "7", R"({"Metrics": 7, "AlarmActions": {}, "Period": "x"})",
                           R"({"Metrics": [7, {"MetricStat": []}], "Dimensions": [null]})"}) {
    const json::Document document = doc(text);
    EXPECT_TRUE(same_alarm(document.root(), document.root())) << text;
    EXPECT_FALSE(same_alarm(doc(kPlain).root(), document.root())) << text;
  }
}

}  // namespace
}  // namespace trainwarden::rules::alarm_definition_test
