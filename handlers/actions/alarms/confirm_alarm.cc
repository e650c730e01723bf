#include "handlers/actions/alarms/confirm_alarm.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "handlers/actions/alarms/fetch_past.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/job_logs.h"
#include "handlers/actions/table/items.h"
#include "handlers/rules/alarms/confirmation.h"
#include "handlers/rules/job/hourly_cost.h"

namespace trainwarden::actions {
namespace {

using Verdict = AlarmCheck::Verdict;

// At most so many lines of a job's log are read to make sure that none of them holds the metric.
constexpr std::size_t kMostLines = 20'000;

void add_datapoints(const aws::MetricSeries& from, std::vector<rules::Datapoint>& to) {
  for (const auto& datapoint : from.datapoints) to.push_back({datapoint.time, datapoint.value});
}

std::vector<rules::Datapoint>& series_of(const rules::WitnessQuery& query,
                                         rules::Witnesses& witnesses) {
  using Of = rules::WitnessQuery::Kind;
  if (query.kind == Of::kOwn) return witnesses.own;
  if (query.kind == Of::kAlgorithms) return witnesses.algorithms;
  return witnesses.hosts[static_cast<std::size_t>(query.host - 1)];
}

// Fetches the metrics and files each host's datapoints. A host without an answer is an error, not a
// host without datapoints; only a search may find no series.
Result<void> fetch(const std::vector<rules::MetricRequest>& requests, rules::HostData& data,
                   rules::Witnesses& witnesses, const Apis& apis) {
  for (const rules::MetricRequest& request : requests) {
    TRY(const std::vector<aws::MetricSeries> answer,
        apis.cloudwatch.get_metric_data(request.queries.root(), request.begin, request.end,
                                        apis.context));
    const auto add = [&](const std::string& id, bool may_be_absent,
                         std::vector<rules::Datapoint>& to) -> Result<void> {
      const auto series = std::ranges::find(answer, id, &aws::MetricSeries::id);
      if (series != answer.end())
        add_datapoints(*series, to);
      else if (!may_be_absent)
        return fail(ErrorCode::kBadResponse,
                    fmt::format("GetMetricData: expected a result for each query, found none "
                                "for `{}`",
                                id));
      return {};
    };
    for (const std::int64_t host : request.hosts)
      CHECK_OK(add(rules::query_id(host), false, data[static_cast<std::size_t>(host - 1)]));
    for (const rules::WitnessQuery& query : request.witnesses)
      CHECK_OK(add(query.id, query.kind == rules::WitnessQuery::Kind::kAlgorithms,
                   series_of(query, witnesses)));
  }
  return {};
}

Result<rules::LogFinding> search_log(const rules::LogQuestion& question, const JobRef& job,
                                     const Apis& apis) {
  const aws::LogQuery query{.group = kTrainingLogs,
                            .stream_prefix = streams_of(job),
                            .begin = question.begin,
                            .end = question.end,
                            .page_size = 10'000};
  std::size_t lines = 0;
  bool may_hold_it = false;
  const auto each = [&](const aws::LogEvent& event) -> Result<bool> {
    // An empty literal is contained in every line.
    may_hold_it = ++lines > kMostLines || event.message.contains(question.literal);
    return !may_hold_it;
  };
  const auto done = apis.logs.filter_log_events(query, each, apis.context);
  // What was not read may hold it.
  if (!done && done.error().code == ErrorCode::kTooLarge) return rules::LogFinding::kMayHoldIt;
  if (!done && done.error().code != ErrorCode::kNotFound) return fail(done.error());
  if (may_hold_it) return rules::LogFinding::kMayHoldIt;
  return lines > 0 ? rules::LogFinding::kOtherLines : rules::LogFinding::kSilent;
}

Result<rules::Judgement> measure(const rules::Confirmation& plan, const JobRef& job,
                                 const Apis& apis) {
  const auto hosts = static_cast<std::size_t>(plan.host_count());
  rules::Evidence evidence{.data = rules::HostData(hosts)};
  evidence.witnesses.hosts.resize(static_cast<std::size_t>(plan.machine_count()));
  CHECK_OK(fetch(plan.requests(), evidence.data, evidence.witnesses, apis));
  rules::Judgement judgement = plan.judge(evidence);
  if (judgement.kind == rules::Judgement::Kind::kAskHistory) {
    evidence.history = rules::HostData(hosts);
    CHECK_OK(fetch(plan.history_requests(judgement.silent), *evidence.history, evidence.witnesses,
                   apis));
    judgement = plan.judge(evidence);
  }
  if (judgement.kind == rules::Judgement::Kind::kAskLog) {
    TRY(evidence.log, search_log(plan.log_question(), job, apis));
    judgement = plan.judge(evidence);
  }
  return judgement;
}

}  // namespace

AlarmCheck unmeasured(Verdict verdict, rules::Reason why) {
  return {verdict, std::make_shared<rules::Measurement>(std::move(why))};
}

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
      return unmeasured(Verdict::kGone, {.why = rules::Why::kGone});
    case Gathered::kNamesake:
      return unmeasured(Verdict::kNamesake, {.why = rules::Why::kNamesake});
    case Gathered::kJob:
      break;
  }
  if (const Error* error = sources.unavailable(rules::Source::kDescribe)) return fail(*error);
  auto plan = rules::Confirmation::plan(watch, subject.job.name.view(), *sources.job(), apis.now());
  if (plan && rules::needs_past(watch)) {
    TRY(const auto past, fetch_past(watch, subject.job, *sources.job(), apis));
    if (!past) return unmeasured(Verdict::kNotConfirmed, past.error());
    plan = rules::Confirmation::plan(rules::with_past(watch, *past), subject.job.name.view(),
                                     *sources.job(), apis.now());
  }
  if (!plan) return unmeasured(Verdict::kNotConfirmed, std::move(plan).error());
  auto measured = measure(*plan, subject.job, apis);
  // Measuring once more would find as much to read.
  if (!measured && measured.error().code == ErrorCode::kTooLarge)
    return unmeasured(Verdict::kNotConfirmed,
                      {.why = rules::Why::kUndecided, .error = std::move(measured).error()});
  TRY(rules::Judgement judgement, std::move(measured));
  TRY(std::string id, job_item_id(*sources.job()));
  if (judgement.blind) {
    AlarmCheck blind = unmeasured(Verdict::kNotConfirmed, *std::move(judgement.blind));
    blind.item_id = std::move(id);
    blind.blind = true;
    return blind;
  }
  if (!judgement.measured)
    return fail(ErrorCode::kInternal, "the alarm stays undecided although all evidence was read");
  const bool confirmed = judgement.kind == rules::Judgement::Kind::kConfirmed;
  return AlarmCheck{confirmed ? Verdict::kConfirmed : Verdict::kNotConfirmed,
                    std::make_shared<rules::Measurement>(*std::move(judgement.measured)),
                    judgement.rests_on_silence, std::move(id),
                    rules::hourly_cost(*sources.job(), subject.rules.policy.prices(), apis.now())};
}

}  // namespace trainwarden::actions
