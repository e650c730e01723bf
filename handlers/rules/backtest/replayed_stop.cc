#include "handlers/rules/backtest/replayed_stop.h"

#include <algorithm>
#include <tuple>

#include "handlers/rules/backtest/stop_verdict.h"
#include "handlers/rules/job/job_at.h"
#include "handlers/rules/job/job_cost.h"

namespace trainwarden::rules {

ReplayedStop replayed_stop(const ReplayedJob& job, const Decision& decision, const WatchCall* call,
                           Trigger trigger, bool restarts, sys_seconds at, const Prices& prices) {
  ReplayedStop out{.rule = decision.index, .at = at, .trigger = trigger, .restarts = restarts};
  std::optional<bool> lasted;
  if (call != nullptr && decision.measured) {
    out.watch = call->alarm.watch;
    lasted = job.watches()->lasted(call->watch, at);
    if (at >= call->since) out.noticed_after = at - call->since;
  }
  std::tie(out.verdict, out.ground) =
      verdict_of_stop({decision, job.whole(), job.finding.failure, lasted});
  const json::Document then = job_at(job.whole(), at);
  if (const auto before = cost_of(read_training_job(then.root()), prices, at)) {
    out.before_usd = before->spent_usd;
    if (job.finding.usd) {
      // What a job of spot machines has paid is told at its end alone, and may be less than the
      // bound that was known before.
      out.before_usd = std::clamp(before->spent_usd, 0.0, *job.finding.usd);
      out.after_usd = *job.finding.usd - *out.before_usd;
    }
  }
  out.because = decision.because;
  out.rests_on_tags = std::ranges::any_of(
      decision.because, [](const Because& because) { return rests_on_tags(because.group); });
  return out;
}

}  // namespace trainwarden::rules
