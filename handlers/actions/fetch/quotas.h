// Whether the account's quotas let a copy have the machines that a restart moves it to (policy.md
// A4): asked before a job that runs is stopped for them.
#pragma once

#include <optional>

#include "handlers/actions/context/job.h"
#include "handlers/actions/fetch/job_snapshot.h"

namespace trainwarden::actions {

// Why the restart can come to none of the machines that it asks for; nullopt where it may. Asks
// nobody where the copy's machines are the job's own. Quotas that cannot be had are not known, and
// refuse nothing; an error is the table's.
Result<std::optional<rules::Reason>> why_quota_refuses(const JobSnapshot& original,
                                                       const rules::Restart& options,
                                                       const Apis& apis);

}  // namespace trainwarden::actions
