// Whether an alarm still holds (policy.md W4). An alarm's message may be late, repeated or forged,
// and the alarm itself knows nothing of Training segments. So the breach is measured once more
// before anything is done, on every host, and only within the job's current Training segment. Pure:
// returns the requests to CloudWatch, and judges the answers. Everything uncertain ends as "not
// confirmed".
//
//   const auto plan = Confirmation::plan(watch, name, job, now);
//   if (!plan) …  // plan.error() is the Reason why nothing can be confirmed
//   Evidence evidence = …;  // the answers to plan->requests()
//   Judgement judgement = plan->judge(evidence);
//   if (judgement.kind == Judgement::Kind::kAskHistory) …  // add history, judge again; so kAskLog
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
// a high one counts as 0.
// Silence counts only from the current segment's own first datapoint on (or from
// first_within_seconds on, where the watch has it), which the history tells; and only beside a
// witness (witness.h): other metrics that come the same way are asked for in the same calls, and
// the job's log where none of them speaks for the algorithm. What DescribeTrainingJob's
// FinalMetricDataList has of the metric since then acquits, and convicts nobody.
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
#include <utility>
#include <vector>

#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/alarms/measured.h"
#include "handlers/rules/alarms/witness.h"
#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/policy.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// A datapoint that has not arrived after this time will not arrive.
inline constexpr std::chrono::minutes kArrival{2};
// How many periods beyond the watch's own are looked at, to bridge gaps between datapoints.
inline constexpr std::int64_t kLookBack = 3;
// The most queries in one call of GetMetricData.
inline constexpr std::int64_t kQueriesPerCall = 500;

// A query for what may witness a silence.
struct WitnessQuery {
  enum class Kind : std::uint8_t {
    kHost,  // of machine `host`
    kOwn,
    kAlgorithms,  // any number of series of that id, none included
  };
  std::string id;
  Kind kind;
  std::int64_t host = 0;
};

// One call of GetMetricData. The id of a host's query is `h<n>`.
struct MetricRequest {
  json::Document queries;
  sys_seconds begin;
  sys_seconds end;
  std::vector<std::int64_t> hosts;  // of each query, from 1
  std::vector<WitnessQuery> witnesses = {};
};
std::string query_id(std::int64_t host);

// The measurements that a judgement is based on.
struct Evidence {
  HostData data;                         // the answers to requests(), one element per host
  Witnesses witnesses = {};              // and beside it
  std::optional<HostData> history = {};  // what history_requests() brought, where it was asked for
  std::optional<LogFinding> log = {};    // of log_question(), where it was asked for
};

// Lines of the job's log from begin until end; literal is in each that can hold the metric, and
// empty where any may.
struct LogQuestion {
  sys_seconds begin;
  sys_seconds end;
  std::string literal;
};

struct Judgement {
  enum class Kind : std::uint8_t {
    kConfirmed,
    kRefuted,
    // Everything breaches, unless the silent hosts had no datapoint yet: fetch their history.
    kAskHistory,
    kAskLog,  // everything breaches, and no metric witnesses the silence: ask the job's log
  };
  Kind kind = Kind::kRefuted;
  std::optional<Measured> measured = {};  // of kConfirmed and kRefuted
  std::vector<std::int64_t> silent = {};  // for kAskHistory
  // Of kConfirmed: whether a period without a datapoint counted as a breach.
  bool rests_on_silence = false;
  // Of kRefuted, instead of what was measured: everything breaches, and nothing witnesses the
  // silence.
  std::optional<Reason> blind = {};
};

class Confirmation {
 public:
  // The Reason says why nothing can be confirmed, whatever the metrics are: the job does not train,
  // its segment is unknown or too young (in warm-up, or shorter than the datapoints that must
  // breach), or the watch does not fit the machines; or it compares with the job's past (W6), which
  // cannot be known yet. Where it can, the watch must come from with_past(): without a past nothing
  // breaches.
  static std::expected<Confirmation, Reason> plan(const Watch& watch, std::string_view name,
                                                  const TrainingJob& job, sys_seconds now);

  std::vector<MetricRequest> requests() const;
  // When these hosts first had the metric, in coarse periods: in the current segment, and, of
  // machines of several types, in the job's whole life.
  std::vector<MetricRequest> history_requests(std::span<const std::int64_t> silent) const;
  LogQuestion log_question() const;

  // Returns kAskHistory or kAskLog if it needs evidence that is missing.
  Judgement judge(const Evidence& evidence) const;

  std::int64_t host_count() const { return hosts_.count; }
  std::int64_t machine_count() const { return machines_; }

 private:
  struct HostView;
  struct Tally;

  Confirmation(const Watch& watch, std::string_view job) : watch_(watch), job_(job) {}

  void plan_witnesses(const TrainingJob& job);
  // The mean of hosts never rests on silence.
  bool silence_counts() const {
    return watch_.missing == Watch::Missing::kBreaching &&
           (watch_.hosts != Watch::Hosts::kMean || watch_.source == Watch::Source::kAlgorithm);
  }
  std::int64_t history_period() const;
  std::int64_t witness_period() const;
  MetricRequest request(std::span<const std::int64_t> hosts) const;
  bool breaches(double value) const;
  // silent_from: since when silence counts; nullopt: it does not.
  HostView view(std::size_t host, const std::vector<Datapoint>& series,
                std::optional<sys_seconds> silent_from) const;
  HostView newest_datapoints(const std::vector<Datapoint>& within) const;
  HostView every_period(const std::vector<Datapoint>& within,
                        std::optional<sys_seconds> silent_from) const;
  std::optional<sys_seconds> silence_from(const Evidence& evidence, std::size_t host) const;
  void weigh_silence(const Evidence& evidence, std::size_t host, Tally& tally) const;
  bool is_witnessed(const Evidence& evidence, std::size_t host, const Silence& silence) const;
  std::int64_t periods_together(const HostData& data, sys_seconds silent_from) const;
  bool nothing_arrives(const Evidence& evidence) const;
  Judgement judge_mean(const HostData& data, const HostData* history) const;
  template <class Found>
  Judgement judged(Judgement::Kind kind, Found found) const {
    return {kind, Measured{watch_, job_, hosts_, std::move(found)}};
  }

  Watch watch_;
  std::string job_;
  AlarmHosts hosts_;
  sys_seconds segment_;              // begin of the current Training segment
  sys_seconds born_;                 // of the job, as far as Describe tells
  sys_seconds last_minute_;          // now, down to the minute
  sys_seconds end_;                  // of the window
  std::int64_t window_periods_ = 0;  // periods that the window has, all within the segment
  bool trained_before_ = false;      // in an earlier segment
  // Where silence counts.
  std::int64_t machines_ = 0;  // whose other metrics are asked for
  // Of a watch on the algorithm.
  std::vector<std::string> own_metrics_;  // other ones
  std::string literal_;
  std::optional<sys_seconds> final_value_;  // the time of FinalMetricDataList's
};

// The watch of an alarm. The Reason says why the alarm requests nothing, whatever its job does: it
// is not in ALARM, or the policy has no such watch (W4).
std::expected<const Watch*, Reason> watch_of(const AlarmEvent& alarm, const Policy& policy);

// plan()'s Reason; nullopt if it succeeds. For the check before a stop (A1).
std::optional<Reason> why_not_confirmable(const Watch& watch, const TrainingJob& job,
                                          sys_seconds now);

}  // namespace trainwarden::rules
