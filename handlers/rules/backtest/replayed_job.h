// A job on its way through a replay: its moments, and what is known of it at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "handlers/rules/backtest/kept_job.h"
#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/backtest/watch_replay.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

class ReplayedJob {
 public:
  struct Moment {
    enum class Kind : std::uint8_t { kState, kAlarm, kEnd };

    sys_seconds at;
    Kind kind = Kind::kState;
    std::size_t call = 0;  // of kAlarm: in calls()
  };

  // policy: nullptr where nothing is to be decided. until: what happened later is not known.
  ReplayedJob(KeptJob kept, const Policy* policy, sys_seconds until, JobFinding described);

  const KeptJob& kept() const { return kept_; }
  const TrainingJob& whole() const { return *kept_.sources.job(); }
  const WatchReplay* watches() const { return watches_ ? &*watches_ : nullptr; }
  const std::vector<WatchCall>& calls() const { return calls_; }

  // The next thing that happens to it; nullptr where nothing is left.
  const Moment* next() const { return next_ < moments_.size() ? &moments_[next_] : nullptr; }
  void pass() {
    ++next_;
    swept_.reset();
  }

  // What was known then: the description of that moment, today's tags, and the log's end once the
  // job has ended. trigger: a state event tells the statuses, others do not.
  Sources sources_at(sys_seconds at, Trigger trigger, std::optional<AlarmEvent> alarm = {}) const;
  // The same for a sweep, kept until something happens to the job.
  const Sources& sources_of_sweep(sys_seconds at) const;
  // Whether it ran then.
  bool runs_at(sys_seconds at) const;
  bool is_stopped() const { return finding.stop.has_value(); }
  // Whether a rule asked to stop it by what it is, so that others are judged behind that stop.
  bool judges_behind() const;
  // Whether that is, or follows, the word of that rule, which says nothing new.
  bool has_asked(std::size_t rule) const;
  // Whether nothing more is judged.
  bool is_over() const { return is_stopped() && !judges_behind(); }

  JobFinding finding;

  // Watches that fell silent, and when that was first seen (P7).
  std::map<std::size_t, sys_seconds> seen_silent;
  // Watches that some rule asked for, and since when.
  std::map<std::size_t, sys_seconds> watched;
  // A stop that was announced (A1): from when on it is due, and when its rule was seen to hold
  // last.
  struct Grace {
    sys_seconds until;
    sys_seconds seen;
  };
  std::map<std::size_t, Grace> graces;  // by rule
  bool try_again = false;               // a limit held a stop back, or a tag may have been late

 private:
  void add_moments(sys_seconds until);

  KeptJob kept_;
  std::optional<WatchReplay> watches_;
  std::vector<WatchCall> calls_;
  std::vector<Moment> moments_;  // in order of time
  std::size_t next_ = 0;
  mutable std::optional<Sources> swept_;
};

}  // namespace trainwarden::rules
