#include "handlers/cli/export/day_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "handlers/actions/fetch/job_logs.h"
#include "handlers/actions/fetch/large_jobs.h"
#include "handlers/cli/access/aws_session.h"
#include "handlers/rules/alarms/alarm_hosts.h"
#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/decide/nominate.h"
#include "handlers/rules/facts/facts.h"

namespace trainwarden::cli {
namespace {

using rules::Source;

// Jobs of one batch: their metrics are fetched in shared calls.
constexpr std::size_t kTogether = 100;
// How many datapoints one page of GetMetricData holds at most.
constexpr std::int64_t kDatapointsPerCall = 100'800;

json::Document day_request(sys_seconds begin, sys_seconds end) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.member("SortBy", "CreationTime").member("SortOrder", "Ascending");
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    aws::write_search_filter(sink, "CreationTime", "GreaterThanOrEqualTo", rfc3339(begin));
    aws::write_search_filter(sink, "CreationTime", "LessThan", rfc3339(end));
    sink.end_array().end_object().end_object();
  });
}

// Whether the error is temporary. The day is then left for a later run instead of being exported
// with gaps.
bool may_pass(ErrorCode code) {
  switch (code) {
    case ErrorCode::kAccessDenied:
    case ErrorCode::kNotFound:
    case ErrorCode::kRejected:
    case ErrorCode::kBadResponse:
    case ErrorCode::kUnavailable:
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kTooLarge:
      return false;
    default:
      return true;
  }
}

std::unexpected<DayCut> cut(Error error, const CommandStep& step) {
  return std::unexpected(DayCut{std::move(error), false, step.credentials_over()});
}

std::unexpected<DayCut> interrupted_day() {
  return std::unexpected(DayCut{{ErrorCode::kUnavailable, "interrupted"}, true, false});
}

}  // namespace

// One series of one job that is being fetched.
struct DayExport::Query {
  std::size_t job;
  std::size_t series;
  std::int64_t period;
  std::int64_t points;
};

std::expected<std::vector<rules::Sources>, DayCut> DayExport::search(sys_seconds begin,
                                                                     sys_seconds end) {
  const CommandStep step(apis_);
  std::vector<rules::Sources> found;
  const auto each_page = [&](json::Value results) -> Result<bool> {
    for (const rules::TrainingJob& job : rules::read_search_page(results))
      if (auto sources = rules::sources_of_search(job)) found.push_back(*std::move(sources));
    progress_(0);
    return !is_interrupted_();
  };
  const json::Document request = day_request(begin, end);
  const auto searched = step.apis().sagemaker.search(
      request.root(), each_page, step.context(),
      actions::skip_large([this](std::string_view job) { too_large_.emplace(job); }));
  if (is_interrupted_()) return interrupted_day();
  if (!searched) return cut(searched.error(), step);
  return found;
}

std::expected<void, DayCut> DayExport::settle(std::string_view what, std::string_view operation,
                                              const Error& error, bool credentials_over,
                                              ExportedJob& job) {
  if (may_pass(error.code) || credentials_over)
    return std::unexpected(DayCut{error, false, credentials_over});
  if (error.code == ErrorCode::kAccessDenied)
    denied_.emplace(std::string(operation), error.message);
  job.unavailable.emplace(std::string(what), error.message);
  return {};
}

std::expected<void, DayCut> DayExport::describe(ExportedJob& job) {
  const auto denied = denied_.find("DescribeTrainingJob");
  if (denied != denied_.end()) {
    job.unavailable.emplace("describe", denied->second);
    return {};
  }
  const CommandStep step(apis_);
  const auto name = aws::JobName::parse(job.sources.event().job_name);
  if (!name) return {};
  auto described = step.apis().sagemaker.describe_training_job(*name, step.context());
  if (!described)
    return settle("describe", "DescribeTrainingJob", described.error(), step.credentials_over(),
                  job);
  // The job may have been deleted since, and a later job may have its name.
  if (rules::read_training_job(described->root()).created != job.sources.job()->created) return {};
  job.sources.set(Source::kDescribe, *std::move(described));
  job.described = true;
  return {};
}

std::expected<void, DayCut> DayExport::read_log(ExportedJob& job) {
  const rules::Facts facts =
      rules::facts_from(job.sources, policy_.prices(), apis_.now(), policy_.failures());
  const rules::SourceSet lacking = facts.lacking(rules::Group::kDiagnosis);
  if (!lacking.contains(Source::kLogs)) return {};
  const auto denied = denied_.find("FilterLogEvents");
  if (denied != denied_.end()) {
    job.unavailable.emplace("logs", denied->second);
    return {};
  }
  const CommandStep step(apis_);
  const auto name = aws::JobName::parse(job.sources.event().job_name);
  if (!name) return {};
  step.apis().begin_look();
  auto tail = actions::tail_of_logs({*name, {}}, *job.sources.job(), step.apis());
  if (!tail) return settle("logs", "FilterLogEvents", tail.error(), step.credentials_over(), job);
  job.sources.set(Source::kLogs, *std::move(tail));
  return {};
}

std::expected<void, DayCut> DayExport::deepen(ExportedJob& job) {
  if (needs_.describe)
    if (auto done = describe(job); !done) return done;
  if (needs_.logs)
    if (auto done = read_log(job); !done) return done;
  return {};
}

std::expected<void, DayCut> DayExport::ask(std::vector<ExportedJob>& jobs,
                                           std::span<const Query> queries) {
  const auto series_of = [&](const Query& query) -> ExportedSeries& {
    return jobs[query.job].series[query.series];
  };
  sys_seconds begin = sys_seconds::max();
  sys_seconds end = sys_seconds::min();
  for (const Query& query : queries) {
    begin = std::min(begin, series_of(query).span.begin);
    end = std::max(end, series_of(query).span.end);
  }
  const auto id = [](std::size_t i) { return fmt::format("q{}", i); };
  const json::Document request = json::Document::build([&](json::Sink& sink) {
    sink.begin_array();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const rules::HistorySeries& what = series_of(queries[i]).what;
      sink.begin_object().member("Id", id(i)).key("MetricStat").begin_object();
      sink.key("Metric").begin_object().member("Namespace", rules::kTrainingMetrics);
      sink.member("MetricName", what.metric).key("Dimensions").begin_array().begin_object();
      sink.member("Name", what.dimension).member("Value", what.value);
      sink.end_object().end_array().end_object();
      sink.member("Period", what.period_seconds).member("Stat", what.statistic);
      sink.end_object().end_object();
    }
    sink.end_array();
  });
  const CommandStep step(apis_);
  const auto answer =
      step.apis().cloudwatch.get_metric_data(request.root(), begin, end, step.context());
  if (!answer) {
    for (const Query& query : queries) {
      auto settled = settle("metrics", "GetMetricData", answer.error(), step.credentials_over(),
                            jobs[query.job]);
      if (!settled) return settled;
    }
    return {};
  }
  metrics_asked_ += queries.size();
  std::map<std::string, const aws::MetricSeries*> by_id;
  for (const aws::MetricSeries& one : *answer) by_id[one.id] = &one;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ExportedSeries& series = series_of(queries[i]);
    const auto found = by_id.find(id(i));
    if (found == by_id.end()) continue;
    for (const auto& point : found->second->datapoints) {
      if (point.time < series.span.begin || point.time >= series.span.end) continue;
      const auto nth = static_cast<std::size_t>((point.time - series.span.begin).count() /
                                                series.what.period_seconds);
      if (nth >= series.values.size()) series.values.resize(nth + 1);
      series.values[nth] = point.value;
    }
  }
  return {};
}

std::expected<void, DayCut> DayExport::read_metrics(std::vector<ExportedJob>& jobs) {
  std::vector<Query> queries;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const rules::TrainingJob& job = *jobs[i].sources.job();
    for (rules::HistorySeries& what : rules::history_series(policy_.watches(), job)) {
      const auto span = rules::history_span(job, what.period_seconds, apis_.now());
      const std::int64_t points = (span.end - span.begin).count() / what.period_seconds;
      const std::int64_t period = what.period_seconds;
      jobs[i].series.push_back({std::move(what), span});
      if (points > 0) queries.push_back({i, jobs[i].series.size() - 1, period, points});
    }
    if (jobs[i].series.empty()) continue;
    if (const auto denied = denied_.find("GetMetricData"); denied != denied_.end())
      jobs[i].unavailable.emplace("metrics", denied->second);
  }
  // A call holds only queries of one period, so that its start time is a multiple of the period for
  // all of them.
  std::ranges::stable_sort(queries, {}, &Query::period);
  for (std::size_t begin = 0; begin < queries.size();) {
    std::size_t end = begin;
    std::int64_t points = 0;
    while (end < queries.size() && queries[end].period == queries[begin].period &&
           end - begin < static_cast<std::size_t>(rules::kQueriesPerCall) &&
           (end == begin || points + queries[end].points <= kDatapointsPerCall))
      points += queries[end++].points;
    if (is_interrupted_()) return interrupted_day();
    if (!denied_.contains("GetMetricData")) {
      auto asked = ask(jobs, std::span(queries).subspan(begin, end - begin));
      if (!asked) return asked;
    } else {
      for (std::size_t i = begin; i < end; ++i)
        jobs[queries[i].job].unavailable.emplace("metrics", denied_.at("GetMetricData"));
    }
    begin = end;
  }
  return {};
}

std::expected<ExportedDay, DayCut> DayExport::run(sys_seconds begin, sys_seconds end) {
  auto found = search(begin, end);
  if (!found) return std::unexpected(std::move(found).error());
  ExportedDay out;
  for (std::size_t first = 0; first < found->size(); first += kTogether) {
    std::vector<ExportedJob> jobs;
    const std::size_t last = std::min(found->size(), first + kTogether);
    for (std::size_t i = first; i < last; ++i) {
      if (is_interrupted_()) return interrupted_day();
      ExportedJob job{std::move((*found)[i])};
      for (const rules::Instances& some : job.sources.job()->instances) types_.emplace(some.type);
      if (auto done = deepen(job); !done) return std::unexpected(std::move(done).error());
      jobs.push_back(std::move(job));
      progress_(i);
    }
    if (auto done = read_metrics(jobs); !done) return std::unexpected(std::move(done).error());
    for (const ExportedJob& job : jobs) out.lines += job_line(job, needs_);
    out.jobs += jobs.size();
    progress_(out.jobs);
  }
  return out;
}

}  // namespace trainwarden::cli
