// When a job's watches would have called, and what their confirmation would have said: CloudWatch's
// evaluation of the alarms that alarm_plan.h makes, over the series that an export keeps, and
// Confirmation::judge() at that minute (policy.md W1, W4). Pure.
//
// An export keeps a metric in the watch's own periods, which begin at the period's multiples. So an
// alarm is evaluated once a period here, kArrival after its end, where CloudWatch does every
// minute: a call may come a period later than it did. A watch that compares with the job's past
// (W6) has its alarm as soon as that is known, where a sweep may put it later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
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
  sys_seconds at;                          // when it came
  std::size_t watch = 0;                   // in the policy
  AlarmEvent alarm = {};                   // its name, its watch, ALARM
  sys_seconds since = {};                  // the begin of the breach that it tells of
  sys_seconds until = sys_seconds::max();  // when the alarm left ALARM again
};

// Why nothing can be said of a watch and a job: its data are not kept any more, or missing from the
// export.
enum class Unkept : std::uint8_t { kTooOld, kMissing };

class WatchReplay {
 public:
  // whole: the job as it ended. All three outlive this.
  WatchReplay(const Policy& policy, const TrainingJob& whole, std::span<const KeptSeries> series)
      : policy_(policy), job_(whole), series_(series) {}

  // Of that watch; nullopt where all that it needs is there, or it looks at no such job.
  std::optional<Unkept> unkept(std::size_t index) const;

  // All calls in order of time: each alarm's way into ALARM, from the first Training on.
  std::vector<WatchCall> calls() const;

  // Whether the breach is confirmed at that moment, by the datapoints that had arrived then. as_of:
  // the job as it was described then. The Reason says why nothing is confirmed; one is that an
  // export does not keep what would witness a silence (the log of that minute, other jobs'
  // metrics). kAskHistory and kAskLog never come out.
  std::expected<Judgement, Reason> judge(std::size_t index, const TrainingJob& as_of,
                                         sys_seconds now) const;

  // Whether the breach that was confirmed then lasted to the job's end: the alarm stood at the end
  // of the data, and the metric had not come back meanwhile. It came back (false) where as many
  // periods in a row as the watch looks at have datapoints, and none breaches. nullopt where the
  // data do not tell; nor does a silence at the end that nothing witnesses.
  std::optional<bool> lasted(std::size_t index, sys_seconds confirmed) const;

 private:
  // Of a watch that looks at the job: its series by host.
  struct Watched;
  std::optional<Watched> watched(const Watch& watch) const;
  const KeptSeries* find(const HistorySeries& what) const;
  bool witnessed(const Watch& watch, const Watched& found, std::size_t first,
                 std::size_t end) const;
  static void take_past(const Watch& watch, Watched& of);
  static bool stands(const Watched& found, sys_seconds at);
  void add_calls(std::size_t index, std::vector<WatchCall>& out) const;
  Evidence evidence(const Watch& watch, const Watched& found, const Confirmation& plan,
                    sys_seconds now) const;

  const Policy& policy_;
  const TrainingJob& job_;
  std::span<const KeptSeries> series_;
};

}  // namespace trainwarden::rules
