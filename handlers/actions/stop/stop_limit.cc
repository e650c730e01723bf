#include "handlers/actions/stop/stop_limit.h"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace trainwarden::actions {
namespace {

constexpr std::chrono::hours kWindow{1};

// Jobs that carry our tag and have changed since: a job that was stopped has.
json::Document search_request(sys_seconds since) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    aws::write_search_filter(sink, "LastModifiedTime", "GreaterThanOrEqualTo", rfc3339(since));
    sink.end_array().key("SubExpressions").begin_array();
    sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
    for (const std::string_view action : {rules::kStopAction, rules::kRestartAction})
      aws::write_search_filter(sink, fmt::format("Tags.{}", rules::kActionTag), "Equals", action);
    sink.end_array().end_object();
    sink.end_array().end_object().end_object();
  });
}

bool stopped_since(const rules::TrainingJob& job, sys_seconds since) {
  const json::Document tags = rules::search_tags(job.raw);
  const auto at = parse_rfc3339(rules::read_job_tags(tags.root()).at.value_or(""));
  return at && *at >= since;
}

}  // namespace

Result<std::int64_t> stops_in_last_hour(const JobRef& job, std::int64_t enough, const Apis& apis) {
  const sys_seconds since = apis.now() - kWindow;
  std::int64_t count = 0;
  const auto each_page = [&](json::Value results) -> Result<bool> {
    for (const rules::TrainingJob& found : rules::read_search_page(results))
      if (found.name != job.name.view() && stopped_since(found, since)) ++count;
    return count < enough;
  };
  CHECK_OK(apis.sagemaker.search(search_request(since).root(), each_page, apis.context));
  return count;
}

Result<std::optional<rules::Reason>> held_back(const Subject& subject) {
  const std::int64_t limit = subject.rules.policy.limits().stops_per_hour;
  TRY(const std::int64_t count, stops_in_last_hour(subject.job, limit, subject.apis));
  if (count < limit) return std::nullopt;
  return rules::Reason{.why = rules::Why::kStopsPerHour, .number = count, .limit = limit};
}

}  // namespace trainwarden::actions
