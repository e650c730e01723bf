#include "handlers/actions/fetch/count_fleet.h"

#include <string_view>

#include "handlers/actions/fetch/large_jobs.h"
#include "handlers/rules/decide/fleet.h"

namespace trainwarden::actions {
namespace {

constexpr int kMostJobs = 2000;  // an empty page counts as a full one
constexpr int kPage = 100;

// Finds jobs that changed within the window and match the count: one of the types, or with instance
// groups, whose types Search cannot filter by; and on spot capacity, or failed. The syntax:
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_SearchExpression.html
json::Document fleet_request(const rules::FleetCount& count, sys_seconds since) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", kPage);
    sink.member("SortBy", "LastModifiedTime").member("SortOrder", "Descending");
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    aws::write_search_filter(sink, "LastModifiedTime", "GreaterThanOrEqualTo", rfc3339(since));
    sink.end_array().key("SubExpressions").begin_array();
    sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
    for (const auto& type : count.types())
      aws::write_search_filter(sink, "ResourceConfig.InstanceType", "Equals", type);
    aws::write_search_filter(sink, "ResourceConfig.InstanceType", "NotExists", {});
    sink.end_array().end_object();
    sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
    aws::write_search_filter(sink, "EnableManagedSpotTraining", "Equals", "true");
    aws::write_search_filter(sink, "TrainingJobStatus", "Equals", "Failed");
    sink.end_array().end_object();
    sink.end_array().end_object().end_object();
  });
}

}  // namespace

Result<json::Document> count_fleet(const JobRef& job, const rules::TrainingJob& described,
                                   const Apis& apis) {
  rules::FleetCount count(job.name.view(), described, apis.now());
  if (count.types().empty()) return count.document();
  int jobs = 0;
  const auto each_page = [&](json::Value results) -> Result<bool> {
    for (const rules::TrainingJob& other : rules::read_search_page(results)) count.add(other);
    jobs += results.size() > 0 ? static_cast<int>(results.size()) : kPage;
    return jobs < kMostJobs;
  };
  const json::Document request = fleet_request(count, apis.now() - rules::kFleetWindow);
  CHECK_OK(apis.sagemaker.search(request.root(), each_page, apis.context,
                                 skip_large([](std::string_view /*name*/) {})));
  return count.document();
}

}  // namespace trainwarden::actions
