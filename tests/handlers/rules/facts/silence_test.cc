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

TEST(Silence, F12_OnlyLowerBoundsOfADayAtMostAreTaken) {
  for (const char* element : {R"({"numeric": [">=", 3600]})", R"({"numeric": [">", 3600]})",
                              R"({"numeric": [">=", 600]})", R"({"numeric": [">=", 86400]})"})
    for (const char* where : {"match", "unless"}) {
      const auto policy = parse_policy(asking(element, where));
      ASSERT_TRUE(policy) << element << ": " << policy.error().message;
      EXPECT_EQ(test::texts(warnings_of(*policy)), std::vector<std::string>()) << element;
    }
  for (const char* element :
       {R"({"numeric": ["<", 3600]})", R"({"numeric": ["<=", 3600]})",
        R"({"numeric": ["=", 3600]})", R"({"numeric": [">", 600, "<", 3600]})", "3600", R"("3600")",
        "null", R"({"anything-but": 3600})", R"({"exists": true})", R"({"exists": false})",
        R"({"prefix": "3"})", R"({"numeric": [">=", 0]})", R"({"numeric": [">", -1]})",
        R"({"numeric": [">=", 86401]})", R"({"numeric": [">", 3600]}, {"exists": false})"})
    for (const char* where : {"match", "unless"})
      EXPECT_FALSE(parse_policy(asking(element, where))) << element;
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

TEST(Silence, P7_ADecisionKnowsThatItRestsOnSilentLogs) {
  const Policy policy = test::policy(asking(R"({"numeric": [">=", 3600]})"));
  Sources sources(test::running());
  const auto since = (test::kNow - std::chrono::hours(2)).time_since_epoch().count();
  sources.set(Source::kDescribe,
              test::doc(R"({"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
                "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": )" +
                        std::to_string(since) + "}]}"));
  sources.set(Source::kSilence, test::doc(R"({"silent_seconds": 3600})"));
  const Evaluation out = decide(policy, facts_from(sources, test::kNow), Mode::kEnforce);
  ASSERT_EQ(out.decisions.size(), 1U);
  EXPECT_TRUE(out.decisions[0].rests_on_silent_logs);
  EXPECT_FALSE(out.decisions[0].rests_on_silence);
  EXPECT_TRUE(out.decisions[0].rests_on.contains(Source::kSilence));
}

}  // namespace
}  // namespace trainwarden::rules::silence_test
