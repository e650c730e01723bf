#include "handlers/actions/fetch/gather.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>
#include <vector>

#include "handlers/actions/fetch/checkpoint.h"
#include "handlers/actions/fetch/count_fleet.h"
#include "handlers/actions/fetch/job_logs.h"
#include "handlers/actions/fetch/silent_logs.h"
#include "handlers/rules/facts/facts.h"

namespace trainwarden::actions {
namespace {

using rules::Source;

Result<json::Document> checked(Result<json::Document> describe) {
  if (!describe) return describe;
  CHECK_OK(rules::check_description(describe->root()));
  return describe;
}

std::string_view described_arn(const rules::Sources& sources) {
  return sources.job() != nullptr ? sources.job()->arn : std::string_view();
}

// Why the job's description is missing: DescribeTrainingJob failed, or was not called.
Error not_described(const rules::Sources& sources) {
  const Error* const why = sources.unavailable(Source::kDescribe);
  return why != nullptr ? *why : Error{ErrorCode::kInternal, "the job is not described"};
}

void settle(rules::Sources& sources, Source source, Result<json::Document> outcome) {
  if (outcome)
    sources.set(source, *std::move(outcome));
  else
    sources.set_unavailable(source, std::move(outcome).error());
}

}  // namespace

Gathered take_description(rules::Sources& sources, Result<json::Document> answer) {
  auto describe = checked(std::move(answer));
  if (!describe && describe.error().code == ErrorCode::kNotFound) return Gathered::kGone;
  settle(sources, Source::kDescribe, std::move(describe));
  if (sources.job() == nullptr) return Gathered::kJob;
  if (!same_creation(sources.event(), *sources.job())) {
    sources.forget(Source::kDescribe);
    return Gathered::kNamesake;
  }
  if (auto early = behind(sources.event(), *sources.job()))
    sources.set_unavailable(Source::kDescribe, *std::move(early));
  return Gathered::kJob;
}

bool same_creation(const rules::JobEvent& event, const rules::TrainingJob& job) {
  const auto event_created = event.creation_time;
  if (!event_created || !job.created) return true;
  const auto apart =
      *event_created > *job.created ? *event_created - *job.created : *job.created - *event_created;
  return apart <= std::chrono::seconds(1);
}

std::optional<Error> behind(const rules::JobEvent& event, const rules::TrainingJob& job) {
  // An event without a time of creation may be about an earlier job of that name.
  if (!event.creation_time || !job.created || !same_creation(event, job) ||
      !rules::is_terminal(event.training_job_status.value_or("")) || job.has_ended())
    return std::nullopt;
  return Error{ErrorCode::kUnavailable,
               fmt::format("the event says {}, and DescribeTrainingJob still {}",
                           *event.training_job_status, job.status_text)};
}

Gathered gather(rules::Sources& sources, rules::SourceSet needs, const JobRef& job,
                const Apis& apis, std::span<const std::chrono::seconds> silences) {
  const std::string_view known_arn = described_arn(sources);
  const std::string arn(known_arn.empty() ? job.arn : known_arn);
  // ListTags takes an ARN; if the event has none, Describe comes first.
  if (needs.contains(Source::kTags) && arn.empty()) needs.add(Source::kDescribe);
  std::vector<aws::Call> calls;
  if (needs.contains(Source::kDescribe))
    calls.push_back(aws::SageMaker::describe_training_job_call(job.name));
  const bool list_now = needs.contains(Source::kTags) && !arn.empty();
  if (list_now) calls.push_back(aws::SageMaker::list_tags_call(arn));
  auto answers = apis.sagemaker.client().call_all(calls, apis.context);

  auto answer = answers.begin();
  if (needs.contains(Source::kDescribe))
    if (const Gathered found = take_description(sources, std::move(*answer++));
        found != Gathered::kJob)
      return found;
  if (needs.contains(Source::kTags)) {
    auto first =
        list_now ? std::move(*answer) : Result<json::Document>(fail(not_described(sources)));
    // The ARN in an event may be wrong; the one from Describe is right.
    if (const std::string_view better = described_arn(sources); !better.empty() && better != arn)
      settle(sources, Source::kTags, apis.sagemaker.list_tags(better, apis.context));
    // Only Describe says whether the job is gone (F1).
    else if (!first && first.error().code == ErrorCode::kNotFound && sources.job() == nullptr &&
             sources.unavailable(Source::kDescribe) == nullptr)
      return gather(sources, needs | rules::SourceSet{Source::kDescribe}, job, apis, silences);
    else if (!first)
      settle(sources, Source::kTags, std::move(first));
    else
      settle(sources, Source::kTags,
             apis.sagemaker.list_tags(arn, *std::move(first), apis.context));
  }
  // These sources need the description.
  const auto from_describe = [&](Source source, const auto& fetch) {
    if (!needs.contains(source)) return;
    const rules::TrainingJob* const described = sources.job();
    settle(sources, source,
           described != nullptr ? fetch(job, *described, apis)
                                : Result<json::Document>(fail(not_described(sources))));
  };
  // All of them share what may be read for a job, so what others make long comes last.
  from_describe(Source::kSilence,
                [&](const JobRef& of, const rules::TrainingJob& described, const Apis& through) {
                  return silence_of_logs(of, described, silences, through);
                });
  from_describe(Source::kCheckpoint, checkpoint_facts);
  from_describe(Source::kLogs, tail_of_logs);
  from_describe(Source::kFleet, count_fleet);
  return Gathered::kJob;
}

}  // namespace trainwarden::actions
