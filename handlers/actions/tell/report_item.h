// The item of the weekly report (policy.md S2), which keeps its claim like those of other notices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "runtime/base/time.h"

namespace trainwarden::actions {

// One a day: "report/2026-11-23".
std::string report_item_id(sys_seconds time);
bool is_report_item(std::string_view id);

// For sweeps: a report that was claimed two minutes ago and not sent is sent now.
std::vector<PendingNotice> settle_report(const std::string& id, const Apis& apis);

}  // namespace trainwarden::actions
