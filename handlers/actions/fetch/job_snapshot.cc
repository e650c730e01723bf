#include "handlers/actions/fetch/job_snapshot.h"

#include <tuple>
#include <utility>

#include "awsapi/sigv4.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/fetch/recheck.h"
#include "handlers/actions/table/items.h"

namespace trainwarden::actions {
namespace {

// Without trailing slashes, so that prefixes compare equal.
std::string_view prefix(std::string_view uri) {
  while (uri.ends_with('/')) uri.remove_suffix(1);
  return uri;
}

std::string_view checkpoint(const rules::TrainingJob& job) { return prefix(job.checkpoint_uri); }

// Finds jobs with that checkpoint that have not ended or, if the original has ended, may have ended
// after it. by_checkpoint = false is for a Search that cannot filter by checkpoint: it finds all
// jobs that have not ended.
json::Document search_request(std::string_view uri, std::optional<sys_seconds> ended,
                              bool by_checkpoint) {
  constexpr std::string_view kGoOn = "InProgress,Stopping";
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.member("SortBy", "CreationTime").member("SortOrder", "Ascending");
    sink.key("SearchExpression").begin_object().key("SubExpressions").begin_array();
    if (by_checkpoint) {
      sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
      aws::write_search_filter(sink, "CheckpointConfig.S3Uri", "Equals", uri);
      aws::write_search_filter(sink, "CheckpointConfig.S3Uri", "Equals", std::string(uri) + "/");
      sink.end_array().end_object();
    }
    sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
    aws::write_search_filter(sink, "TrainingJobStatus", "In", kGoOn);
    if (by_checkpoint && ended)
      aws::write_search_filter(sink, "LastModifiedTime", "GreaterThanOrEqualTo", rfc3339(*ended));
    sink.end_array().end_object();
    sink.end_array().end_object().end_object();
  });
}

// Whether that job keeps the original from being continued from their common checkpoint. Of two
// that have ended, the one that used it last may go on; if both ended in the same second, the one
// created later; else the one whose name sorts last. So exactly one may, whichever is asked first.
bool blocks_copy(const rules::TrainingJob& job, const JobSnapshot& original) {
  const auto ended = job.ended();
  if (!ended) return true;
  const auto original_ended = original.job().ended();
  if (!original_ended) return false;
  const auto last_use = [](sys_seconds end, const rules::TrainingJob& of) {
    return std::tuple(end, of.created, of.name);
  };
  return last_use(*ended, job) > last_use(*original_ended, original.job());
}

// Why a job that Search lists is in the way; nullopt if it is not. Search lags: a job that it lists
// as running may have ended, as the job's own parent did a moment ago.
Result<std::optional<rules::Reason>> blocking_reason(std::string_view name,
                                                     const JobSnapshot& original,
                                                     const Apis& apis) {
  TRY(const aws::JobName job, aws::JobName::parse(name));
  const auto describe = apis.sagemaker.describe_training_job(job, apis.context);
  if (!describe && describe.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!describe) return fail(describe.error());
  const rules::TrainingJob found = rules::read_training_job(describe->root());
  if (!blocks_copy(found, original)) return std::nullopt;
  return rules::Reason{
      .why = found.ended() ? rules::Why::kCheckpointContinued : rules::Why::kCheckpointUsed,
      .name = std::string(name)};
}

// The job's lineage: from the table if the job may be a copy of ours, else from its tags and name.
Result<rules::Lineage> read_lineage(const JobSnapshot& found, const Apis& apis) {
  const std::string_view name = found.job().name;
  std::optional<rules::CopyItem> item;
  if (apis.table && rules::name_parts(name).n > 0) {
    TRY(item, read_copy_item(name, apis));
  }
  return rules::lineage_by_item(item, found.tags(), name);
}

}  // namespace

rules::RestartCase JobSnapshot::restart_case(const Apis& apis) const {
  return {job(), tags(), lineage, apis.config.pass_roles, apis.now()};
}

rules::CopyParts JobSnapshot::copy_parts() const {
  return rules::parts_that_fit(*sources.known(rules::Source::kTags));
}

std::expected<std::string, rules::Reason> JobSnapshot::copy_request(
    const rules::CopyChanges& changes, std::string_view name, rules::CopyParts parts) const {
  return rules::copy_request(
      {job().raw, *sources.known(rules::Source::kTags), lineage, changes, name, parts});
}

std::string JobSnapshot::without_values(const rules::CopyChanges& changes, std::string text) const {
  return rules::without_values(
      {job().raw, *sources.known(rules::Source::kTags), lineage, changes, "", {}}, std::move(text));
}

std::expected<JobSnapshot, NoSnapshot> read_snapshot(const JobRef& job,
                                                     std::optional<sys_seconds> created,
                                                     const Apis& apis) {
  const auto none = [](std::optional<rules::Why> absent, Error error) {
    return std::unexpected(NoSnapshot{absent, std::move(error)});
  };
  rules::JobEvent event;
  event.job_name = job.name.str();
  event.creation_time = created;
  JobSnapshot out{rules::Sources(std::move(event))};
  switch (gather(out.sources, {rules::Source::kDescribe, rules::Source::kTags}, job, apis)) {
    case Gathered::kGone:
      return none(rules::Why::kGone, {ErrorCode::kNotFound, "the job is gone"});
    case Gathered::kNamesake:
      return none(rules::Why::kNamesake, {ErrorCode::kNotFound, "the name belongs to a later job"});
    case Gathered::kJob:
      break;
  }
  for (const rules::Source source : {rules::Source::kDescribe, rules::Source::kTags})
    if (const Error* const why = out.sources.unavailable(source)) return none({}, *why);
  auto lineage = read_lineage(out, apis);
  if (!lineage) return none({}, std::move(lineage).error());
  out.lineage = *std::move(lineage);
  return out;
}

std::expected<JobSnapshot, NoSnapshot> read_settled_snapshot(const JobRef& job,
                                                             std::optional<sys_seconds> created,
                                                             const Apis& apis) {
  // The job's age counts from when its tags were requested.
  const sys_millis asked = apis.clock.now();
  auto out = read_snapshot(job, created, apis);
  if (!out) return out;
  const auto creation = out->job().created;
  if (!creation || apis.by_service(asked) - *creation >= kSettledAge) return out;
  if (auto settled = wait_until_settled(*creation, apis); !settled)
    return std::unexpected(NoSnapshot{{}, std::move(settled).error()});
  return read_snapshot(job, creation, apis);
}

Result<std::string> name_of_copy(const JobSnapshot& original) {
  const rules::TrainingJob& job = original.job();
  if (!job.created)
    return fail(ErrorCode::kBadResponse, "`DescribeTrainingJob.CreationTime`: expected a time");
  const std::string seed =
      rules::copy_name_seed(job.arn, job.created_exactly.value_or(*job.created));
  return rules::next_copy_name(job.name, aws::sha256_hex(seed));
}

Result<std::optional<rules::Reason>> why_checkpoint_is_taken(const JobSnapshot& original,
                                                             const Apis& apis) {
  const std::string_view uri = checkpoint(original.job());
  if (uri.empty()) return std::nullopt;
  TRY(const std::string copy, name_of_copy(original));
  std::optional<rules::Reason> found;
  const auto each_page = [&](json::Value results) -> Result<bool> {
    for (const rules::TrainingJob& job : rules::read_search_page(results)) {
      if (checkpoint(job) != uri || job.name == original.job().name || job.name == copy ||
          !blocks_copy(job, original))
        continue;
      TRY(found, blocking_reason(job.name, original, apis));
      if (found) return false;
    }
    return true;
  };
  const auto ended = original.job().ended();
  auto searched =
      apis.sagemaker.search(search_request(uri, ended, true).root(), each_page, apis.context);
  // AWS documents that every property of a TrainingJob can be searched for
  // (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_Filter.html). If this one is
  // refused, the running jobs are looked through instead.
  if (!searched && searched.error().code == ErrorCode::kRejected)
    searched =
        apis.sagemaker.search(search_request(uri, ended, false).root(), each_page, apis.context);
  if (!searched) return fail(std::move(searched).error());
  return found;
}

}  // namespace trainwarden::actions
