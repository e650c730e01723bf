// Waits until a training job has ended.
#pragma once

#include "handlers/actions/context/job.h"
#include "handlers/cli/aws_session.h"
#include "handlers/cli/console.h"

namespace trainwarden::cli {

enum class Waited : std::uint8_t {
  kEnded,
  kInterrupted,  // by the person
  kGone,         // the job, or its name belongs to a later one
};

struct WaitFailed {
  Error error;
  bool credentials_over = false;
};

// Asks more and more seldom, twice a minute at least. created: as Describe told it before. Fails
// where AWS refuses to tell, or could not be asked for a quarter of an hour.
std::expected<Waited, WaitFailed> wait_for_end(const aws::JobName& job,
                                               std::optional<sys_seconds> created,
                                               const actions::Apis& session, Console& console);

}  // namespace trainwarden::cli
