// What an export tells of a job itself: whose it was, how it ended, what it cost.
#pragma once

#include <span>
#include <string>

#include "handlers/rules/backtest/kept_job.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/job/prices.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// until: when the export was made.
JobFinding summary_of(const KeptJob& from, const Prices& prices, sys_seconds until,
                      std::span<const OwnSignature> failures);

}  // namespace trainwarden::rules
