#include "handlers/actions/original.h"

#include <fmt/core.h>

#include <utility>

#include "awsapi/sigv4.h"
#include "handlers/actions/gather.h"
#include "handlers/actions/recheck.h"
#include "handlers/rules/job_times.h"

namespace trainwarden::actions {
namespace {

using json::Value;
using rules::string_of;

// The same prefix whether or not it ends in a slash.
std::string_view prefix(std::string_view uri) {
  while (uri.ends_with('/')) uri.remove_suffix(1);
  return uri;
}

std::string_view checkpoint(Value job) {
  const auto config = job.find_present("CheckpointConfig");
  return config ? prefix(string_of(*config, "S3Uri").value_or("")) : std::string_view();
}

// Jobs of that checkpoint that were created later or have not ended. Without the checkpoint as a
// filter, for a Search that does not know it: those that have not ended.
json::Document search_request(std::string_view uri, sys_seconds created, bool by_checkpoint) {
  constexpr std::string_view kGoOn = "InProgress,Stopping";
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object().member("Resource", "TrainingJob").member("MaxResults", 100);
    sink.key("SearchExpression").begin_object().key("SubExpressions").begin_array();
    if (by_checkpoint) {
      sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
      aws::write_search_filter(sink, "CheckpointConfig.S3Uri", "Equals", uri);
      aws::write_search_filter(sink, "CheckpointConfig.S3Uri", "Equals", std::string(uri) + "/");
      sink.end_array().end_object();
    }
    sink.begin_object().member("Operator", "Or").key("Filters").begin_array();
    aws::write_search_filter(sink, "TrainingJobStatus", "In", kGoOn);
    if (by_checkpoint)
      aws::write_search_filter(sink, "CreationTime", "GreaterThan", rfc3339(created));
    sink.end_array().end_object();
    sink.end_array().end_object().end_object();
  });
}

// Whether that job keeps the original from going on with their checkpoint. Of two that ended in the
// same second, the one created later goes on.
bool is_in_the_way(Value job, const Original& original) {
  const auto ended = rules::is_terminal(string_of(job, "TrainingJobStatus").value_or(""))
                         ? rules::ended_at(job)
                         : std::nullopt;
  if (!ended) return true;
  const auto created = rules::time_of(job, "CreationTime");
  const auto created_original = original.created();
  const auto original_ended = rules::ended_at(original.describe());
  return rules::is_terminal(original.status()) && created && created_original &&
         *created > *created_original && original_ended && *ended >= *original_ended;
}

}  // namespace

std::string_view Original::text(std::string_view member) const {
  return string_of(describe(), member).value_or("");
}

std::optional<sys_seconds> Original::created() const {
  return rules::time_of(describe(), "CreationTime");
}

rules::RestartCase Original::restart_case(const Apis& apis, bool by_hand) const {
  return {describe(), tags(), apis.config.pass_roles, apis.now(), by_hand};
}

Result<Original> read_original(const JobRef& job, std::optional<sys_seconds> created,
                               const Apis& apis) {
  rules::JobEvent event;
  event.job_name = job.name.str();
  event.creation_time = created;
  Original out{rules::Sources(std::move(event))};
  switch (gather(out.sources, {rules::Source::kDescribe, rules::Source::kTags}, job, apis)) {
    case Gathered::kGone:
      return fail(ErrorCode::kNotFound, "the job is gone");
    case Gathered::kNamesake:
      return fail(ErrorCode::kNotFound, "the name belongs to a later job");
    case Gathered::kJob:
      break;
  }
  for (const rules::Source source : {rules::Source::kDescribe, rules::Source::kTags})
    if (const Error* const why = out.sources.unavailable(source)) return fail(*why);
  return out;
}

Result<Original> read_settled_original(const JobRef& job, std::optional<sys_seconds> created,
                                       const Apis& apis) {
  // What counts is the job's age when its tags are asked for.
  const sys_millis asked = apis.clock.now();
  TRY(Original out, read_original(job, created, apis));
  const auto told = out.created();
  if (!told || asked - *told >= kSettledAge) return out;
  CHECK_OK(wait_until_settled(*told, apis));
  return read_original(job, told, apis);
}

Result<std::string> name_of_copy(const Original& original) {
  const auto created = original.created();
  if (!created)
    return fail(ErrorCode::kBadResponse, "`DescribeTrainingJob.CreationTime`: expected a time");
  const rules::Lineage lineage = original.lineage();
  const std::int64_t generation = lineage.generation.value_or(0) + 1;
  const std::string seed = rules::copy_seed(original.arn(), *created, generation);
  return rules::copy_name(lineage.root, generation, aws::sha256_hex(seed));
}

Result<std::optional<std::string>> other_on_checkpoint(const Original& original, const Apis& apis) {
  const std::string_view uri = checkpoint(original.describe());
  if (uri.empty()) return std::nullopt;
  TRY(const std::string copy, name_of_copy(original));
  std::optional<std::string> found;
  const auto each_page = [&](Value results) -> Result<bool> {
    for (const Value result : results.elements()) {
      const auto job = result.find_present("TrainingJob");
      if (!job || checkpoint(*job) != uri) continue;
      const std::string_view name = string_of(*job, "TrainingJobName").value_or("");
      if (name == original.name() || name == copy || !is_in_the_way(*job, original)) continue;
      found = name;
      return false;
    }
    return true;
  };
  const sys_seconds created = original.created().value_or(sys_seconds());
  auto searched =
      apis.sagemaker.search(search_request(uri, created, true).root(), each_page, apis.context);
  // AWS documents that every property of a TrainingJob can be searched for
  // (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_Filter.html); should this one be
  // refused, the running jobs are looked through.
  if (!searched && searched.error().code == ErrorCode::kRejected)
    searched =
        apis.sagemaker.search(search_request(uri, created, false).root(), each_page, apis.context);
  if (!searched) return fail(std::move(searched).error());
  return found;
}

std::string on_checkpoint(std::string_view other) {
  return fmt::format("the job {} uses its checkpoint", other);
}

}  // namespace trainwarden::actions
