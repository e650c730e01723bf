// The brake on stops (policy.md P7): one bad edit of the policy must not stop a fleet. There is no
// counter; what was stopped is read from the tags that stops leave.
#pragma once

#include <cstdint>
#include <optional>

#include "handlers/actions/context/job.h"
#include "handlers/rules/outcome/reason.h"

namespace trainwarden::actions {

// How many other jobs were stopped within the last hour, counted up to `enough`. By Search, which
// lags some seconds behind. An error means that nobody knows: then nothing may be stopped.
Result<std::int64_t> stops_in_last_hour(const JobRef& job, std::int64_t enough, const Apis& apis);

// Why a stop of the subject, for good or for a restart, would be one too many; nullopt where it
// would not.
Result<std::optional<rules::Reason>> held_back(const Subject& subject);

}  // namespace trainwarden::actions
