// Whether what an alarm said still holds (policy.md W4). An alarm's message may be late, repeated
// or forged, and the alarm itself knows nothing of Training segments: so, before anything is done,
// the breach is measured once more, on every host, and only within the Training segment that the
// job is in. Pure: says what to ask CloudWatch for, and judges the answers. All that is uncertain
// ends as "not confirmed".
//
// What "now" means. An alarm looks at a window that slides by the minute and ends when it is
// evaluated (1), and so does this; but metrics of a training job arrive a minute or two after the
// fact (kArrival), and data that are under way must not be taken for data that are not there.
// - `missing` is not breaching: only datapoints count, the newest `periods` of the last `periods` +
//   kLookBack, as an alarm looks back too (2); the window ends with the last full minute, and the
//   newest of them may have ended a period and kArrival ago. Nothing is ever read from a gap.
// - `missing` is breaching: silence counts, so the window ends kArrival before the last full
//   minute: what is absent there is not under way. A datapoint that came since and does not breach
//   means that the job is alive.
// - Sum and SampleCount grow while data arrive. Where less is a breach, their window too ends
//   kArrival earlier, and a newer datapoint that does not breach refutes.
// Where every host must breach, they must do so together: of the periods that count, in as many
// as the watch's `datapoints` no host does otherwise. An alarm over the hosts' MAX asks the same.
// Of the `mean` of all hosts only datapoints count, whatever `missing` says: what a silent host
// does is not known, so a low mean is one of all hosts that have the metric, and what is missing of
// a high one counts as 0. A fault of CloudWatch itself that delays metrics by more than kArrival
// cannot be told from silence; a watch whose `missing` is breaching should span a longer time.
//
// (1) https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html
// (2) https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// After this time a datapoint is there, or will not come.
inline constexpr std::chrono::minutes kArrival{2};
// So many periods more than a watch asks for are looked at, for gaps between datapoints.
inline constexpr std::int64_t kLookBack = 3;
// What one call of GetMetricData takes.
inline constexpr std::int64_t kQueriesPerCall = 500;

struct Datapoint {
  sys_seconds time;  // of the period's begin
  double value;
};
// By host: that of algo-1 is the first.
using HostData = std::vector<std::vector<Datapoint>>;

// One call of GetMetricData. The id of a host's query is `h<n>`.
struct MetricRequest {
  json::Document queries;
  sys_seconds begin;
  sys_seconds end;
  std::vector<std::int64_t> hosts;  // of each query, from 1
};
std::string query_id(std::int64_t host);

struct Judgement {
  enum class Kind : std::uint8_t {
    kConfirmed,
    kRefuted,
    // Everything breaches, unless the silent hosts never had the metric: ask for their history.
    kAskHistory,
  };
  Kind kind = Kind::kRefuted;
  std::string text;                  // what was measured, or why it confirms nothing: for people
  std::vector<std::int64_t> silent;  // for kAskHistory
  // Of kConfirmed: whether a period without a datapoint counted as a breach.
  bool rests_on_silence = false;
};

class Confirmation {
 public:
  // The Reason says why nothing can be confirmed, whatever the
  // metrics are: the job does not train, its segment is not known or too young (warm up, or shorter
  // than the datapoints that must breach), the watch does not fit the machines.
  static std::expected<Confirmation, Reason> plan(const Watch& watch, std::string_view name,
                                                  const TrainingJob& job, sys_seconds now);

  std::vector<MetricRequest> requests() const;
  // Whether these hosts ever had the metric: over the job's whole life, in coarse periods.
  std::vector<MetricRequest> history_requests(std::span<const std::int64_t> silent) const;

  // data: what requests() brought, an element a host. history: what history_requests() brought;
  // absent where it was not asked for, and then kAskHistory may come out.
  Judgement judge(const HostData& data, const HostData* history) const;

  std::int64_t host_count() const { return hosts_.count; }

 private:
  struct HostView;

  Confirmation(const Watch& watch, std::string_view job) : watch_(watch), job_(job) {}

  MetricRequest request(std::span<const std::int64_t> hosts, std::string_view statistic,
                        std::int64_t period, sys_seconds begin) const;
  bool breaches(double value) const;
  HostView view(const std::vector<Datapoint>& series) const;
  HostView newest_datapoints(const std::vector<Datapoint>& within) const;
  HostView every_period(const std::vector<Datapoint>& within) const;
  std::int64_t periods_together(const HostData& data) const;
  Judgement judge_mean(const HostData& data, const HostData* history) const;
  std::string asked() const;
  bool history_matters(bool silence_breaches) const;
  std::string told(std::int64_t host, const HostView& view) const;
  std::string threshold() const;

  Watch watch_;
  std::string job_;
  AlarmHosts hosts_;
  sys_seconds segment_;      // begin of the current Training segment
  sys_seconds born_;         // of the job, as far as Describe tells
  sys_seconds last_minute_;  // now, down to the minute
  sys_seconds end_;          // of the window
  std::int64_t slots_ = 0;   // periods that the window has, all within the segment
};

// The watch that an alarm speaks of. The Reason says why the alarm asks for nothing, whatever its
// job does: it is not in ALARM, or the policy has no such watch (W4).
std::expected<const Watch*, Reason> watch_of(const AlarmEvent& alarm, const Policy& policy);

// As plan() refuses; nullopt where it does not. For the look before a stop (A1).
std::optional<Reason> why_not_confirmable(const Watch& watch, const TrainingJob& job,
                                          sys_seconds now);

}  // namespace trainwarden::rules
