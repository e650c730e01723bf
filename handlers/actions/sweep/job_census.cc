#include "handlers/actions/sweep/job_census.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "handlers/actions/fetch/large_jobs.h"
#include "handlers/rules/job/job_times.h"

namespace trainwarden::actions {
namespace {

constexpr int kPage = 100;

}  // namespace

bool JobCensus::has(std::string_view job) const {
  return std::ranges::binary_search(names, name_hash(job));
}

JobListing JobListing::running(Start start, Nominate nominate) {
  return {{{"TrainingJobStatus", "In", "InProgress,Stopping"}}, start, std::move(nominate)};
}

JobListing JobListing::ended(Start start, sys_seconds now, Nominate nominate) {
  return changed(start, now - rules::kCopiedWithin, std::move(nominate));
}

JobListing JobListing::changed(Start start, sys_seconds since, Nominate nominate) {
  return {{{"TrainingJobStatus", "NotEquals", "InProgress"},
           {"TrainingJobStatus", "NotEquals", "Stopping"},
           {"LastModifiedTime", "GreaterThanOrEqualTo", rfc3339(since)}},
          start,
          std::move(nominate)};
}

aws::Pages JobListing::pages(std::string_view side) {
  auto request = json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", kPage);
    sink.member("SortBy", "CreationTime").member("SortOrder", "Ascending");
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    for (const Filter& filter : filters_)
      aws::write_search_filter(sink, filter.name, filter.comparison, filter.value);
    if (start_) aws::write_search_filter(sink, "CreationTime", side, rfc3339(*start_));
    sink.end_array().end_object().end_object();
  });
  return aws::SageMaker::search_pages(
      std::move(request),
      [this](json::Value results) -> Result<bool> {
        read(results);
        return true;
      },
      skip_large([this](std::string_view job) { census_.too_large.emplace_back(job); }));
}

void JobListing::note(const Result<void>& walked) {
  if (!walked) census_.cut = walked.error();
}

JobCensus JobListing::finish() {
  std::ranges::sort(census_.names);
  return std::move(census_);
}

void JobListing::read(json::Value results) {
  for (const rules::TrainingJob& job : rules::read_search_page(results)) {
    const auto search = rules::sources_of_search(job);
    if (!search) continue;
    const std::string& name = search->event().job_name;
    if (job.created) cursor_ = *job.created;
    ++census_.seen;
    census_.names.push_back(name_hash(name));
    if (nominate_(*search)) census_.nominated.push_back(name);
  }
}

sys_seconds random_start(sys_seconds now, double random) {
  constexpr double kLongestSeconds = 28.0 * 86'400;
  constexpr double kHalvings = 20;  // 28 days halved 20 times are 2.3 seconds
  const double age = kLongestSeconds * std::exp2(-kHalvings * random);
  return now - std::chrono::seconds(static_cast<std::int64_t>(age));
}

std::uint64_t name_hash(std::string_view name) { return std::hash<std::string_view>()(name); }

}  // namespace trainwarden::actions
