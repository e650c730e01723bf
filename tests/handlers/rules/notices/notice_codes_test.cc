// policy.md A5, R1: what programs read of a notice.
#include <gtest/gtest.h>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_codes_test {
namespace {

using namespace test;

std::string actions(NoticeOutcome outcome, ActionResult result, const Error* error = nullptr) {
  const auto all = reports(std::move(result), error);
  const auto sent = test::sent(NoticeFormat::kJson, violation(), outcome, all, job());
  return json::to_text(*doc(sent.message).root().find("actions"));
}

TEST(NoticeCodes, A5_EachResultHasItsCodesBesideItsSentence) {
  EXPECT_TRUE(actions(NoticeOutcome::kHeldBack, held_back())
                  .ends_with(R"(,"code":"held-back","reason_code":"stops-per-hour"}])"))
      << actions(NoticeOutcome::kHeldBack, held_back());
  const Error denied{ErrorCode::kAccessDenied, "not allowed"};
  EXPECT_EQ(actions(NoticeOutcome::kFailed, {Kind::kFailed}, &denied),
            R"([{"action":"stop","result":"not allowed","code":"failed"}])");
}

// An earlier delivery stopped it, and the sentence says so.
TEST(NoticeCodes, A5_TheCodeIsThatOfTheSentence) {
  EXPECT_EQ(actions(NoticeOutcome::kStopped, not_done(Why::kHasEnded)),
            R"([{"action":"stop","result":"stopped","code":"stopped"}])");
  EXPECT_EQ(actions(NoticeOutcome::kStopped, {.kind = Kind::kEndedBefore, .name = "Stopping"}),
            R"([{"action":"stop","result":"stopped","code":"stopped"}])");
}

}  // namespace
}  // namespace trainwarden::rules::notice_codes_test
