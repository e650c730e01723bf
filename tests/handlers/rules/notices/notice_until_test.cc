// A notice says which tag keeps a job from the rule, and until when at most (F15).
#include <gtest/gtest.h>

#include <string>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_until_test {
namespace {

using test::has;
using test::text;
using test::violation;

std::vector<Extension> of(const std::string& members) {
  const Policy policy = test::policy(
      test::stop_rule(R"("match": {"job": {"TrainingJobStatus": ["InProgress"]}}, )" + members));
  return extensions_of(policy.rules()[0]);
}

std::vector<Extension> by(const std::string& element) {
  return of(R"("unless": {"until": {"keep-until": [)" + element + "]}}");
}

using std::chrono::seconds;

TEST(Extensions, F15_TheTagsThatAloneExemptAndTheirBounds) {
  const std::vector<Extension> week = {{"keep-until", seconds(604800)}};
  EXPECT_EQ(by(R"({"numeric": [">", 0, "<=", 604800]})"), week);
  EXPECT_EQ(by(R"({"numeric": ["<=", 604800]})"), week);
  EXPECT_EQ(by(R"({"numeric": [">", 0, "<=", 60]}, {"numeric": [">", 3600, "<=", 604800]})"), week);
  EXPECT_EQ(of(R"("unless": [{"until": {"a": [{"numeric": [">", 0, "<", 60]}]}},
                             {"tags": {"keep": ["yes"]}},
                             {"until": {"b": [{"numeric": [">", 0, "<=", 120]}]}}])"),
            (std::vector<Extension>{{"a", seconds(60)}, {"b", seconds(120)}}));
}

TEST(Extensions, F15_NoneWithoutABoundOrWhereTheTimeAloneDoesNotDo) {
  for (const char* element :
       {R"({"numeric": [">", 0]})", R"({"exists": true})", R"({"anything-but": 0})",
        R"({"numeric": ["<=", 0]})", R"({"exists": false})"})
    EXPECT_TRUE(by(element).empty()) << element;
  constexpr const char* kTime = R"("until": {"a": [{"numeric": [">", 0, "<=", 604800]}]})";
  EXPECT_TRUE(of(std::string(R"("unless": {"tags": {"b": ["c"]}, )") + kTime + "}").empty());
  EXPECT_TRUE(of(R"("unless": {"until": {"a": [{"numeric": [">", 0, "<=", 604800]}],
                                         "b": [{"numeric": [">", 0, "<=", 604800]}]}})")
                  .empty());
  EXPECT_TRUE(of(R"("message": "nothing exempts")").empty());
}

NoticeJob kept(seconds at_most) {
  NoticeJob out = test::job();
  out.extensions = {{"keep-until", at_most}};
  out.seen_at = test::kNow;  // 2026-07-02T13:56:40Z
  return out;
}

TEST(NoticeUntil, A5_F15_OfAJobThatRunsItSaysUntilWhenAndHow) {
  const std::string told =
      text(violation(Mode::kNotify), NoticeOutcome::kNone, kept(std::chrono::days(7)), {});
  EXPECT_TRUE(has(told,
                  "say until when in its tag keep-until, 2026-07-09T13:56:40Z at the latest "
                  "(7 days ahead): aws sagemaker add-tags --resource-arn " +
                      std::string(test::kArn) +
                      " --tags 'Key=keep-until,Value=2026-07-09T13:56:40Z'"))
      << told;
}

TEST(NoticeUntil, A5_F15_OfOneThatWasStoppedWhatToSetNextTime) {
  for (const NoticeOutcome outcome : {NoticeOutcome::kStopped, NoticeOutcome::kEnded}) {
    const std::string told = text(violation(), outcome, kept(std::chrono::hours(1)));
    EXPECT_TRUE(has(told, "its tag keep-until may say until when")) << told;
    EXPECT_TRUE(has(told, "at most 1 hour ahead")) << told;
    EXPECT_FALSE(has(told,
                     "add-tags --resource-arn arn:aws:sagemaker:eu-central-1:111122223333:"
                     "training-job/train-1 --tags 'Key=keep-until"));
  }
}

TEST(NoticeUntil, A5_F15_TheLengthInItsLargestUnit) {
  struct Case {
    seconds length;
    const char* words;
  };
  for (const Case& c : {Case{std::chrono::days(1), "(1 day ahead)"},
                        {std::chrono::days(30), "(30 days ahead)"},
                        {std::chrono::hours(36), "(36 hours ahead)"},
                        {std::chrono::minutes(90), "(90 minutes ahead)"},
                        {seconds(45), "(45 s ahead)"}})
    EXPECT_TRUE(
        has(text(violation(Mode::kNotify), NoticeOutcome::kNone, kept(c.length), {}), c.words))
        << c.words;
}

TEST(NoticeUntil, A5_F15_WithoutSuchATagNothingIsSaid) {
  EXPECT_FALSE(has(text(violation(), NoticeOutcome::kStopped, test::job()), "needs longer"));
}

}  // namespace
}  // namespace trainwarden::rules::notice_until_test
