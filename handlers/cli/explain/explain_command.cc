#include "handlers/cli/explain/explain_command.h"

#include <fmt/format.h>

#include <utility>

#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/cli/explain/explanation.h"
#include "handlers/cli/files/inputs.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {
namespace {

Printed not_explained(int status, std::string_view what, const Error& error) {
  return {status, {}, fmt::format("trainwarden: {}: {}\n", what, printable(error.message))};
}

// F5: the function does nothing about an event whose job's name belongs to a later job by now.
Printed namesake(std::string_view job, const ExplainInputs& inputs) {
  if (!inputs.json)
    return {
        0,
        wrapped(fmt::format("job {}: nothing would be done: the event and the job were created "
                            "at different times, so that the event speaks of a deleted namesake",
                            printable(job)),
                inputs.screen.columns, 2) +
            "\n",
        {}};
  json::Writer writer;
  writer.begin_object()
      .member("job", job)
      .member("conclusion", actions::name(actions::Conclusion::kNamesake))
      .end_object();
  return {0, printable(writer.take()) + "\n", {}};
}

// The event that is given, else one derived from the job's description.
Result<rules::JobEvent> event_of(const ExplainInputs& inputs) {
  if (!inputs.event.empty() || !inputs.job) return read_event(inputs.event);
  TRY(const json::Document job, read_job(*inputs.job));
  return event_of_job(rules::read_training_job(job.root()));
}

}  // namespace

Printed explain(const ExplainInputs& inputs) {
  const auto policy = rules::parse_policy(inputs.policy);
  if (!policy) return not_explained(1, "policy", policy.error());
  auto event = event_of(inputs);
  if (!event)
    return not_explained(2, inputs.event.empty() && inputs.job ? "job" : "event", event.error());
  rules::Sources sources(std::move(*event));
  GivenMembers members;
  if (inputs.job) {
    auto job = read_job(*inputs.job);
    if (!job) return not_explained(2, "job", job.error());
    members = given_members(job->root());
    sources.set(rules::Source::kDescribe, std::move(*job));
    const rules::TrainingJob& found = *sources.job();
    if (found.name != sources.event().job_name)
      return not_explained(
          2, "job",
          {ErrorCode::kInvalidInput, fmt::format("expected the job of the event, `{}`, found `{}`",
                                                 sources.event().job_name, found.name)});
    if (!actions::same_creation(sources.event(), found))
      return namesake(sources.event().job_name, inputs);
  }
  if (inputs.tags) {
    auto tags = read_tags(*inputs.tags);
    if (!tags) return not_explained(2, "tags", tags.error());
    sources.set(rules::Source::kTags, std::move(*tags));
  }
  if (inputs.logs) {
    auto logs = read_logs(*inputs.logs);
    if (!logs) return not_explained(2, "logs", logs.error());
    sources.set(rules::Source::kLogs, std::move(*logs));
  }
  if (inputs.fleet) {
    auto fleet = read_fleet(*inputs.fleet);
    if (!fleet) return not_explained(2, "fleet", fleet.error());
    sources.set(rules::Source::kFleet, std::move(*fleet));
  }
  const GivenFacts given{sources, inputs.now, false, members, /*name_is_given=*/true};
  const Explanation explanation =
      explain_offline(*policy, sources, inputs.now, inputs.job ? &given : nullptr);
  return {0, inputs.json ? json_of(explanation) : page_of(explanation, inputs.screen), {}};
}

}  // namespace trainwarden::cli
