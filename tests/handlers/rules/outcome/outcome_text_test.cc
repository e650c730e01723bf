#include "handlers/rules/outcome/outcome_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::outcome_text_test {
namespace {

using Kind = ActionResult::Kind;

TEST(OutcomeText, R1_EachReasonHasASentenceOfItsOwn) {
  std::set<std::string> seen;
  for (int i = 0; i <= static_cast<int>(kLastWhy); ++i) {
    const std::string sentence = text(Reason{
        .why = static_cast<Why>(i), .name = "x", .error = Error{ErrorCode::kRejected, "rejected"}});
    EXPECT_FALSE(sentence.empty()) << i;
    EXPECT_FALSE(sentence.ends_with('.')) << sentence;
    EXPECT_TRUE(seen.insert(sentence).second) << "told of two reasons: " << sentence;
  }
}

// A code is what others search records for, so that all of them are documented.
template <typename Enum>
void expect_codes(Enum last) {
  const std::string manual = test::read_file("handlers/policy.md");
  std::set<std::string_view> seen;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const std::string_view one = code(static_cast<Enum>(i));
    EXPECT_EQ(one.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos) << one;
    EXPECT_TRUE(seen.insert(one).second) << one;
    EXPECT_NE(manual.find("`" + std::string(one) + "`"), std::string::npos) << one;
  }
}

TEST(OutcomeText, R1_EachReasonHasACodeOfItsOwn) {
  expect_codes(kLastWhy);
  // Each list's last, so that none has slipped against its enumerators.
  EXPECT_EQ(code(Why::kError), "error");
  EXPECT_EQ(code(Why::kPoolForCopy), "pool-for-copy");
  EXPECT_EQ(code(Why::kOtherMachines), "other-machines");
  EXPECT_EQ(code(Why::kOverdue), "overdue");
  EXPECT_EQ(code(Why::kRuleIsNewer), "rule-is-newer");
  EXPECT_EQ(code(Why::kPastIsNothing), "past-is-nothing");
  EXPECT_EQ(code(Why::kOperatorsAreTold), "operators-are-told");
  EXPECT_EQ(code(Why::kClaimedByAnother), "claimed-by-another");
}

TEST(OutcomeText, R1_EachResultHasACodeOfItsOwn) {
  expect_codes(ActionResult::kLast);
  EXPECT_EQ(code(Kind::kHeldBack), "held-back");
  EXPECT_EQ(code(Kind::kTunerStoppedBefore), "tuner-stopped-before");
}

TEST(OutcomeText, R1_EachResultHasWordsOfItsOwn) {
  std::set<std::string> seen;
  EXPECT_EQ(text(ActionResult{}), "");
  for (int i = 1; i <= static_cast<int>(ActionResult::kLast); ++i) {
    if (static_cast<Kind>(i) == Kind::kTunerStopped) continue;  // "stopped", with the tuner's name
    const std::string words = text(ActionResult{.kind = static_cast<Kind>(i)});
    EXPECT_FALSE(words.empty()) << i;
    EXPECT_TRUE(seen.insert(words).second) << "told of two results: " << words;
  }
}

TEST(OutcomeText, R1_AResultIsToldWithItsReasonOrName) {
  const struct {
    ActionResult result;
    const char* text;
  } cases[] = {
      {refused(Why::kCompleted), "refused: it completed"},
      {not_done(Why::kGone), "not done: the job is gone"},
      {refused(because_of({ErrorCode::kRejected, "AddTags: no"})), "refused: AddTags: no"},
      {{.kind = Kind::kCopied, .name = "train-r1-01234567"}, "copied as train-r1-01234567"},
      {{.kind = Kind::kCopied,
        .name = "train-r1-01234567",
        .resume = Resume{.kind = Resume::Kind::kCheckpoint,
                         .newest = sys_seconds(std::chrono::seconds(1'783'000'600))}},
       "copied as train-r1-01234567; its newest checkpoint is of 2026-07-02T13:56:40Z"},
      {{.kind = Kind::kStoppingToCopy, .resume = Resume{.kind = Resume::Kind::kNothing}},
       "stopping, to be copied when it has ended; it begins anew: nothing lies at its "
       "CheckpointConfig.S3Uri"},
      {{.kind = Kind::kCopied, .name = "a", .resume = Resume{.kind = Resume::Kind::kNoConfig}},
       "copied as a; it begins anew: it has no CheckpointConfig"},
      {{.kind = Kind::kStoppedByRule, .name = "other"}, "done by rule other"},
      {{Kind::kReleased}, "released"},
      {{.kind = Kind::kReleasedByRule, .name = "other"}, "released by rule other"},
      {not_done(Reason{.why = Why::kPoolIsReused, .name = "job-2"}),
       "not done: the job job-2 has taken its warm pool over"},
      {{.kind = Kind::kEndedBefore, .name = "Stopping"}, "already Stopping"},
      {{.kind = Kind::kEndedBefore}, "already stopping or ended"},
      {{.kind = Kind::kNotNotified,
        .reason = Reason{.why = Why::kStopsPerSweep, .limit = 3},
        .held = Kind::kHeldBack},
       "not told: held back: the sweep would stop more jobs than limits.stops_per_sweep, "
       "3"},
  };
  for (const auto& c : cases) EXPECT_EQ(text(c.result), c.text);
}

}  // namespace
}  // namespace trainwarden::rules::outcome_text_test
