// The brake (policy.md P7): what one bad edit of the policy can do within an hour at most. Slots
// are taken in the table after the look at the job, and before anything is written about it.
#pragma once

#include <optional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/state/brake.h"

namespace trainwarden::actions {

// What that decision asks the brake for: a stop, and a copy too where it is restarted.
rules::BrakeAsk brake_ask(const std::string& who, const rules::Decision& decision, bool copy);

struct BrakeSlot {
  // Why it is held back; nullopt where it may be done.
  std::optional<rules::Reason> held = {};
  // Then it is done by a call that ends before this time, or not at all.
  Deadline until = Deadline::never();
};

// A job that was found silent is seen first, and takes a slot by a look ten minutes later, if
// no more than limits.silent_stops_per_hour fell silent with it. Where a limit holds it back, the
// people of TRAINWARDEN_NOTIFY_TOPIC hear of that once an hour, not job by job.
Result<BrakeSlot> take_brake_slot(const rules::BrakeAsk& ask, const Subject& subject);

// The copy that this attempt was to make was refused for certain (rules/state/brake.h). Where that
// cannot be written down, the slot counts for its hour.
void give_copy_slot_back(const rules::BrakeAsk& ask, const Apis& apis);

// A sweep held back stops, or copies (Why::kCopiesPerSweep), by its own limit: the same people hear
// of it, once an hour. kStateUnavailable: that could not be claimed, and the next sweep tries
// again.
Result<void> tell_of_sweep(const rules::Reason& held, const ActivePolicy& rules, const Apis& apis);

// The calls of whoever has such a slot.
aws::CallContext calls_until(const BrakeSlot& slot, const Apis& apis);

}  // namespace trainwarden::actions
