// The lines of an export, each a JSON object:
//
//   {"export": {"version": 1, "since", "until", "region", "policy"}}   first: what was asked for
//   {"job": …, "tags": {…}, "logs": {"tail": […]}, "metrics": […], "unavailable": {…}}   each job
//   {"day": "2026-11-20", "until": …, "jobs": 12}   all jobs created before `until` stand above
//   {"prices": {"region", "currency", "published", "asked", "usd_per_hour": {type: amount}}}
//   {"end": {"jobs": 1200}}   last: nothing is missing
//
// `job` is Search's record, or DescribeTrainingJob's answer (`described`), without Tags. Of
// HyperParameters and Environment it has only what the policy's patterns name. `logs` is there if
// FailureReason does not tell why the job failed. A member of `metrics` is {"metric", "statistic",
// "period_seconds", "from", "until", "cut", "series": {"algo-1": [1, null, 2]}}. The first value is
// for the period that begins at `from`; null, and whatever is left out at the end, are periods
// without data. `cut` says that CloudWatch no longer keeps what came before `from`. What could not
// be fetched is listed in `unavailable` with the reason; it never counts as absent.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/prices/listed_prices.h"
#include "handlers/rules/alarms/history_series.h"
#include "handlers/rules/decide/history_needs.h"
#include "handlers/rules/facts/source.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::cli {

// How the lines of each kind begin, also those that are truncated or broken.
inline constexpr std::string_view kExportLine = R"({"export":)";
inline constexpr std::string_view kJobLine = R"({"job":)";
inline constexpr std::string_view kDayLine = R"({"day":)";
inline constexpr std::string_view kPricesLine = R"({"prices":)";
inline constexpr std::string_view kEndLine = R"({"end":)";

struct ExportHeader {
  sys_seconds since;
  sys_seconds until;
  std::string region;
  std::string policy;  // its hash
};

struct ExportedSeries {
  rules::HistorySeries what;
  rules::HistorySpan span;
  std::vector<std::optional<double>> values = {};
};

// A job with all that was fetched for it.
struct ExportedJob {
  rules::Sources sources;
  bool described = false;
  std::vector<ExportedSeries> series = {};  // as history_series() orders them
  std::map<std::string, std::string> unavailable = {};
};

// All lines end with a newline and hold no control characters for a terminal.
std::string header_line(const ExportHeader& header);
std::string job_line(const ExportedJob& job, const rules::HistoryNeeds& needs);
std::string day_line(sys_seconds begin, sys_seconds until, std::size_t jobs);
// The listed prices of these machine types, or the error if the list could not be asked.
std::string prices_line(const Result<ListedPrices>& listed, std::span<const std::string> types,
                        std::string_view region, sys_seconds asked);
std::string end_line(std::size_t jobs);

// Parse a line of an earlier export; nullopt if it is a line of another kind, or broken.
std::optional<ExportHeader> read_header_line(std::string_view line);
struct DayMark {
  sys_seconds until;
  std::size_t jobs = 0;
};
std::optional<DayMark> read_day_line(std::string_view line);
// The machine types in a job's line; none if it is a line of another kind.
std::vector<std::string> types_in_job_line(std::string_view line);
bool is_end_line(std::string_view line);

}  // namespace trainwarden::cli
