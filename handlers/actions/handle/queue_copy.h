// Copies that wait for their turn (policy.md P7): what a job's end asks for and could not be
// ordered then, because the hour's limit was reached or something could not be fetched, is
// remembered, so that sweeps make it in turn and do not count it among what nobody decided on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// The restart that an enforced decision asks for; nullptr where it asks for none.
const rules::Action* restart_of(const rules::Decision& decision);

// Whether the job's copy waited before.
enum class Waited : std::uint8_t { kNot, kQueued, kTooLong };

// After everything else was done for the job. Remembers that a copy waits, where the record says so
// of a job that has ended; that it waited is over where the record says so. What cannot be written
// down becomes the record's error, so that the event comes again.
void update_queue(const Subject& subject, Waited waited, Record& record);

// The end of a copy that waited until it was too late; nullopt where no rule asks for it any more.
std::optional<ActionOutcome> end_waiting(const Subject& subject,
                                         std::span<const rules::Decision> decisions);

}  // namespace trainwarden::actions
