// What one stop of a replay would have saved, or destroyed.
#pragma once

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/backtest/replayed_job.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::rules {

// call: of the alarm that asked for it; nullptr where none did. Money counts to the job's real end;
// of a job that runs still, to the moment of the export.
ReplayedStop replayed_stop(const ReplayedJob& job, const Decision& decision, const WatchCall* call,
                           Trigger trigger, bool restarts, sys_seconds at, const Prices& prices);

}  // namespace trainwarden::rules
