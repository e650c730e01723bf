// What `trainwarden check` warns of where alarms and rules miss each other.
#include "handlers/rules/policy/unheard_alarms.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::unheard_alarms_test {
namespace {

constexpr std::string_view kPut = R"({"name": "put",
    "match": {"job": {"SecondaryStatus": ["Training"]}}, "actions": [{"watch": ["gpu-idle"]}]})";
constexpr std::string_view kHear = R"({"name": "hear",
    "match": {"alarm": {"watch": ["gpu-idle"], "state": ["ALARM"]}}, "actions": ["stop"]})";

// A policy of the watch gpu-idle and these rules.
std::vector<std::string> told(std::string_view rules) {
  return test::texts(unheard_alarms(test::policy(R"({"version": 1, "watches": {"gpu-idle": {
      "metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300, "periods": 3,
      "at_most": 1}}, "rules": [)" + std::string(rules) +
                                                 "]}")));
}

std::vector<std::string> told_of_match(std::string_view match) {
  return told(std::string(kPut) + "," + std::string(kHear) +
              R"(, {"name": "r", "actions": ["stop"], "match": )" + std::string(match) + "}");
}

TEST(UnheardAlarms, AWatchThatIsPutAndHeardIsNone) {
  EXPECT_EQ(told(std::string(kPut) + "," + std::string(kHear)), std::vector<std::string>());
}

struct Case {
  std::string_view match;
  std::string_view warning;  // empty where there is none
};

constexpr std::string_view kNeverOk =
    "rules[2] (r): never acts: only messages of the state `ALARM` lead to anything (W5)";
constexpr std::string_view kNeverTraining =
    "rules[2] (r): never acts: an alarm is confirmed only of a job that is InProgress and Training "
    "(W4)";
constexpr std::string_view kNoSuchWatch =
    "rules[2] (r): never matches: the policy has no such watch, only `gpu-idle`";

constexpr Case kCases[] = {
    {R"({"alarm": {"state": ["OK"]}})", kNeverOk},
    {R"({"alarm": {"state": ["OK", "INSUFFICIENT_DATA"]}})", kNeverOk},
    {R"({"alarm": {"state": [{"anything-but": "ALARM"}]}})", kNeverOk},
    {R"({"alarm": {"state": ["OK", "ALARM"]}})", ""},
    {R"({"alarm": {"state": [{"anything-but": "OK"}]}})", ""},
    {R"({"alarm": {"state": [{"prefix": "A"}]}})", ""},
    {R"({"alarm": {"watch": [{"prefix": "gpu_"}]}})", kNoSuchWatch},
    {R"({"alarm": {"watch": [{"wildcard": "*-busy"}]}})", kNoSuchWatch},
    {R"({"alarm": {"watch": [{"anything-but": {"suffix": "-idle"}}]}})", kNoSuchWatch},
    {R"({"alarm": {"watch": [{"prefix": "gpu-"}]}})", ""},
    {R"({"alarm": {"watch": [{"exists": true}]}})", ""},
    {R"({"alarm": {"watch": ["gpu-idle"]}, "job": {"TrainingJobStatus": ["Failed", "Stopped"]}})",
     kNeverTraining},
    {R"({"alarm": {"watch": ["gpu-idle"]}, "job": {"SecondaryStatus": ["Interrupted"]}})",
     kNeverTraining},
    {R"({"alarm": {"watch": ["gpu-idle"]}, "job": {"TrainingJobStatus": ["InProgress"]}})", ""},
    {R"({"alarm": {"watch": ["gpu-idle"]}, "job": {"SecondaryStatus": [{"exists": true}]}})", ""},
    // A rule on what is no alarm.
    {R"({"alarm": {"state": [{"exists": false}]}, "job": {"TrainingJobStatus": ["Failed"]}})", ""},
    {R"([{"alarm": {"state": ["ALARM"]}}, {"alarm": {"state": ["OK"]}}])",
     "rules[2] (r): alternative 2 never acts: only messages of the state `ALARM` lead to anything "
     "(W5)"},
};

TEST(UnheardAlarms, P2_ARuleThatWaitsInVainIsWarnedOf) {
  for (const Case& c : kCases) {
    const std::vector<std::string> wanted =
        c.warning.empty() ? std::vector<std::string>() : std::vector{std::string(c.warning)};
    EXPECT_EQ(told_of_match(c.match), wanted) << c.match;
  }
}

TEST(UnheardAlarms, P2_APolicyWithoutWatchesHasNoAlarms) {
  const Policy policy =
      test::policy(test::stop_rule(R"("match": {"alarm": {"state": ["ALARM"]}})"));
  EXPECT_EQ(test::texts(unheard_alarms(policy)),
            (std::vector<std::string>{
                "rules[0] (r): never acts: the policy has no watches, and so no alarms"}));
}

TEST(UnheardAlarms, P2_AWatchThatNoRulePutsIsWarnedOf) {
  EXPECT_EQ(told(kHear), (std::vector<std::string>{
                             "rules[0] (hear): waits for the alarm of the watch `gpu-idle`, which "
                             "no rule puts: expected the action {\"watch\": [\"gpu-idle\"]} in "
                             "another rule"}));
  constexpr std::string_view kOther =
      R"({"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]})";
  EXPECT_EQ(told(kOther), (std::vector<std::string>{"watches.gpu-idle: no rule uses it"}));
}

TEST(UnheardAlarms, P2_AnAlarmThatNoRuleWaitsForIsWarnedOf) {
  EXPECT_EQ(told(kPut),
            (std::vector<std::string>{
                "watches.gpu-idle: its alarm calls, and no rule waits for it: expected one on "
                "{\"alarm\": {\"watch\": [\"gpu-idle\"], \"state\": [\"ALARM\"]}}"}));
  for (const std::string_view match :
       {R"({"alarm": {"state": ["ALARM"]}})", R"({"event": {"trigger": ["alarm"]}})"})
    EXPECT_EQ(told(std::string(kPut) + R"(, {"name": "r", "actions": ["notify"], "match": )" +
                   std::string(match) + "}"),
              std::vector<std::string>())
        << match;
}

TEST(UnheardAlarms, P2_AlarmsThatAreNeverPutAreWarnedOf) {
  const auto put_on = [](std::string_view match) {
    return told(std::string(kHear) + R"(, {"name": "r", "actions": [{"watch": ["gpu-idle"]}],
        "match": )" +
                std::string(match) + "}");
  };
  EXPECT_EQ(
      put_on(R"({"alarm": {"watch": ["gpu-idle"]}})"),
      (std::vector<std::string>{
          "rules[1] (r): `watch` puts no alarm where one has called: expected it in a rule on "
          "{\"job\": {\"SecondaryStatus\": [\"Training\"]}}"}));
  EXPECT_EQ(put_on(R"({"job": {"SecondaryStatus": ["Starting"]}})"),
            (std::vector<std::string>{"rules[1] (r): `watch` puts no alarm: it does for a job that "
                                      "is InProgress and Training (W2)"}));
  EXPECT_EQ(put_on(R"({"job": {"TrainingJobStatus": ["InProgress"]}})"),
            std::vector<std::string>());
  EXPECT_EQ(put_on(R"([{"job": {"SecondaryStatus": ["Starting"]}},
                       {"job": {"SecondaryStatus": ["Training"]}}])"),
            std::vector<std::string>());
}

}  // namespace
}  // namespace trainwarden::rules::unheard_alarms_test
