// What was found against what the rule asks for (A5, R1).
#include "handlers/rules/notices/notice_reasons.h"

#include <gtest/gtest.h>

#include <string>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/facts.h"
#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_reasons_test {
namespace {

using test::has;
using test::job;
using test::sent;

// An hour into its ten hours, on eight machines.
Decision decided(const std::string& match, const std::string& tags = "{}") {
  auto policy = parse_policy(
      R"({"version":1,"mode":"enforce","prices":{"ml.p4d.24xlarge":20},"rules":[{"name":"r",)"
      R"("match":)" +
      match + R"(,"actions":["notify"]}]})");
  EXPECT_TRUE(policy) << policy.error().message;
  Sources sources(test::running());
  sources.set(Source::kDescribe, test::doc(test::kDescribe));
  sources.set(Source::kTags, test::doc(tags));
  const auto evaluation =
      decide(*policy, facts_from(sources, policy->prices(), test::kNow, policy->failures()),
             Mode::kEnforce);
  EXPECT_EQ(evaluation.decisions.size(), 1U) << match;
  return evaluation.decisions.empty() ? Decision{} : evaluation.decisions.front();
}

TEST(NoticeReasons, A5_TheValueStandsBesideWhatTheRuleAsksFor) {
  struct Case {
    const char* match;
    const char* said;
  };
  const Case cases[] = {
      {R"({"runtime": {"training_seconds": [{"numeric": [">", 600]}]}})",
       " s (the rule asks for more than 600 s)"},
      {R"({"runtime": {"training_seconds": [{"numeric": [">=", 1, "<", 86400]}]}})",
       " s (the rule asks for at least 1 s and below 86400 s)"},
      {R"({"cost": {"usd_per_hour": [{"numeric": [">", 100]}]}})",
       "cost.usd_per_hour is 160 USD an hour (the rule asks for more than 100 USD an hour)"},
      {R"({"cost": {"max_usd": [{"numeric": ["<=", 5000]}]}})",
       "cost.max_usd is 1600 USD (the rule asks for at most 5000 USD)"},
      {R"({"job": {"ResourceConfig": {"VolumeSizeInGB": [{"anything-but": 50}]}}})",
       "job.ResourceConfig.VolumeSizeInGB is 10 GB (the rule asks for anything but 50 GB)"},
      {R"({"job": {"StoppingCondition": {"MaxRuntimeInSeconds": [{"numeric": [">", 3600]}]}}})",
       "job.StoppingCondition.MaxRuntimeInSeconds is 36000 s (the rule asks for more than 3600 s)"},
      {R"({"resources": {"gpus": [{"numeric": [">", 8]}]}})",
       "resources.gpus is 64 (the rule asks for more than 8)"},
      // By the test that it passes, not by the first of the list.
      {R"({"resources": {"gpus": [{"numeric": ["<", 1]}, 7, {"numeric": [">", 32]}]}})",
       "resources.gpus is 64 (the rule asks for more than 32)"},
      {R"({"resources": {"instance_types": [{"anything-but": {"prefix": "ml.g5."}}]}})",
       "resources.instance_types is ml.p4d.24xlarge (the rule asks for anything that does not "
       "begin with ml.g5.)"},
      {R"({"resources": {"instance_types": [{"prefix": "ml.p"}]}})", "what begins with ml.p)"},
      {R"({"tags": {"team": [{"anything-but": ["a", "b", "c", "d", "e", "f", "g"]}]}})",
       "tags.team is vision (the rule asks for anything but a, b, c, d, e and 2 more)"},
      {R"({"tags": {"team": [{"equals-ignore-case": "VISION"}]}})",
       "(the rule asks for VISION, in any case of its letters)"},
      {R"({"tags": {"team": [{"wildcard": "v*n"}]}})", "(the rule asks for what looks like v*n)"},
      {R"({"tags": {"team": [{"exists": true}]}})",
       "tags.team is vision (the rule asks for any value)"},
      {R"({"tags": {"model": [{"exists": false}]}})", "tags.model is absent"},
  };
  for (const Case& c : cases) {
    const Decision decision = decided(c.match, R"({"team": "vision"})");
    ASSERT_EQ(decision.because.size(), 1U);
    EXPECT_TRUE(has(reason(decision.because[0]), c.said)) << reason(decision.because[0]);
    const std::string all =
        sent(NoticeFormat::kText, decision, NoticeOutcome::kNone, {}, job()).message;
    const std::string because = all.substr(all.find("\nBecause:"));
    EXPECT_TRUE(has(all.substr(0, all.find("\n\n")), c.said)) << all;
    EXPECT_TRUE(has(because, c.said)) << all;
  }
}

// A plain value is what the rule asks for; a tag's name is no unit; a secret's condition tells it.
TEST(NoticeReasons, A5_NothingIsSaidTwiceOrGivenAway) {
  struct Case {
    const char* match;
    const char* whole;
  };
  const Case cases[] = {
      {R"({"job": {"TrainingJobStatus": ["Failed", "InProgress"]}})",
       "job.TrainingJobStatus is InProgress"},
      {R"({"resources": {"gpus": [64]}})", "resources.gpus is 64"},
      {R"({"resources": {"gpus": [{"numeric": ["=", 64]}]}})", "resources.gpus is 64"},
      {R"({"tags": {"max_usd": ["5"]}})", "tags.max_usd is 5"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(reason(decided(c.match, R"({"max_usd": "5"})").because.at(0)), c.whole);
  const Because secret{Group::kJob, "HyperParameters.password", ""};
  EXPECT_EQ(reason(secret), "job.HyperParameters.password (its value is not shown)");
}

TEST(NoticeReasons, A5_ASubjectSaysWhatTheRuleFound) {
  const auto subject = [](const char* match) {
    return sent(NoticeFormat::kText, decided(match), NoticeOutcome::kNone, {}, job()).subject;
  };
  EXPECT_EQ(
      subject(R"({"cost": {"usd_per_hour": [{"numeric": [">", 100]}]}})"),
      "Trainwarden: train-1 matches r: cost.usd_per_hour is 160 USD an hour (the rule asks for "
      "more than 100 USD an hour)");
  EXPECT_EQ(subject(R"({"tags": {"model": [{"exists": false}]}})"),
            "Trainwarden: train-1 matches r: tags.model is absent");
  EXPECT_EQ(subject(R"({"job": {"TrainingJobStatus": ["InProgress"]}})"),
            "Trainwarden: train-1 matches r");
}

TEST(NoticeReasons, W4_OfAnAlarmItSaysWhatWasMeasuredAgainstWhichThreshold) {
  Decision decision;
  decision.rule = "tell-gpu-below-80";
  decision.mode = Mode::kEnforce;
  decision.actions = {{.kind = ActionKind::kNotify}};
  Measured measured{
      .watch = {.name = "gpu-below-80",
                .metric = "GPUUtilization",
                .statistic = "Average",
                .period_seconds = 300,
                .periods = 12,
                .datapoints = 12,
                .comparison = Watch::Comparison::kBelow,
                .threshold = 80,
                .per_gpu = true},
      .job = "train-1",
      .machines = {.count = 2, .threshold = 640, .parts = 8},
      .found = MeanMeasured{.kind = MeanMeasured::Kind::kBreaches, .hosts = 2, .values = {95}}};
  decision.rests_on_alarm = decision.asks_for_alarm = true;
  decision.because = {{Group::kAlarm, "watch", "gpu-below-80"}, {Group::kAlarm, "state", "ALARM"}};
  confirm(decision, std::make_shared<Measurement>(std::move(measured)), false);
  const auto told = sent(NoticeFormat::kText, decision, NoticeOutcome::kNone, {}, job());
  EXPECT_EQ(told.subject,
            "Trainwarden: train-1 matches tell-gpu-below-80: Average GPUUtilization below 80 % of "
            "each GPU");
  EXPECT_EQ(told.message.find(
                "The rule tell-gpu-below-80 matches the training job train-1: Average "
                "GPUUtilization of train-1 below 640 % (80 % for each of 8 GPUs) in 12 of 12 "
                "periods of 300 s: the mean of 2 hosts: 95 (11.88 per GPU). "),
            0U)
      << told.message;
}

}  // namespace
}  // namespace trainwarden::rules::notice_reasons_test
