#include "handlers/actions/alarms/confirm_alarm.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/job/dearness.h"

namespace trainwarden::actions {
namespace {

using Verdict = AlarmCheck::Verdict;

// Asks, and puts each host's datapoints in its place. A host without an answer is an error, not a
// host without datapoints.
Result<void> fetch(const std::vector<rules::MetricRequest>& requests, rules::HostData& data,
                   const Apis& apis) {
  for (const rules::MetricRequest& request : requests) {
    TRY(const std::vector<aws::MetricSeries> answer,
        apis.cloudwatch.get_metric_data(request.queries.root(), request.begin, request.end,
                                        apis.context));
    for (const std::int64_t host : request.hosts) {
      const std::string id = rules::query_id(host);
      const auto series = std::ranges::find(answer, id, &aws::MetricSeries::id);
      if (series == answer.end())
        return fail(ErrorCode::kBadResponse,
                    fmt::format("GetMetricData: expected a result for each query, found none "
                                "for `{}`",
                                id));
      auto& datapoints = data[static_cast<std::size_t>(host - 1)];
      for (const auto& datapoint : series->datapoints)
        datapoints.push_back({datapoint.time, datapoint.value});
    }
  }
  return {};
}

Result<rules::Judgement> measure(const rules::Confirmation& plan, const Apis& apis) {
  const auto hosts = static_cast<std::size_t>(plan.host_count());
  rules::HostData data(hosts);
  CHECK_OK(fetch(plan.requests(), data, apis));
  rules::Judgement judgement = plan.judge(data, nullptr);
  if (judgement.kind != rules::Judgement::Kind::kAskHistory) return judgement;
  rules::HostData history(hosts);
  CHECK_OK(fetch(plan.history_requests(judgement.silent), history, apis));
  return plan.judge(data, &history);
}

}  // namespace

Conclusion conclusion(Verdict verdict) {
  switch (verdict) {
    case Verdict::kConfirmed:
      return Conclusion::kDecided;
    case Verdict::kNotConfirmed:
      return Conclusion::kNotConfirmed;
    case Verdict::kGone:
      return Conclusion::kGone;
    case Verdict::kNamesake:
      return Conclusion::kNamesake;
  }
  return Conclusion::kNotConfirmed;
}

Result<AlarmCheck> confirm_alarm(const Subject& subject, const rules::Watch& watch) {
  const Apis& apis = subject.apis;
  rules::Sources sources(subject.sources.event());
  switch (gather(sources, {rules::Source::kDescribe}, subject.job, apis)) {
    case Gathered::kGone:
      return AlarmCheck{Verdict::kGone, {}, rules::Reason{.why = rules::Why::kGone}};
    case Gathered::kNamesake:
      return AlarmCheck{Verdict::kNamesake, {}, rules::Reason{.why = rules::Why::kNamesake}};
    case Gathered::kJob:
      break;
  }
  if (const Error* error = sources.unavailable(rules::Source::kDescribe)) return fail(*error);
  auto plan = rules::Confirmation::plan(watch, subject.job.name.view(), *sources.job(), apis.now());
  if (!plan) return AlarmCheck{Verdict::kNotConfirmed, {}, std::move(plan).error()};
  TRY(rules::Judgement judgement, measure(*plan, apis));
  TRY(std::string id, job_item_id(*sources.job()));
  const bool confirmed = judgement.kind == rules::Judgement::Kind::kConfirmed;
  return AlarmCheck{confirmed ? Verdict::kConfirmed : Verdict::kNotConfirmed,
                    std::move(judgement.text),
                    {},
                    judgement.rests_on_silence,
                    std::move(id),
                    rules::dearness(*sources.job(), subject.rules.policy.prices(), apis.now())};
}

}  // namespace trainwarden::actions
