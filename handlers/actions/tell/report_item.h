// The item of the weekly report (policy.md S2), which keeps its claim like those of other notices.
#pragma once

#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"

namespace trainwarden::actions {

// For sweeps: a report that was claimed two minutes ago and not sent is sent now.
std::vector<PendingNotice> settle_report(const std::string& id, const Apis& apis);

}  // namespace trainwarden::actions
