#include "handlers/actions/fetch/silent_logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "handlers/actions/fetch/job_logs.h"
#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/facts/silence.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A host's metrics arrive once a minute, a minute or two late.
constexpr minutes kMetricsWithin{15};

json::Document silent_for(seconds silence) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member(rules::kSilentSeconds, silence.count()).end_object();
  });
}

// For a job that is not training or never wrote a line: missing logs are not silent logs.
json::Document no_silence() {
  return json::Document::build([](json::Sink& sink) { sink.begin_object().end_object(); });
}

struct LogWindow {
  sys_millis begin;
  std::optional<sys_millis> end = {};
};

// Without a log group nothing can be silent.
std::unexpected<Error> unread(const Error& error) {
  if (error.code != ErrorCode::kNotFound) return fail(error);
  return fail(ErrorCode::kUnavailable, error.message);
}

// The stream of the first line in the window; nullopt if there is no line. prefix: of the stream's
// name. A page may be empty without being the last, since CloudWatch Logs searches some of the
// streams for each page:
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
Result<std::optional<std::string>> first_line(const std::string& prefix, const LogWindow& window,
                                              const Apis& apis) {
  std::optional<std::string> out;
  const auto asked = apis.logs.filter_log_events(
      {.group = kTrainingLogs,
       .stream_prefix = prefix,
       .begin = window.begin,
       .end = window.end,
       .page_size = 1},
      [&](const aws::LogEvent& event) -> Result<bool> {
        out = event.stream;
        return false;
      },
      apis.context);
  if (!asked) return unread(asked.error());
  return out;
}

// When the job wrote its last line; nullopt if it wrote none. kRejected where the service cannot be
// asked for its newest events.
Result<std::optional<sys_millis>> last_line(const JobRef& job, sys_millis begin, const Apis& apis) {
  std::optional<sys_millis> out;
  const auto asked = apis.logs.newest_log_events(
      {.group = kTrainingLogs, .stream_prefix = streams_of(job), .begin = begin, .page_size = 1},
      [&](const aws::LogEvent& event) -> Result<bool> {
        out = event.time;
        return false;
      },
      apis.context);
  if (!asked) return unread(asked.error());
  return out;
}

// The window in which any line would make the silence shorter than that.
LogWindow last(seconds silence, const Apis& apis) {
  return {.begin = apis.now() - silence + milliseconds(1)};
}

// The longest of the silences, among those that fit into a segment of that age, in which the job
// wrote nothing.
Result<seconds> longest_silence(const JobRef& job, seconds age, std::span<const seconds> silences,
                                const Apis& apis) {
  seconds out{0};
  for (const seconds silence : silences) {
    if (silence > age) break;
    if (silence == seconds(0)) continue;
    TRY(const auto line, first_line(streams_of(job), last(silence, apis), apis));
    if (line) break;
    out = silence;
  }
  return out;
}

// Another job that has been training since then and could have written a line; empty if there is
// none. From Search, which lags by some seconds.
Result<std::string> other_training_job(const JobRef& job, sys_seconds since, const Apis& apis) {
  const json::Document request = json::Document::build([](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    aws::write_search_filter(sink, "TrainingJobStatus", "Equals", "InProgress");
    sink.end_array().end_object().end_object();
  });
  std::string out;
  const auto each_page = [&](json::Value results) -> Result<bool> {
    for (const rules::TrainingJob& other : rules::read_search_page(results)) {
      const auto trains_since = rules::current_training(other);
      if (other.name == job.name.view() || !trains_since || *trains_since > since) continue;
      out = other.name;
      return false;
    }
    return true;
  };
  CHECK_OK(apis.sagemaker.search(request.root(), each_page, apis.context));
  return out;
}

Result<bool> do_metrics_arrive(const JobRef& job, const Apis& apis) {
  const json::Document queries = json::Document::build([&](json::Sink& sink) {
    sink.begin_array().begin_object().member("Id", "host").key("MetricStat").begin_object();
    sink.key("Metric").begin_object();
    sink.member("Namespace", rules::kTrainingMetrics).member("MetricName", "CPUUtilization");
    sink.key("Dimensions").begin_array().begin_object().member("Name", "Host");
    sink.member("Value", rules::host_name(job.name.view(), 1)).end_object().end_array();
    sink.end_object().member("Period", 60).member("Stat", "SampleCount").end_object();
    sink.end_object().end_array();
  });
  const sys_seconds end = std::chrono::ceil<minutes>(apis.now());
  TRY(const auto series,
      apis.cloudwatch.get_metric_data(queries.root(), end - kMetricsWithin, end, apis.context));
  return std::ranges::any_of(series,
                             [](const aws::MetricSeries& one) { return !one.datapoints.empty(); });
}

// False if the job wrote meanwhile. An error if nothing tells its silence from an outage.
Result<bool> is_witnessed(const JobRef& job, seconds silence, const Apis& apis) {
  const sys_seconds since = apis.now() - silence / 2;
  TRY(const auto line, first_line({}, {.begin = since}, apis));
  if (line) return !line->starts_with(streams_of(job));
  TRY(const std::string other, other_training_job(job, since, apis));
  if (!other.empty())
    return fail(ErrorCode::kUnavailable,
                fmt::format("not confirmed: no line of any job has arrived since {}, although {} "
                            "trains, too",
                            rfc3339(since), other));
  TRY(const bool arrive, do_metrics_arrive(job, apis));
  if (arrive) return true;
  return fail(
      ErrorCode::kUnavailable,
      fmt::format("not confirmed: no line of any job has arrived since {}, and no metric of "
                  "{} within {} minutes",
                  rfc3339(since), rules::host_name(job.name.view(), 1), kMetricsWithin.count()));
}

// For services that begin with the oldest event: a lower bound, right at each of the silences.
Result<json::Document> least_silence(const JobRef& job, sys_seconds trains_since, sys_seconds begin,
                                     std::span<const seconds> silences, const Apis& apis) {
  TRY(const seconds silence, longest_silence(job, apis.now() - trains_since, silences, apis));
  // Whether no condition depends on a short silence, or on there being logs at all.
  const bool only_long = !silences.empty() && silences.front() > seconds(0);
  if (silence == seconds(0) && only_long) return silent_for(silence);
  TRY(const auto ever,
      first_line(streams_of(job), {.begin = begin, .end = apis.now() - silence}, apis));
  if (!ever) return no_silence();
  if (silence == seconds(0)) return silent_for(silence);
  TRY(const bool witnessed, is_witnessed(job, silence, apis));
  return silent_for(witnessed ? silence : seconds(0));
}

// The longest of the silences that are no longer than that.
seconds longest_of(std::span<const seconds> silences, seconds silence) {
  const auto beyond = std::ranges::upper_bound(silences, silence);
  return beyond == silences.begin() ? seconds(0) : *std::prev(beyond);
}

}  // namespace

Result<json::Document> silence_of_logs(const JobRef& job, const rules::TrainingJob& described,
                                       std::span<const seconds> silences, const Apis& apis) {
  const auto trains_since = rules::current_training(described);
  if (!trains_since) return no_silence();
  const seconds age = apis.now() - *trains_since;
  if (!silences.empty() && age < silences.front()) return silent_for(seconds(0));
  // Skip the lines of an earlier, deleted job of that name.
  const sys_seconds begin = described.created.value_or(*trains_since);
  const auto least = [&] { return least_silence(job, *trains_since, begin, silences, apis); };
  const auto last = last_line(job, begin, apis);
  if (!last && last.error().code == ErrorCode::kRejected) return least();
  if (!last) return fail(last.error());
  if (!*last) return no_silence();
  const auto since_last = std::chrono::floor<seconds>(sys_millis(apis.now()) - **last);
  const seconds silence = std::clamp(since_last, seconds(0), std::max(age, seconds(0)));
  const seconds asked = longest_of(silences, silence);
  if (asked == seconds(0)) return silent_for(silence);
  // A service that ignores the order has told of the oldest line; and the job may have written
  // meanwhile.
  TRY(const auto later, first_line(streams_of(job), {.begin = **last + milliseconds(1)}, apis));
  if (later) return least();
  TRY(const bool witnessed, is_witnessed(job, asked, apis));
  return silent_for(witnessed ? silence : seconds(0));
}

}  // namespace trainwarden::actions
