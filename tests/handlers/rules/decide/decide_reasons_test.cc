// R1 and A1's part of deciding: what a decision rests on.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "tests/handlers/rules/decide/decide_support.h"

namespace trainwarden::rules::decide_reasons_test {
namespace {

using test::doc;
using test::kNow;
using test::kUntagged;
using test::Snapshot;
using test::stop_rule;
using test::verdict;

std::vector<std::string> reasons(const Decision& decision) {
  std::vector<std::string> out;
  for (const Because& b : decision.because) {
    out.push_back(b.path() + " = " + value_text(b) + (b.absent ? " (absent)" : ""));
  }
  return out;
}

TEST(DecideR1, BecauseNamesPathsAndValues) {
  const RuleVerdict out = verdict(stop_rule(R"("message": "why", "match": {
        "event": {"trigger": ["state"]},
        "job": {"ResourceConfig": {"InstanceCount": [4, 8], "InstanceType": [{"exists": true}]},
                "EnableManagedSpotTraining": [false]},
        "tags": {"model_name": [{"exists": false}], "team": ["vision"]}})"),
                                  {R"({"ResourceConfig": {"InstanceType": "ml.p5.48xlarge",
                                       "InstanceCount": 8}, "EnableManagedSpotTraining": false})",
                                   R"({"team": "vision"})"});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(out.decision->message, "why");
  EXPECT_EQ(
      reasons(*out.decision),
      (std::vector<std::string>{"event.trigger = state", "job.EnableManagedSpotTraining = false",
                                "job.ResourceConfig.InstanceCount = 8",
                                "job.ResourceConfig.InstanceType = ml.p5.48xlarge",
                                "tags.model_name = absent (absent)", "tags.team = vision"}));
}

TEST(DecideR1, BecauseTellsTheAlternativeThatHolds) {
  const RuleVerdict out =
      verdict(stop_rule(R"("match": [{"tags": {"a": ["1"]}}, {"tags": {"b": ["2"]}}])"),
              {"", R"({"b": "2"})"});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(reasons(*out.decision), std::vector<std::string>{"tags.b = 2"});
}

TEST(DecideR1, HyperParametersAndEnvironmentShowOnlyTheirPaths) {
  const RuleVerdict out = verdict(stop_rule(R"("match": {"job": {
        "HyperParameters": {"token": ["s3cret"]}, "Environment": {"KEY": [{"exists": true}]}}})"),
                                  {R"({"HyperParameters": {"token": "s3cret"},
                                       "Environment": {"KEY": "s3cret"}})",
                                   ""});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(reasons(*out.decision),
            (std::vector<std::string>{"job.Environment.KEY = ", "job.HyperParameters.token = "}));
}

TEST(DecideR1, LongValuesAreCutBetweenCharacters) {
  std::string tags = R"({"a": ")";
  for (int i = 0; i < 100; ++i) tags += "日";
  tags += R"("})";
  const RuleVerdict out =
      verdict(stop_rule(R"("match": {"tags": {"a": [{"exists": true}]}})"), {"", tags});
  ASSERT_TRUE(out.decision);
  const std::string& value = out.decision->because[0].value;
  EXPECT_LT(value.size(), 80U);
  EXPECT_TRUE(value.ends_with("日…")) << value;
}

struct Rests {
  std::string_view why;
  std::string_view rule;
  std::string_view describe;
  std::string_view tags;
  std::string_view on;
  bool absent_tag;
};

constexpr Rests kRests[] = {
    {"the status comes from Describe in the end", kUntagged, "", "{}", "describe, tags", true},
    {"a tag that is there", R"("match": {"tags": {"a": ["b"]}})", "", R"({"a": "b"})", "tags",
     false},
    {"the value of absence or a value", R"("match": {"tags": {"a": ["b", {"exists": false}]}})", "",
     R"({"a": "b"})", "tags", false},
    {"the absence of absence or a value", R"("match": {"tags": {"a": ["b", {"exists": false}]}})",
     "", "{}", "tags", true},
    {"an absent member of the job is no tag",
     R"("match": {"job": {"CheckpointConfig": {"S3Uri": [{"exists": false}]}}})", "{}", "",
     "describe", false},
    {"only the alternative that holds",
     R"("match": [{"tags": {"a": ["b"]}}, {"event": {"trigger": ["state"]}}])", "", "{}", "event",
     false},
    {"an exemption whose tag is absent",
     R"("match": {"event": {"trigger": ["state"]}}, "unless": {"tags": {"keep": ["yes"]}})", "",
     "{}", "event, tags", true},
    {"an exemption whose tag says otherwise",
     R"("match": {"event": {"trigger": ["state"]}}, "unless": {"tags": {"keep": ["yes"]}})", "",
     R"({"keep": "no"})", "event, tags", false},
    {"an exemption that fails by itself rests on no tag",
     R"("match": {"event": {"trigger": ["state"]}},
        "unless": {"tags": {"keep": ["yes"]}, "job": {"TrainingJobName": ["other"]}})",
     "", "{}", "event, describe", false},
    {"each alternative of an exemption must fail",
     R"("match": {"event": {"trigger": ["state"]}},
        "unless": [{"job": {"TrainingJobName": ["other"]}}, {"tags": {"keep": ["yes"]}}])",
     "", "{}", "event, describe, tags", true},
};

TEST(DecideA1, RestsOnTellsWhatToLookAtAgain) {
  for (const Rests& c : kRests) {
    SCOPED_TRACE(std::string(c.why));
    const RuleVerdict out = verdict(stop_rule(c.rule), {c.describe, c.tags});
    ASSERT_TRUE(out.decision);
    EXPECT_EQ(out.decision->rests_on.names(), c.on);
    EXPECT_EQ(out.decision->rests_on_absent_tag, c.absent_tag);
  }
}

JobEvent called_by_alarm() {
  JobEvent out = test::running();
  out.trigger = Trigger::kAlarm;
  out.alarm = AlarmEvent{"trainwarden/train-1/idle", "idle", "ALARM"};
  return out;
}

TEST(DecideW4, ADecisionRestsOnTheAlarmThatCalledAndOnNoOther) {
  struct Case {
    const char* match;
    JobEvent event;
    bool rests;
    bool asks;
  };
  const Case cases[] = {
      {R"({"alarm": {"state": ["ALARM"]}})", called_by_alarm(), true, true},
      {R"({"event": {"trigger": ["alarm"]}})", called_by_alarm(), true, false},
      {R"({"event": {"trigger": ["state", "alarm"]}})", called_by_alarm(), true, false},
      {R"({"event": {"trigger": ["state", "alarm"]}})", test::running(), false, false},
      {R"({"alarm": {"state": [{"exists": false}]}})", test::running(), false, false},
      {R"({"tags": {"a": ["1"]}})", called_by_alarm(), false, false},
  };
  for (const Case& c : cases) {
    const RuleVerdict out =
        verdict(stop_rule(std::string(R"("match": )") + c.match), {"{}", R"({"a": "1"})", c.event});
    ASSERT_TRUE(out.decision) << c.match;
    EXPECT_EQ(out.decision->rests_on_alarm, c.rests) << c.match;
    EXPECT_EQ(out.decision->asks_for_alarm, c.asks) << c.match;
  }
}

TEST(DecideW4, AConfirmationMeasuresOnlyWhatAsksForTheAlarm) {
  const auto confirmed = [](const char* match) {
    Decision out = *verdict(stop_rule(std::string(R"("match": )") + match),
                            {"{}", R"({"a": "1"})", called_by_alarm()})
                        .decision;
    Measured measured;
    measured.watch.metric = "loss";
    measured.found = PeriodsTogether{3};
    confirm(out, std::make_shared<Measurement>(measured), true);
    return out;
  };
  const Decision asks = confirmed(R"({"alarm": {"state": ["ALARM"]}})");
  EXPECT_TRUE(asks.measured && asks.rests_on_silence);
  EXPECT_EQ(asks.because.back().path(), "alarm.measured");
  ASSERT_TRUE(asks.because.back().measurement);
  EXPECT_EQ(std::get<Measured>(*asks.because.back().measurement).watch.metric, "loss");
  const Decision called = confirmed(R"({"event": {"trigger": ["alarm"]}})");
  EXPECT_FALSE(called.measured);
  EXPECT_TRUE(called.rests_on_silence);
  const Decision neither = confirmed(R"({"tags": {"a": ["1"]}})");
  EXPECT_FALSE(neither.measured || neither.rests_on_silence);
  EXPECT_EQ(neither.because.size(), 1U);
}

TEST(DecideW4, WhyNothingWasMeasuredIsAReasonOfWhatRestsOnTheAlarm) {
  Decision out = *verdict(stop_rule(R"("match": {"alarm": {"state": ["ALARM"]}})"),
                          {"{}", "{}", called_by_alarm()})
                      .decision;
  for (const char* metric : {"loss", "speed"})
    add_measured(
        out, std::make_shared<Measurement>(Reason{.why = Why::kNoMetricArrives, .name = metric}));
  ASSERT_EQ(out.because.size(), 2U) << "the last one counts";
  EXPECT_EQ(reasons(out).back(),
            "alarm.measured = no metric of this job arrives, speed among them: nobody can tell "
            "whether it trains on");
  EXPECT_EQ(asked_text(out.because.back()), "");
  EXPECT_FALSE(out.measured);
}

TEST(DecideA1, ASecondLookDecidesAgain) {
  const Policy policy = test::policy(stop_rule(kUntagged));
  Sources sources = Snapshot{"", "{}"}.sources();
  EXPECT_EQ(evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce).verdict,
            Truth::kTrue);
  sources.forget(Source::kTags);
  EXPECT_EQ(evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce).verdict,
            Truth::kUnknown);
  sources.set(Source::kTags, doc(R"({"model_name": "late"})"));
  EXPECT_EQ(evaluate_rule(policy, 0, facts_from(sources, kNow), Mode::kEnforce).verdict,
            Truth::kFalse);
}

}  // namespace
}  // namespace trainwarden::rules::decide_reasons_test
