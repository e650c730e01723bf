// When a job's watches would have called, and what their confirmation would have said: the alarms
// that plan_alarms() makes, CloudWatch's evaluation of them over the series that an export keeps,
// and Confirmation::judge() at that minute (policy.md W1, W4). Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/alarms/history_series.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// A series of an export: the first value is that of the period which begins at `span.begin`.
struct KeptSeries {
  HistorySeries what;
  HistorySpan span;
  std::vector<std::optional<double>> values = {};
};

// A message of CloudWatch's, as it would have come.
struct WatchCall {
  sys_seconds at;     // when it came
  std::size_t watch;  // in the policy
  AlarmEvent alarm;   // its name, its watch, ALARM
  sys_seconds since;  // the begin of the first period that breaches without an end
};

// Why nothing can be said of a watch and a job: its data are not kept any more, or missing from the
// export.
enum class Unkept : std::uint8_t { kTooOld, kMissing };

class WatchReplay {
 public:
  // whole: the job as it ended. Both outlive this.
  WatchReplay(const Policy& policy, const TrainingJob& whole, std::span<const KeptSeries> series);

  // Of that watch; nullopt where all that it needs is there, or it looks at no such job.
  std::optional<Unkept> unkept(std::size_t watch) const;

  // All calls in order of time: each alarm's way into ALARM.
  std::vector<WatchCall> calls() const;

  // Whether the breach is confirmed at that moment, by the datapoints that had arrived then. as_of:
  // the job as it was described then. The Reason says why nothing is confirmed. kAskLog and
  // kAskHistory never come out: what no export keeps (logs of that minute) is `unkept`.
  std::expected<Judgement, Reason> judge(std::size_t watch, const TrainingJob& as_of,
                                         sys_seconds now) const;

  // Whether the breach that was confirmed then lasted to the job's end; false: the metric came back
  // for as long as the watch is long. nullopt: the data do not tell.
  std::optional<bool> lasted(std::size_t watch, sys_seconds confirmed) const;

 private:
  const Policy& policy_;
  const TrainingJob& job_;
  std::span<const KeptSeries> series_;
};

}  // namespace trainwarden::rules
