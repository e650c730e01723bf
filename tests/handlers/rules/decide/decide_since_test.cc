// The policy's `since`: jobs that were there before it are told of, not stopped.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/outcome/outcome_text.h"
#include "tests/handlers/rules/decide/decide_support.h"

namespace trainwarden::rules::decide_since_test {
namespace {

using test::verdict;

// 1783000000 is 2026-07-02T13:46:40Z.
std::string since_policy(std::string_view since, std::string_view actions) {
  return R"({"version": 1, "mode": "enforce", "since": ")" + std::string(since) +
         R"(", "rules": [{"name": "r", "match": {"event": {"trigger": ["state"]}}, "actions": )" +
         std::string(actions) + "}]}";
}

TEST(DecideSince, AStopNeedsDescribe) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T00:00:00Z", R"(["stop"])"), {"", ""});
  EXPECT_EQ(out.verdict, Truth::kUnknown);
  EXPECT_EQ(out.needs.names(), "describe");
}

TEST(DecideSince, ANoticeDoesNot) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T00:00:00Z", R"(["notify"])"), {"", ""});
  EXPECT_EQ(out.verdict, Truth::kTrue);
}

TEST(DecideSince, YoungerJobsAreStopped) {
  for (std::string_view time : {"1783000000", "1783000000.25", "1783000000000", "\"1783000000000\"",
                                "\"2026-07-02T13:46:40Z\""}) {
    SCOPED_TRACE(std::string(time));
    const RuleVerdict out = verdict(since_policy("2026-07-02T13:46:40Z", R"(["stop"])"),
                                    {R"({"CreationTime": )" + std::string(time) + "}", ""});
    ASSERT_TRUE(out.decision);
    EXPECT_EQ(test::kinds(out.decision->actions), std::vector{ActionKind::kStop});
    EXPECT_EQ(out.decision->rests_on.names(), "event, describe");
    EXPECT_TRUE(out.dropped.empty());
  }
}

TEST(DecideSince, OlderJobsAreNotStoppedButTold) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T13:46:41Z", R"(["stop", "notify"])"),
                                  {R"({"CreationTime": 1783000000})", ""});
  ASSERT_TRUE(out.decision);
  EXPECT_EQ(test::kinds(out.decision->actions), std::vector{ActionKind::kNotify});
  ASSERT_EQ(out.dropped.size(), 1U);
  EXPECT_EQ(out.dropped[0].rule, "r");
  EXPECT_EQ(out.dropped[0].action, ActionKind::kStop);
  EXPECT_EQ(text(out.dropped[0].reason),
            "the job was created 2026-07-02T13:46:40Z, before the policy's `since` "
            "2026-07-02T13:46:41Z");
}

TEST(DecideSince, WithoutAnActionLeftThereIsNoDecision) {
  const RuleVerdict out = verdict(since_policy("2026-07-02T13:46:41Z", R"(["stop"])"),
                                  {R"({"CreationTime": 1783000000})", ""});
  EXPECT_EQ(out.verdict, Truth::kTrue);
  EXPECT_FALSE(out.decision);
  EXPECT_EQ(out.dropped.size(), 1U);
}

TEST(DecideSince, AnUnknownCreationTimeStopsNothing) {
  for (std::string_view describe :
       {"!", "{}", R"({"CreationTime": null})", R"({"CreationTime": "soon"})"}) {
    SCOPED_TRACE(std::string(describe));
    const RuleVerdict out =
        verdict(since_policy("2026-07-02T00:00:00Z", R"(["stop"])"), {describe, ""});
    EXPECT_EQ(out.verdict, Truth::kUnavailable);
    ASSERT_TRUE(out.skipped);
    EXPECT_EQ(out.skipped->sources.names(), "describe");
    EXPECT_EQ(text(*out.skipped), describe == "!"
                                      ? "describe: not allowed"
                                      : "describe: `CreationTime`: expected a time, found none");
  }
}

}  // namespace
}  // namespace trainwarden::rules::decide_since_test
