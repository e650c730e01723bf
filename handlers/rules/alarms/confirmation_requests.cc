// What a confirmation asks for; confirmation.cc judges the answers.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/alarms/metric_query.h"

namespace trainwarden::rules {
namespace {

using std::chrono::ceil;
using std::chrono::floor;
using std::chrono::minutes;
using std::chrono::seconds;

// Of all algorithm metrics: their only dimension is the job. CloudWatch finds up to 500 series that
// had data within two weeks.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
std::string any_algorithm(std::int64_t period) {
  return fmt::format(R"(SEARCH('{{"{}",TrainingJobName}}', 'SampleCount', {}))", kTrainingMetrics,
                     period);
}

// A period that shows a job's whole life in a few hundred datapoints, and that CloudWatch still has
// for data of that age.
std::int64_t coarse_period(seconds age) {
  constexpr std::array<std::int64_t, 4> kPeriods = {60, 300, 3600, 21'600};
  constexpr std::int64_t kDatapoints = 170;
  const auto* const fits = std::ranges::find_if(
      kPeriods, [&](std::int64_t period) { return age.count() <= period * kDatapoints; });
  constexpr std::int64_t kDay = 86'400;
  return fits == kPeriods.end() ? kDay : *fits;
}

}  // namespace

std::string query_id(std::int64_t host) { return fmt::format("h{}", host); }

// A few dozen datapoints show enough.
std::int64_t Confirmation::witness_period() const {
  constexpr std::int64_t kEnough = 60;
  return watch_.period_seconds * ((window_periods_ + kEnough - 1) / kEnough);
}

std::int64_t Confirmation::history_period() const {
  return coarse_period(last_minute_ - (hosts_.heterogeneous ? born_ : segment_));
}

MetricRequest Confirmation::request(std::span<const std::int64_t> hosts) const {
  std::vector<WitnessQuery> witnesses;
  const bool of_host = watch_.source == Watch::Source::kInstance;
  using Kind = WitnessQuery::Kind;
  json::Document queries = json::Document::build([&](json::Sink& sink) {
    sink.begin_array();
    for (const std::int64_t host : hosts)
      ask_metric(sink, query_id(host),
                 {watch_.metric, of_host ? "Host" : "TrainingJobName",
                  of_host ? host_name(job_, host) : job_},
                 watch_.period_seconds, watch_.statistic);
    const auto ask_witness = [&](WitnessQuery query, const MetricOfJob& metric) {
      ask_metric(sink, query.id, metric, witness_period(), "SampleCount");
      witnesses.push_back(std::move(query));
    };
    const auto ask_machine = [&](std::int64_t host) {
      for (const std::string_view name : kHostWitnesses)
        if (!of_host || name != watch_.metric)
          ask_witness(
              {fmt::format("{}{}", name == kHostWitnesses[0] ? 'c' : 'm', host), Kind::kHost, host},
              {name, "Host", host_name(job_, host)});
    };
    if (silence_counts() && of_host) {
      for (const std::int64_t host : hosts) ask_machine(host);
    } else if (silence_counts()) {
      for (std::size_t i = 0; i < own_metrics_.size(); ++i)
        ask_witness({fmt::format("o{}", i + 1), Kind::kOwn},
                    {own_metrics_[i], "TrainingJobName", job_});
      for (std::int64_t host = 1; host <= machines_; ++host) ask_machine(host);
      witnesses.push_back({"any", Kind::kAlgorithms});
      sink.begin_object().member("Id", "any").member("Expression", any_algorithm(witness_period()));
      sink.member("ReturnData", true).end_object();
    }
    sink.end_array();
  });
  return {std::move(queries),
          end_ - seconds(window_periods_ * watch_.period_seconds),
          last_minute_,
          {hosts.begin(), hosts.end()},
          std::move(witnesses)};
}

std::vector<MetricRequest> Confirmation::requests() const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(hosts_.count));
  std::iota(all.begin(), all.end(), 1);
  const std::span<const std::int64_t> rest = all;
  const std::size_t most = static_cast<std::size_t>(kQueriesPerCall) /
                           (silence_counts() ? 1 + kHostWitnesses.size() : 1);
  std::vector<MetricRequest> out;
  for (std::size_t i = 0; i < rest.size(); i += most)
    out.push_back(request(rest.subspan(i, std::min(most, rest.size() - i))));
  return out;
}

std::vector<MetricRequest> Confirmation::history_requests(
    std::span<const std::int64_t> silent) const {
  // Periods begin with the segment, so that none is of two.
  const sys_seconds segment = ceil<minutes>(segment_);
  const seconds period(history_period());
  sys_seconds begin = segment;
  if (hosts_.heterogeneous)
    begin -= period * ((segment - floor<minutes>(born_) + period - seconds(1)) / period);
  std::vector<MetricRequest> out;
  for (std::size_t i = 0; i < silent.size(); i += kQueriesPerCall) {
    const auto some = silent.subspan(i, std::min<std::size_t>(kQueriesPerCall, silent.size() - i));
    const bool of_host = watch_.source == Watch::Source::kInstance;
    json::Document queries = json::Document::build([&](json::Sink& sink) {
      sink.begin_array();
      for (const std::int64_t host : some)
        ask_metric(sink, query_id(host),
                   {watch_.metric, of_host ? "Host" : "TrainingJobName",
                    of_host ? host_name(job_, host) : job_},
                   period.count(), "SampleCount");
      sink.end_array();
    });
    out.push_back({std::move(queries), begin, last_minute_, {some.begin(), some.end()}, {}});
  }
  return out;
}

// A line of the last minutes acquits as well.
LogQuestion Confirmation::log_question() const {
  return {.begin = end_ - seconds(window_periods_ * watch_.period_seconds),
          .end = last_minute_ + minutes(1),
          .literal = literal_};
}

}  // namespace trainwarden::rules
