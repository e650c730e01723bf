// The hourly digest of a topic (policy.md A9; rules/state/digest_item.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/state/digest_item.h"

namespace trainwarden::actions {

// Who sends a digest that is due: this caller, or the sweep that it is, at its end, when all is
// gathered.
enum class DigestSender : std::uint8_t { kCaller, kSweep };

// The people of TRAINWARDEN_NOTIFY_TOPIC hear of a limit that was reached: at once, or with the
// next digest. An error: neither is sure to happen.
Result<void> notify_of_limit(const rules::Reason& held, DigestSender sender,
                             const ActivePolicy& rules, const Apis& apis);

// Of an alarm that went off again. True: it goes with the topic's next digest. False: publish it
// now; the table may not have been writable.
bool goes_with_digest(const std::string& topic, const rules::GatheredNotice& notice,
                      const Apis& apis);

// Sends the digest of that item if its hour is over; nullopt where there is nothing to send (yet),
// and where the functions only observe.
std::optional<PendingNotice> send_digest(const std::string& id, const ActivePolicy& rules,
                                         const Apis& apis);

}  // namespace trainwarden::actions
