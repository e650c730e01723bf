#include "handlers/actions/alarms/fetch_past.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trainwarden::actions {

Result<std::expected<rules::JobPast, rules::Reason>> fetch_past(const rules::Watch& watch,
                                                                const JobRef& job,
                                                                const rules::TrainingJob& described,
                                                                const Apis& apis) {
  using Past = std::expected<rules::JobPast, rules::Reason>;
  auto request = rules::past_request(watch, job.name.view(), described, apis.now());
  if (!request) return Past(std::unexpected(std::move(request).error()));
  TRY(const std::vector<aws::MetricSeries> answer,
      apis.cloudwatch.get_metric_data(request->queries.root(), request->begin, request->end,
                                      apis.context));
  const auto found = std::ranges::find(answer, rules::query_id(1), &aws::MetricSeries::id);
  if (found == answer.end())
    return fail(ErrorCode::kBadResponse,
                "GetMetricData: expected a result for the query of the job's past, found none");
  std::vector<rules::Datapoint> series;
  series.reserve(found->datapoints.size());
  for (const auto& datapoint : found->datapoints)
    series.push_back({datapoint.time, datapoint.value});
  return rules::past_of(watch, series, apis.now());
}

}  // namespace trainwarden::actions
