#include "handlers/actions/stop/stop_limit.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace trainwarden::actions {
namespace {

constexpr std::chrono::hours kWindow{1};

std::string_view text(json::Value object, std::string_view name) {
  const auto value = object.find_present(name);
  return value && value->is_string() ? value->as_string() : std::string_view();
}

// Jobs that carry our tag and have changed since: a job that was stopped has.
json::Document search_request(sys_seconds since) {
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.key("SearchExpression").begin_object().key("Filters").begin_array();
    aws::write_search_filter(sink, "LastModifiedTime", "GreaterThanOrEqualTo", rfc3339(since));
    sink.end_array().key("SubExpressions").begin_array();
    sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
    for (const char* const action : {"stop", "restart"})
      aws::write_search_filter(sink, "Tags.trainwarden:action", "Equals", action);
    sink.end_array().end_object();
    sink.end_array().end_object().end_object();
  });
}

bool stopped_since(json::Value job, sys_seconds since) {
  const auto tags = job.find_present("Tags");
  if (!tags) return false;
  for (const json::Value tag : tags->elements()) {
    if (text(tag, "Key") != "trainwarden:at") continue;
    const auto at = parse_rfc3339(text(tag, "Value"));
    return at && *at >= since;
  }
  return false;
}

}  // namespace

Result<std::int64_t> stops_in_last_hour(const JobRef& job, std::int64_t enough, const Apis& apis) {
  const sys_seconds since = apis.now() - kWindow;
  std::int64_t count = 0;
  const auto each_page = [&](json::Value results) -> Result<bool> {
    for (const json::Value result : results.elements()) {
      const auto found = result.find_present("TrainingJob");
      if (!found || text(*found, "TrainingJobName") == job.name.view()) continue;
      if (stopped_since(*found, since)) ++count;
    }
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
