#include "handlers/cli/diagnose/diagnose_job_command.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "handlers/cli/access/aws_session.h"
#include "handlers/cli/diagnose/diagnose_command.h"
#include "handlers/cli/explain/job_story.h"
#include "handlers/cli/terminal/indented.h"

namespace trainwarden::cli {
namespace {

std::vector<std::string_view> tail_lines(const rules::Sources& sources) {
  std::vector<std::string_view> out;
  const auto logs = sources.known(rules::Source::kLogs);
  const auto tail = logs ? logs->find("tail") : std::nullopt;
  if (!tail) return out;
  for (const json::Value line : tail->elements())
    if (line.is_string()) out.push_back(line.as_string());
  return out;
}

void write_readings(const rules::Sources& sources, std::span<const rules::OwnSignature> own,
                    json::Writer& writer) {
  const rules::TrainingJob& job = *sources.job();
  const std::vector<std::string_view> tail = tail_lines(sources);
  const std::vector<std::string_view> secrets = rules::secret_values(job);
  std::vector<rules::Reading> readings;
  rules::explain_texts({job.failure_reason, tail, secrets, own}, readings);
  write_why(readings, writer);
}

}  // namespace

Printed diagnose_job(const DiagnoseJobInputs& inputs, std::span<const rules::OwnSignature> own,
                     const actions::Apis& apis) {
  const auto complain = [&](Error error) {
    return complaint_about_job(std::move(error), inputs.job, apis);
  };
  const auto name = aws::JobName::parse(inputs.job);
  if (!name) return complain(name.error());
  const auto sources = look_at_job(*name, own, apis);
  if (!sources) return complain(sources.error());
  const rules::TrainingJob& job = *sources->job();
  const auto failure = failure_of(*sources, own);
  Printed out;
  json::Writer writer;
  writer.begin_object().member("job", job.name).member("state", rules::state_of(*sources));
  if (!job.failure_reason.empty()) writer.member("failure_reason", job.failure_reason);
  if (failure) {
    writer.member("label", rules::name(failure->verdict.label))
        .member("resume", rules::name(failure->verdict.resume))
        .member("evidence", failure->evidence);
    if (inputs.why && job.status == rules::JobStatus::kFailed)
      write_readings(*sources, own, writer);
  } else if (const Error* const unread = sources->unavailable(rules::Source::kLogs)) {
    writer.member("error", unread->message);
    out.status = 2;
    out.error = fmt::format(
        "trainwarden: {}: FailureReason does not tell why it failed, and its log "
        "could not be read: {}\n",
        inputs.job, printable(unread->message));
  } else {
    out.error = fmt::format("{}: it has not failed\n", inputs.job);
  }
  writer.end_object();
  const std::string text = writer.take();
  const auto document = json::Document::parse(text);
  out.output = inputs.indented && document ? printable_lines(indented(document->root()))
                                           : printable(text) + "\n";
  return out;
}

}  // namespace trainwarden::cli
