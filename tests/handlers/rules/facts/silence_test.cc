// What a rule may ask of logs.silent_seconds (policy.md F12).
#include "handlers/rules/facts/silence.h"

#include "handlers/rules/policy/contradictions.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::silence_test {
namespace {

std::string asking(const std::string& element, const char* where = "match") {
  const std::string silence = R"({"logs": {"silent_seconds": [)" + element + "]}}";
  if (std::string_view(where) == "match") return test::stop_rule("\"match\": " + silence);
  return test::stop_rule(R"("match": {"job": {"SecondaryStatus": ["Training"]}}, "unless": )" +
                         silence);
}

// Issue 40.9: the number is exact, or as good as exact.
TEST(Silence, F12_NumbersOfADayAtMostAndPresenceAreTaken) {
  for (const char* element :
       {R"({"numeric": [">=", 3600]})", R"({"numeric": [">", 3600]})",
        R"({"numeric": [">=", 600]})", R"({"numeric": [">=", 86400]})",
        R"({"numeric": ["<", 3600]})", R"({"numeric": ["<=", 3600]})",
        R"({"numeric": ["=", 3600]})", R"({"numeric": [">", 600, "<", 3600]})", "3600",
        R"({"anything-but": 3600})", R"({"exists": true})", R"({"exists": false})",
        R"({"numeric": [">", 3600]}, {"exists": false})"})
    for (const char* where : {"match", "unless"}) {
      const auto policy = parse_policy(asking(element, where));
      ASSERT_TRUE(policy) << element << ": " << policy.error().message;
      EXPECT_EQ(test::texts(warnings_of(*policy)), std::vector<std::string>()) << element;
    }
  for (const char* element :
       {R"("3600")", "null", R"({"prefix": "3"})", R"({"numeric": [">=", 0]})",
        R"({"numeric": [">", -1]})", R"({"numeric": [">=", 86401]})",
        R"({"numeric": ["<", 86401]})", R"({"numeric": ["=", -1]})", "86401",
        R"({"anything-but": 86401})", R"({"anything-but": "3600"})"})
    for (const char* where : {"match", "unless"})
      EXPECT_FALSE(parse_policy(asking(element, where))) << element;
}

std::vector<std::chrono::seconds> asked(const std::string& element, const char* where = "match") {
  const Policy policy = test::policy(asking(element, where));
  return {policy.silences().begin(), policy.silences().end()};
}

// From a number that is right at these seconds, a condition has the same answer as from the exact
// one.
TEST(Silence, F12_EachConditionSaysAtWhichSecondsItsAnswerChanges) {
  using Seconds = std::vector<std::chrono::seconds>;
  using std::chrono::seconds;
  EXPECT_EQ(asked(R"({"numeric": ["<", 60.5]})"), (Seconds{seconds(0), seconds(61)}));
  EXPECT_EQ(asked(R"({"numeric": ["<=", 60]})"), (Seconds{seconds(0), seconds(61)}));
  EXPECT_EQ(asked(R"({"numeric": ["=", 60]})"), (Seconds{seconds(0), seconds(60), seconds(61)}));
  EXPECT_EQ(asked("60"), (Seconds{seconds(0), seconds(60), seconds(61)}));
  EXPECT_EQ(asked(R"({"anything-but": [5, 60]})"),
            (Seconds{seconds(0), seconds(5), seconds(6), seconds(60), seconds(61)}));
  EXPECT_EQ(asked(R"({"numeric": [">", 60, "<=", 90]})"),
            (Seconds{seconds(0), seconds(61), seconds(91)}));
  EXPECT_EQ(asked(R"({"exists": true})"), Seconds{seconds(0)});
}

TEST(Silence, P7_TheShortestSilenceThatSpeaksForARuleIsThatOfABoundBelow) {
  const auto shortest = [](const std::string& element, const char* where = "match") {
    return test::policy(asking(element, where)).shortest_silence();
  };
  EXPECT_EQ(shortest(R"({"numeric": [">", 600]})"), std::chrono::seconds(601));
  EXPECT_FALSE(shortest(R"({"numeric": ["<", 600]})"));
  EXPECT_FALSE(shortest(R"({"exists": true})"));
  EXPECT_EQ(shortest(R"({"numeric": ["<", 600]})", "unless"), std::chrono::seconds(600));
  EXPECT_FALSE(shortest(R"({"numeric": [">=", 600]})", "unless"));
}

TEST(Silence, F12_SilenceThatLateLinesWouldPassIsWarnedOf) {
  const auto policy = parse_policy(asking(R"({"numeric": [">=", 120]})"));
  ASSERT_TRUE(policy);
  ASSERT_EQ(warnings_of(*policy).size(), 1U);
  EXPECT_NE(warnings_of(*policy)[0].message.find("600"), std::string::npos);
}

TEST(Silence, F12_ThePolicyKnowsAtWhichSilencesToAsk) {
  const Policy policy = test::policy(R"({"version": 1, "rules": [
    {"name": "a", "match": {"logs": {"silent_seconds": [{"numeric": [">", 3600]}]}}, "actions": ["stop"]},
    {"name": "b", "match": {"job": {"SecondaryStatus": ["Training"]}},
     "unless": [{"logs": {"silent_seconds": [{"numeric": [">=", 1799.5]}]}},
                {"logs": {"silent_seconds": [{"numeric": [">=", 3601]}]}}], "actions": ["notify"]}]})");
  EXPECT_EQ(std::vector(policy.silences().begin(), policy.silences().end()),
            (std::vector{std::chrono::seconds(1800), std::chrono::seconds(3601)}));
  EXPECT_TRUE(
      test::policy(test::stop_rule(R"("match": {"tags": {"a": ["b"]}})")).silences().empty());
}

// Facts of a job that has trained for so long, with what its logs say.
Truth verdict(const Policy& policy, std::chrono::seconds trains_for, std::string_view silence) {
  Sources sources(test::running());
  const auto since = (test::kNow - trains_for).time_since_epoch().count();
  sources.set(Source::kDescribe,
              test::doc(R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
                "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": )" +
                        std::to_string(since) + "}]}"));
  if (!silence.empty()) sources.set(Source::kSilence, test::doc(silence));
  return evaluate_rule(policy, 0, facts_from(sources, test::kNow), Mode::kEnforce).verdict;
}

TEST(Silence, F12_ASegmentThatIsTooYoungIsNotSilentWhateverItsLogsAre) {
  const Policy policy = test::policy(asking(R"({"numeric": [">=", 3600]})"));
  using std::chrono::seconds;
  EXPECT_EQ(name(verdict(policy, seconds(3599), "")), "false");
  EXPECT_EQ(name(verdict(policy, seconds(3599), R"({"silent_seconds": 3600})")), "false");
  EXPECT_EQ(name(verdict(policy, seconds(3600), "")), "unknown");
  EXPECT_EQ(name(verdict(policy, seconds(3600), R"({"silent_seconds": 3600})")), "true");
  EXPECT_EQ(name(verdict(policy, seconds(3600), R"({"silent_seconds": 0})")), "false");
  EXPECT_EQ(name(verdict(policy, seconds(3600), "{}")), "false");
}

std::vector<Decision> decisions(const Policy& policy, std::string_view silence) {
  Sources sources(test::running());
  const auto since = (test::kNow - std::chrono::hours(2)).time_since_epoch().count();
  sources.set(Source::kDescribe,
              test::doc(R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
                "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": )" +
                        std::to_string(since) + "}]}"));
  sources.set(Source::kSilence, test::doc(silence));
  return decide(policy, facts_from(sources, test::kNow), Mode::kEnforce).decisions;
}

TEST(Silence, P7_ADecisionKnowsThatItRestsOnSilentLogs) {
  const auto out = decisions(test::policy(asking(R"({"numeric": [">=", 3600]})")),
                             R"({"silent_seconds": 3600})");
  ASSERT_EQ(out.size(), 1U);
  EXPECT_TRUE(out[0].rests_on_silent_logs);
  EXPECT_TRUE(out[0].measured);
  EXPECT_FALSE(out[0].rests_on_silence);
  EXPECT_TRUE(out[0].rests_on.contains(Source::kSilence));
}

TEST(Silence, P7_ADecisionOnAJobThatWritesRestsOnNoSilence) {
  for (const char* element : {R"({"numeric": ["<", 3600]})", R"({"exists": true})",
                              R"({"anything-but": 7})", R"({"numeric": [">=", 5, "<", 3600]})"}) {
    const auto out = decisions(test::policy(asking(element)), R"({"silent_seconds": 20})");
    ASSERT_EQ(out.size(), 1U) << element;
    EXPECT_FALSE(out[0].rests_on_silent_logs) << element;
    EXPECT_FALSE(out[0].measured) << element;
  }
}

TEST(Silence, P7_AnExemptionThatSilenceEndsRestsOnIt) {
  const Policy policy = test::policy(asking(R"({"numeric": ["<", 3600]})", "unless"));
  EXPECT_TRUE(decisions(policy, R"({"silent_seconds": 20})").empty());
  const auto out = decisions(policy, R"({"silent_seconds": 3600})");
  ASSERT_EQ(out.size(), 1U);
  EXPECT_TRUE(out[0].rests_on_silent_logs);
  // One that writing ends does not.
  const auto writes = decisions(test::policy(asking(R"({"numeric": [">=", 3600]})", "unless")),
                                R"({"silent_seconds": 20})");
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_FALSE(writes[0].rests_on_silent_logs);
}

TEST(Silence, F12_AConditionThatAShortSilencePassesIsAskedOfAYoungJobToo) {
  using std::chrono::seconds;
  const Policy below = test::policy(asking(R"({"numeric": ["<", 60]})"));
  EXPECT_EQ(name(verdict(below, seconds(7200), "")), "unknown");
  EXPECT_EQ(name(verdict(below, seconds(7200), R"({"silent_seconds": 59})")), "true");
  EXPECT_EQ(name(verdict(below, seconds(7200), R"({"silent_seconds": 60})")), "false");
  const Policy none = test::policy(asking(R"({"exists": false})"));
  EXPECT_EQ(name(verdict(none, seconds(5), "{}")), "true");
  EXPECT_EQ(name(verdict(none, seconds(5), R"({"silent_seconds": 5})")), "false");
}

}  // namespace
}  // namespace trainwarden::rules::silence_test
