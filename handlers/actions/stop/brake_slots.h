// The brake (policy.md P7) limits the damage that one bad edit of the policy can do within an hour.
// Slots are taken in the table after the look at the job, and before anything is written about it.
#pragma once

#include <optional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/state/brake.h"
#include "handlers/rules/state/job_item.h"

namespace trainwarden::actions {

// What the decision on the job asks the brake for: a stop, and with `copy` also a copy. who, item:
// of the job or tuner.
rules::BrakeAsk brake_ask(const std::string& who, const rules::JobItem& item,
                          const rules::Decision& decision, const rules::TrainingJob& job, bool copy,
                          const Subject& subject);

struct BrakeSlot {
  // Why the action is held back; nullopt if it may be carried out.
  std::optional<rules::Reason> held = {};
  // If it may be carried out, its call must end before this time.
  Deadline until = Deadline::never();
};

// A silent job gets no slot at first: the silence is recorded, and a look ten minutes later gets
// one if no more than limits.silent_stops_per_hour jobs fell silent together. If a limit holds
// actions back, TRAINWARDEN_NOTIFY_TOPIC is notified once an hour, not for each job.
Result<BrakeSlot> take_brake_slot(const rules::BrakeAsk& ask, const Subject& subject);

// Gives back the slot of a copy whose attempt was definitely refused (rules/state/brake.h). If that
// cannot be written, the slot counts for its hour.
void give_copy_slot_back(const rules::BrakeAsk& ask, const Apis& apis);

// Notifies the same topic, once an hour, that a sweep's own limit held back stops, or copies
// (Why::kCopiesPerSweep). An error if this could not be claimed or sent: the next sweep tries
// again.
Result<void> notify_of_sweep(const rules::Reason& held, const ActivePolicy& rules,
                             const Apis& apis);

// The context for calls made with the slot: they end before the slot does.
aws::CallContext calls_until(const BrakeSlot& slot, const Apis& apis);

}  // namespace trainwarden::actions
