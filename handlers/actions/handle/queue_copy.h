// Copies that wait for their turn (policy.md P7). If a rule asks for a copy at a job's end, and the
// copy cannot be ordered then because the hourly limit is reached or something could not be
// fetched, the copy is queued. Sweeps make queued copies in turn, and do not count them among the
// copies that nothing decided on at the job's end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// The restart that the decision asks for; nullptr if it asks for none or is not enforced.
const rules::Action* restart_of(const rules::Decision& decision);

// Whether the job's copy was in the queue before this look, and whether it is too late for it.
enum class QueueWait : std::uint8_t { kNot, kQueued, kTooLong };

// Call it after everything else was done for the job. If the job has ended and the record says that
// its copy must wait, queues the copy; if the record says that the wait is over, takes the copy out
// of the queue. A failed write becomes the record's error, so that the event comes again.
void update_queue(const Subject& subject, QueueWait waited, Record& record);

// Gives up a copy that waited until it was too late; nullopt if no rule asks for it any more.
std::optional<ActionOutcome> end_waiting(const Subject& subject,
                                         std::span<const rules::Decision> decisions);

}  // namespace trainwarden::actions
