// What people are told of restarts that were refused or failed (A5).
#include <gtest/gtest.h>

#include "tests/handlers/rules/notices/notice_support.h"

namespace trainwarden::rules::notice_restart_test {
namespace {

using test::has;
using test::job;
using test::Kind;
using test::set_status;
using test::text;
using test::violation;

// The notice of a restart that came to this.
std::string restart_text(NoticeOutcome outcome, ActionResult result, const NoticeJob& of,
                         const Error* error = nullptr) {
  Decision decision = violation();
  decision.actions = {{.kind = ActionKind::kRestart}, {.kind = ActionKind::kNotify}};
  const std::vector<ActionReport> all{{ActionKind::kRestart, std::move(result), error}};
  return test::sent(NoticeFormat::kText, decision, outcome, all, of).message;
}

TEST(Notice, A5_OfARefusedRestartTheOwnerIsToldHowToDoItByHand) {
  NoticeJob of = job();
  set_status(of, "Failed");
  EXPECT_TRUE(has(restart_text(NoticeOutcome::kRefused,
                               refused(Reason{.why = Why::kEndedLongAgo, .number = 26}), of),
                  "trainwarden restart train-1 --dry-run, which says whether that may be"));
  of.generation = 3;
  EXPECT_TRUE(
      has(restart_text(NoticeOutcome::kRefused,
                       refused(Reason{.why = Why::kLimit, .name = "root", .number = 3, .limit = 3}),
                       of),
          "trainwarden restart train-1 --limit 4 --dry-run"));
}

TEST(Notice, A5_OfARestartThatFailedThatItIsTriedAgain) {
  const Error denied{ErrorCode::kAccessDenied, "CreateTrainingJob: AccessDeniedException"};
  NoticeJob of = job();
  EXPECT_FALSE(has(restart_text(NoticeOutcome::kFailed, {Kind::kFailed}, of, &denied),
                   "trainwarden restart"));
  set_status(of, "Stopped");
  const std::string text = restart_text(NoticeOutcome::kFailed, {Kind::kFailed}, of, &denied);
  EXPECT_TRUE(has(text, "Each sweep tries it again, until 26 hours after the job's end."));
  EXPECT_TRUE(has(text, "trainwarden restart train-1 --dry-run"));
}

TEST(Notice, A5_NobodyIsAdvisedToDoWhatIsRefusedByHandToo) {
  NoticeJob of = job();
  set_status(of, "Completed");
  EXPECT_FALSE(has(restart_text(NoticeOutcome::kRefused, refused(Why::kCompleted), of),
                   "trainwarden restart"));
  set_status(of, "Failed");
  EXPECT_FALSE(has(restart_text(NoticeOutcome::kRefused, refused(Why::kLaunchedByPipeline), of),
                   "trainwarden restart"));
  EXPECT_FALSE(has(text(violation(), NoticeOutcome::kRefused, of, refused(Why::kCompleted)),
                   "trainwarden restart"));
}

}  // namespace
}  // namespace trainwarden::rules::notice_restart_test
