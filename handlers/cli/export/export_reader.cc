#include "handlers/cli/export/export_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "handlers/cli/files/inputs.h"
#include "handlers/rules/alarms/alarm_hosts.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

using rules::Source;

json::Document copy_of(json::Value value) {
  return json::Document::build([&](json::Sink& sink) { sink.value(value); });
}

std::unexpected<Error> no_line(std::string what) {
  return fail(ErrorCode::kInvalidInput, std::move(what));
}

Result<sys_seconds> kept_time(json::Value metric, std::string_view name) {
  TRY(const json::Value member, metric.member(name, "metrics"));
  TRY(const std::string_view text, member.string(fmt::format("metrics.{}", name)));
  return parse_rfc3339(text);
}

std::vector<std::optional<double>> kept_values(json::Value list) {
  std::vector<std::optional<double>> out;
  out.reserve(list.size());
  for (const json::Value one : list.elements())
    out.push_back(one.is_number() ? std::optional(one.as_number()) : std::nullopt);
  return out;
}

// Reads one metric with a series for each of its places.
Result<void> read_kept_metric(json::Value metric, std::string_view job,
                              std::vector<rules::KeptSeries>& out) {
  rules::KeptSeries one;
  TRY(const json::Value name, metric.member("metric", "metrics"));
  TRY(one.what.metric, name.string("metrics.metric"));
  TRY(const json::Value statistic, metric.member("statistic", "metrics"));
  TRY(one.what.statistic, statistic.string("metrics.statistic"));
  TRY(const json::Value period, metric.member("period_seconds", "metrics"));
  TRY(one.what.period_seconds, period.integer("metrics.period_seconds"));
  if (one.what.period_seconds < 1)
    return no_line(fmt::format("metrics.period_seconds: expected a number from 1 on, found {}",
                               one.what.period_seconds));
  TRY(one.span.begin, kept_time(metric, "from"));
  TRY(one.span.end, kept_time(metric, "until"));
  const auto cut = metric.find_present("cut");
  one.span.cut = cut && cut->is_boolean() && cut->as_boolean();
  const auto series = metric.find_present("series");
  if (!series || !series->is_object()) return no_line("metrics.series: expected an object");
  const auto most =
      std::max<std::int64_t>(0, (one.span.end - one.span.begin).count() / one.what.period_seconds);
  for (const json::Member host : series->members()) {
    one.what.host = host.name;
    const bool of_job = host.name == "job";
    one.what.dimension = of_job ? "TrainingJobName" : "Host";
    one.what.value = of_job ? std::string(job) : fmt::format("{}/{}", job, host.name);
    one.values = kept_values(host.value);
    if (std::ssize(one.values) > most)
      return no_line(fmt::format("metrics.series.{}: expected at most {} values, found {}",
                                 host.name, most, one.values.size()));
    out.push_back(one);
  }
  return {};
}

Result<void> read_kept_metrics(json::Value root, rules::KeptJob& out) {
  const auto metrics = root.find_present("metrics");
  if (!metrics) return {};
  const std::string_view job = out.sources.job()->name;
  for (const json::Value one : metrics->elements())
    CHECK_OK(read_kept_metric(one, job, out.series));
  std::ranges::sort(out.series, {}, &rules::KeptSeries::what);
  return {};
}

// Marks what the export could not fetch as unavailable.
void read_unavailable(json::Value root, rules::KeptJob& out) {
  const auto unavailable = root.find_present("unavailable");
  if (!unavailable) return;
  for (const json::Member one : unavailable->members()) {
    const Error why{ErrorCode::kUnavailable,
                    one.value.is_string() ? std::string(one.value.as_string()) : ""};
    if (one.name == "logs") out.sources.set_unavailable(Source::kLogs, why);
    if (one.name == "tags") out.sources.set_unavailable(Source::kTags, why);
    if (one.name == "metrics") out.series.clear();
  }
}

}  // namespace

Result<rules::KeptJob> read_job_line(std::string_view line) {
  TRY(const json::Document document, json::Document::parse(line));
  const json::Value root = document.root();
  const auto job = root.find_present("job");
  if (!job || !job->is_object())
    return no_line("expected {\"job\": …}, a line of `trainwarden export`");
  json::Document description = copy_of(*job);
  const rules::TrainingJob read = rules::read_training_job(description.root());
  if (read.name.empty()) return no_line("job.TrainingJobName: expected a name");
  if (!read.created)
    return no_line(fmt::format("job {}: CreationTime: expected a time", read.name));
  rules::KeptJob out{.sources = rules::Sources(event_of_job(read))};
  out.sources.set(Source::kDescribe, std::move(description));
  const auto described = root.find_present("described");
  out.described = described && described->is_boolean() && described->as_boolean();
  if (const auto tags = root.find_present("tags"))
    out.sources.set(Source::kTags, copy_of(*tags));
  else
    out.sources.set_unavailable(
        Source::kTags, {ErrorCode::kUnavailable, "the export does not have the job's tags"});
  if (const auto logs = root.find_present("logs")) out.sources.set(Source::kLogs, copy_of(*logs));
  CHECK_OK(read_kept_metrics(root, out));
  read_unavailable(root, out);
  return out;
}

std::optional<KeptPrices> read_prices_line(std::string_view line) {
  if (!line.starts_with(kPricesLine)) return std::nullopt;
  const auto document = json::Document::parse(line);
  if (!document) return std::nullopt;
  const auto prices = document->root().find_present("prices");
  const auto by_type = prices ? prices->find_present("usd_per_hour") : std::nullopt;
  const auto currency = prices ? prices->find_present("currency") : std::nullopt;
  if (!by_type || !currency || !currency->is_string() || currency->as_string() != "USD")
    return std::nullopt;
  KeptPrices out;
  for (const json::Member one : by_type->members())
    if (one.value.is_number() && one.value.as_number() >= 0)
      out.prices.emplace(std::string(one.name), rules::Price(one.value.as_number()));
  const auto asked = prices->find_present("asked");
  if (asked && asked->is_string())
    if (const auto at = parse_rfc3339(asked->as_string())) out.asked = *at;
  return out;
}

}  // namespace trainwarden::cli
