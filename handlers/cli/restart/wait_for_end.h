// Waits until a training job has ended.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/cli/access/aws_session.h"
#include "handlers/cli/terminal/console.h"

namespace trainwarden::cli {

enum class WaitResult : std::uint8_t {
  kEnded,
  kInterrupted,  // by the user
  kGone,
  kNamesake,  // its name is a later job's
};

struct WaitFailed {
  Error error;
  bool credentials_over = false;
};

// Polls at growing intervals, at least twice a minute. created: as Describe reported it before.
// Fails if AWS denies the call, or could not be asked for a quarter of an hour.
std::expected<WaitResult, WaitFailed> wait_for_end(const aws::JobName& job,
                                                   std::optional<sys_seconds> created,
                                                   const actions::Apis& session, Console& console);

}  // namespace trainwarden::cli
