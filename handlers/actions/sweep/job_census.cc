#include "handlers/actions/sweep/job_census.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "handlers/rules/job/job_times.h"

namespace trainwarden::actions {
namespace {

constexpr int kPage = 100;

struct Filter {
  std::string_view name;
  std::string_view comparison;
  std::string value;
};

json::Document search_request(std::span<const Filter> filters) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", kPage);
    sink.member("SortBy", "CreationTime").member("SortOrder", "Ascending");
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    for (const Filter& filter : filters)
      aws::write_search_filter(sink, filter.name, filter.comparison, filter.value);
    sink.end_array().end_object().end_object();
  });
}

class Taking {
 public:
  Taking(const Nominate& nominate, const Apis& apis) : nominate_(nominate), apis_(apis) {}

  // Both halves of what the filters say.
  JobCensus take(std::vector<Filter> filters, sys_seconds start) {
    filters.push_back({"CreationTime", "GreaterThanOrEqualTo", rfc3339(start)});
    walk(filters);
    filters.back().comparison = "LessThan";
    if (!census_.cut) walk(filters);
    std::ranges::sort(census_.names);
    return std::move(census_);
  }

 private:
  void walk(std::span<const Filter> filters) {
    const auto walked = apis_.sagemaker.search(
        search_request(filters).root(), [&](json::Value results) { return read(results); },
        apis_.context);
    if (!walked) census_.cut = walked.error();
  }

  Result<bool> read(json::Value results) {
    for (const rules::TrainingJob& job : rules::read_search_page(results)) {
      const auto search = rules::sources_of_search(job);
      if (!search) continue;
      const std::string& name = search->event().job_name;
      ++census_.seen;
      census_.names.push_back(name_hash(name));
      if (nominate_(*search)) census_.nominated.push_back(name);
    }
    return true;
  }

  const Nominate& nominate_;
  const Apis& apis_;
  JobCensus census_;
};

}  // namespace

bool JobCensus::has(std::string_view job) const {
  return std::ranges::binary_search(names, name_hash(job));
}

JobCensus running_jobs(sys_seconds start, const Nominate& nominate, const Apis& apis) {
  return Taking(nominate, apis).take({{"TrainingJobStatus", "Equals", "InProgress"}}, start);
}

JobCensus ended_jobs(sys_seconds start, const Nominate& nominate, const Apis& apis) {
  return Taking(nominate, apis)
      .take({{"TrainingJobStatus", "NotEquals", "InProgress"},
             {"LastModifiedTime", "GreaterThanOrEqualTo",
              rfc3339(apis.now() - rules::kCopiedWithin)}},
            start);
}

sys_seconds random_start(sys_seconds now, double random) {
  constexpr double kLongestSeconds = 28.0 * 86'400;
  constexpr double kHalvings = 20;  // 28 days halved 20 times are 2.3 seconds
  const double age = kLongestSeconds * std::exp2(-kHalvings * random);
  return now - std::chrono::seconds(static_cast<std::int64_t>(age));
}

std::uint64_t name_hash(std::string_view name) { return std::hash<std::string_view>()(name); }

}  // namespace trainwarden::actions
