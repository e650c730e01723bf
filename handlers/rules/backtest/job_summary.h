// What an export tells of a job itself: whose it was, how it ended, what it cost.
#pragma once

#include "handlers/rules/backtest/kept_job.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/job/prices.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// until: when the export was made; policy: nullptr where nothing is replayed.
JobFinding summary_of(const KeptJob& from, const Prices& prices, sys_seconds until,
                      const Policy* policy);

}  // namespace trainwarden::rules
