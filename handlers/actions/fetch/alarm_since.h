// When a watch went off, by CloudWatch's own word: a message that says so may be forged, late or
// repeated (policy.md A5).
#pragma once

#include <optional>
#include <string_view>

#include "handlers/actions/context/job.h"

namespace trainwarden::actions {

// Since when the first of the watch's alarms is in ALARM; nullopt where none is. kBadResponse where
// CloudWatch does not say since when.
Result<std::optional<sys_seconds>> in_alarm_since(const JobRef& job, std::string_view watch,
                                                  const Apis& apis);

}  // namespace trainwarden::actions
