// What a policy would have done to jobs that are over: each goes through its life again, event by
// event, and at each the policy is decided on the description of that moment, by the engine that
// the functions have. Pure; asks nobody.
//
//   Replay replay(&policy, terms);
//   for (KeptJob& job : jobs) replay.add(std::move(job));  // in order of creation
//   std::vector<JobFinding> found = replay.finish();
//
// A job's events are its changes of status, the messages of its watches' alarms, and sweeps. What a
// stop prevents does not happen in the replay: nothing more is decided about the job, and limits
// count it. Only after a stop by what the job is are the other rules judged on, apart from all sums
// and limits (JobFinding::behind). Nothing else that the policy does changes what follows.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "handlers/rules/backtest/kept_job.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/backtest/replay_limits.h"
#include "handlers/rules/backtest/replayed_job.h"
#include "handlers/rules/decide/decide.h"
#include "handlers/rules/facts/facts.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// As template.yaml has it where nobody says otherwise.
inline constexpr std::chrono::minutes kSweepEvery{15};

struct ReplayTerms {
  bool as_enforced = true;  // every rule acts, whatever its mode
  // What is paid, and so what was kept or destroyed. Rules on cost know the policy's own alone.
  Prices prices = {};
  sys_seconds until = {};   // when the export was made: jobs that run still are known up to then
  std::size_t curves = 12;  // of so many of the costliest jobs the metrics are kept
  // Each decision, in order of time.
  std::function<void(const JobEvent&, sys_seconds, const Evaluation&)> on_event = {};
};

class Replay {
 public:
  // policy: nullptr for what was, without what would have been. It outlives this.
  Replay(const Policy* policy, ReplayTerms terms);

  // In order of creation: what happens to others before that is decided first.
  void add(KeptJob kept);
  // The jobs in the order in which they came. Call once.
  std::vector<JobFinding> finish();
  // Of each watch, in the policy's order; complete after finish().
  const std::vector<WatchCoverage>& coverage() const { return coverage_; }

 private:
  // What one moment brings for one job.
  struct Look {
    sys_seconds at;
    Trigger trigger = Trigger::kState;
    const WatchCall* call = nullptr;
  };
  // A stop that is asked for.
  struct Asked {
    std::size_t index = 0;  // of the job
    Look look;
    Decision decision;
    bool restarts = false;
    double hourly_cost = 0;
  };

  void advance(sys_seconds until);
  void pass_moment(std::size_t index);
  void sweep(sys_seconds at);
  bool may_hold_now(const ReplayedJob& job, sys_seconds at) const;
  Evaluation evaluate(ReplayedJob& job, Sources& sources, sys_seconds at, bool behind);
  std::optional<Asked> look(std::size_t index, const Look& now, bool behind = false);
  void look_behind(std::size_t index, const Look& now);
  bool confirm(ReplayedJob& job, const Look& now, const Sources& sources, Evaluation& evaluation,
               bool behind);
  void note_undecidable(ReplayedJob& job, const Sources& sources, const Evaluation& evaluation,
                        sys_seconds at);
  void do_other(ReplayedJob& job, const Decision& decision, sys_seconds at, const Sources& sources,
                bool behind);
  void restart_ended(ReplayedJob& job, const Decision& decision, const Action& action,
                     sys_seconds at, const Sources& sources, bool behind);
  void hold_back(ReplayedJob& job, const Asked& asked, Reason reason);
  ReplayedStop stop_of(const ReplayedJob& job, const Asked& asked) const;
  bool stop(const Asked& asked);
  void settle(std::size_t index);
  void count_watches(const ReplayedJob& job);
  void note_unkept(ReplayedJob& job);
  void keep_curves(std::size_t index, ReplayedJob& job);
  json::Document fleet_at(const ReplayedJob& job, sys_seconds at) const;

  const Policy* policy_;
  ReplayTerms terms_;
  ReplayLimits limits_;
  std::vector<std::size_t> timed_;  // rules that may begin to hold without an event
  bool fleet_ = false;              // some rule looks at the group `fleet`
  std::vector<JobFinding> found_;   // by the order in which the jobs came
  std::map<std::size_t, std::unique_ptr<ReplayedJob>> live_;
  std::set<std::pair<sys_seconds, std::size_t>> queue_;  // the next moment of each
  std::deque<std::pair<sys_seconds, std::unique_ptr<ReplayedJob>>> ended_;  // for `fleet`
  std::set<std::pair<double, std::size_t>> costliest_;
  sys_seconds swept_ = {};
  std::vector<WatchCoverage> coverage_;
};

}  // namespace trainwarden::rules
