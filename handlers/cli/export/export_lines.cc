#include "handlers/cli/export/export_lines.h"

#include <algorithm>
#include <utility>

#include "handlers/cli/terminal/text.h"
#include "handlers/rules/job/copy_settings.h"
#include "runtime/base/day.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

constexpr std::int64_t kExportVersion = 1;

std::string finished(json::Writer& writer) { return printable(writer.take()) + '\n'; }

// Writes those entries of the map that the policy names, or nothing if it names none.
void write_named(json::Sink& sink, json::Member map, const rules::HistoryNeeds& needs) {
  bool open = false;
  for (const json::Member one : map.value.members()) {
    if (!needs.names(map.name, one.name)) continue;
    if (!open) sink.key(map.name).begin_object();
    open = true;
    sink.member(one.name, one.value);
  }
  if (open) sink.end_object();
}

void write_description(json::Sink& sink, const rules::TrainingJob& job,
                       const rules::HistoryNeeds& needs) {
  sink.key("job").begin_object();
  for (const json::Member member : job.raw.members()) {
    if (member.name == "Tags") continue;
    if (rules::is_free_map(member.name))
      write_named(sink, member, needs);
    else
      sink.member(member.name, member.value);
  }
  sink.end_object();
}

void write_values(json::Sink& sink, const ExportedSeries& series) {
  std::size_t size = series.values.size();
  while (size > 0 && !series.values[size - 1]) --size;
  sink.key(series.what.host).begin_array();
  for (std::size_t i = 0; i < size; ++i) {
    if (series.values[i])
      sink.number(*series.values[i]);
    else
      sink.null();
  }
  sink.end_array();
}

bool same_metric(const rules::HistorySeries& a, const rules::HistorySeries& b) {
  return a.metric == b.metric && a.statistic == b.statistic && a.period_seconds == b.period_seconds;
}

void write_metrics(json::Sink& sink, std::span<const ExportedSeries> series) {
  if (series.empty()) return;
  sink.key("metrics").begin_array();
  for (std::size_t i = 0; i < series.size();) {
    const ExportedSeries& first = series[i];
    sink.begin_object()
        .member("metric", first.what.metric)
        .member("statistic", first.what.statistic)
        .member("period_seconds", first.what.period_seconds)
        .member("from", rfc3339(first.span.begin))
        .member("until", rfc3339(first.span.end));
    if (first.span.cut) sink.member("cut", true);
    sink.key("series").begin_object();
    for (; i < series.size() && same_metric(series[i].what, first.what); ++i)
      write_values(sink, series[i]);
    sink.end_object().end_object();
  }
  sink.end_array();
}

// The line as a document, if it is of the kind that begins so.
std::optional<json::Document> exported_line(std::string_view line, std::string_view begin) {
  if (!line.starts_with(begin)) return std::nullopt;
  auto document = json::Document::parse(line);
  if (!document || !document->root().is_object()) return std::nullopt;
  return std::optional<json::Document>(*std::move(document));
}

std::optional<sys_seconds> time_in(json::Value object, std::string_view name) {
  const auto text = object.find_present(name);
  if (!text || !text->is_string()) return std::nullopt;
  const auto time = parse_rfc3339(text->as_string());
  return time ? std::optional(*time) : std::nullopt;
}

std::string text_in_line(json::Value object, std::string_view name) {
  const auto text = object.find_present(name);
  return text && text->is_string() ? std::string(text->as_string()) : std::string();
}

}  // namespace

std::string header_line(const ExportHeader& header) {
  json::Writer writer;
  writer.begin_object()
      .key("export")
      .begin_object()
      .member("version", kExportVersion)
      .member("since", rfc3339(header.since))
      .member("until", rfc3339(header.until))
      .member("region", header.region)
      .member("policy", header.policy)
      .end_object()
      .end_object();
  return finished(writer);
}

std::string job_line(const ExportedJob& job, const rules::HistoryNeeds& needs) {
  json::Writer writer;
  writer.begin_object();
  write_description(writer, *job.sources.job(), needs);
  if (job.described) writer.member("described", true);
  if (const auto tags = job.sources.known(rules::Source::kTags)) writer.member("tags", *tags);
  if (const auto logs = job.sources.known(rules::Source::kLogs)) writer.member("logs", *logs);
  write_metrics(writer, job.series);
  if (!job.unavailable.empty()) {
    writer.key("unavailable").begin_object();
    for (const auto& [what, why] : job.unavailable) writer.member(what, why);
    writer.end_object();
  }
  writer.end_object();
  return finished(writer);
}

std::string day_line(sys_seconds begin, sys_seconds until, std::size_t jobs) {
  json::Writer writer;
  writer.begin_object()
      .member("day", rfc3339_day(begin))
      .member("until", rfc3339(until))
      .member("jobs", jobs)
      .end_object();
  return finished(writer);
}

std::string prices_line(const Result<ListedPrices>& listed, std::span<const std::string> types,
                        std::string_view region, sys_seconds asked) {
  json::Writer writer;
  writer.begin_object().key("prices").begin_object().member("region", region);
  if (listed) {
    writer.member("currency", listed->currency()).member("published", listed->published());
    writer.member("asked", rfc3339(asked)).key("usd_per_hour").begin_object();
    for (const std::string& type : types)
      if (const auto amount = listed->amount(type)) writer.member(type, *amount);
    writer.end_object();
  } else {
    writer.member("unavailable", listed.error().message);
  }
  writer.end_object().end_object();
  return finished(writer);
}

std::string end_line(std::size_t jobs) {
  json::Writer writer;
  writer.begin_object().key("end").begin_object().member("jobs", jobs).end_object().end_object();
  return finished(writer);
}

std::optional<ExportHeader> read_header_line(std::string_view line) {
  const auto document = exported_line(line, kExportLine);
  const auto value = document ? document->root().find_present("export") : std::nullopt;
  if (!value) return std::nullopt;
  const auto version = value->find_present("version");
  const auto since = time_in(*value, "since");
  const auto until = time_in(*value, "until");
  if (!version || version->as_integer() != kExportVersion || !since || !until) return std::nullopt;
  return ExportHeader{*since, *until, text_in_line(*value, "region"),
                      text_in_line(*value, "policy")};
}

std::optional<DayMark> read_day_line(std::string_view line) {
  const auto document = exported_line(line, kDayLine);
  if (!document) return std::nullopt;
  const auto until = time_in(document->root(), "until");
  const auto jobs = document->root().find_present("jobs");
  const auto count = jobs ? jobs->as_integer() : std::nullopt;
  if (!until || !count || *count < 0) return std::nullopt;
  return DayMark{*until, static_cast<std::size_t>(*count)};
}

std::vector<std::string> types_in_job_line(std::string_view line) {
  std::vector<std::string> out;
  const auto document = exported_line(line, kJobLine);
  const auto value = document ? document->root().find_present("job") : std::nullopt;
  if (!value || !value->is_object()) return out;
  for (const rules::Instances& some : rules::read_training_job(*value).instances)
    out.emplace_back(some.type);
  return out;
}

bool is_end_line(std::string_view line) { return exported_line(line, kEndLine).has_value(); }

}  // namespace trainwarden::cli
