#include "handlers/cli/restart/wait_for_end.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/job/training_job.h"

namespace trainwarden::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kFirstPause{5'000};
constexpr milliseconds kLongestPause{30'000};
constexpr milliseconds kTick{1'000};
constexpr std::chrono::minutes kWithoutAnswer{15};

// Whether a later try may succeed.
bool may_pass_by(ErrorCode code) {
  return retryable(code) || code == ErrorCode::kBadResponse || code == ErrorCode::kDeadline ||
         code == ErrorCode::kTls;
}

class EndOfJob {
 public:
  EndOfJob(const aws::JobName& job, std::optional<sys_seconds> created,
           const actions::Apis& session, Console& console)
      : job_(job),
        created_(created),
        session_(session),
        console_(console),
        begin_(session.clock.steady_now()),
        answered_(begin_) {}

  std::expected<WaitResult, WaitFailed> wait() {
    for (milliseconds pause = kFirstPause;; pause = std::min(pause * 3 / 2, kLongestPause)) {
      auto looked = look();
      if (!looked) return std::unexpected(std::move(looked).error());
      if (*looked) return **looked;
      if (!sleep(pause)) return WaitResult::kInterrupted;
    }
  }

 private:
  // nullopt if the job has not ended yet.
  std::expected<std::optional<WaitResult>, WaitFailed> look() {
    const CommandStep step(session_);
    const auto described = step.apis().sagemaker.describe_training_job(job_, step.context());
    const auto now = session_.clock.steady_now();
    if (!described && described.error().code == ErrorCode::kNotFound) return WaitResult::kGone;
    if (!described) {
      if (!may_pass_by(described.error().code) || now - answered_ > kWithoutAnswer)
        return std::unexpected(WaitFailed{described.error(), step.credentials_over()});
      state_ = fmt::format("AWS gives no answer ({})", name(described.error().code));
      return std::nullopt;
    }
    answered_ = now;
    const auto job = rules::read_training_job(described->root());
    if (job.created != created_) return WaitResult::kNamesake;
    if (job.has_ended()) return WaitResult::kEnded;
    state_ = fmt::format("{}/{}", job.status_text, job.secondary_text);
    return std::nullopt;
  }

  // Returns false if the user interrupts the wait.
  bool sleep(milliseconds pause) {
    for (milliseconds slept{0}; slept < pause; slept += kTick) {
      const auto elapsed = std::chrono::floor<seconds>(session_.clock.steady_now() - begin_);
      console_.show(job_.view(), printable(state_), elapsed);
      if (console_.is_interrupted()) return false;
      session_.clock.sleep_for(kTick);
    }
    return !console_.is_interrupted();
  }

  const aws::JobName& job_;
  std::optional<sys_seconds> created_;
  const actions::Apis& session_;
  Console& console_;
  Deadline::Clock::time_point begin_;
  Deadline::Clock::time_point answered_;
  std::string state_;
};

}  // namespace

std::expected<WaitResult, WaitFailed> wait_for_end(const aws::JobName& job,
                                                   std::optional<sys_seconds> created,
                                                   const actions::Apis& session, Console& console) {
  auto out = EndOfJob(job, created, session, console).wait();
  console.clear();
  return out;
}

}  // namespace trainwarden::cli
