#include "handlers/actions/fetch/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "handlers/rules/job/allowed_list.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::actions {
namespace {

// Each page lists a thousand objects.
constexpr int kMostCheckpointPages = 20;
// The checkpoint is only information for people, and the job's copy must not wait for it.
constexpr std::chrono::seconds kTimeToLook{3};

struct CheckpointListing {
  std::optional<sys_seconds> newest = {};  // nullopt: nothing was found
  bool whole = false;                      // nothing was left out
};

Result<CheckpointListing> list_checkpoint(std::string_view uri, int most_pages, const Apis& apis,
                                          const aws::CallContext& context) {
  auto where = aws::parse_s3_uri(uri);
  if (!where) return fail(std::move(where).error().in("`CheckpointConfig.S3Uri`"));
  if (!rules::is_allowed(apis.config.checkpoint_buckets, where->bucket))
    return fail(ErrorCode::kAccessDenied,
                fmt::format("the bucket {} is none of TRAINWARDEN_CHECKPOINT_BUCKETS (the "
                            "template's CheckpointBuckets)",
                            where->bucket));
  CheckpointListing out;
  const auto each = [&out](const aws::S3Object& object) {
    // The placeholder object that the S3 console creates for a folder.
    if (object.size == 0 && object.key.ends_with('/')) return;
    out.newest = std::max(out.newest.value_or(object.written), object.written);
  };
  TRY(out.whole, apis.s3.list_objects_v2(*where, most_pages, each, context));
  return out;
}

// For how long nothing was written although the job should have written; nullopt if it need not
// write.
std::optional<std::chrono::seconds> age_of(sys_seconds newest, const rules::TrainingJob& job,
                                           sys_seconds now) {
  const auto age = std::max(now - newest, std::chrono::seconds(0));
  if (job.has_ended()) return age;
  const auto trains_since = rules::current_training(job);
  if (!trains_since) return std::nullopt;
  return std::clamp(now - *trains_since, std::chrono::seconds(0), age);
}

}  // namespace

Result<json::Document> checkpoint_facts(const JobRef& /*job*/, const rules::TrainingJob& described,
                                        const Apis& apis) {
  CheckpointListing found;
  const std::string_view uri = described.checkpoint_uri;
  if (!uri.empty()) {
    TRY(found, list_checkpoint(uri, kMostCheckpointPages, apis, apis.context));
    if (!found.whole)
      return fail(
          ErrorCode::kUnavailable,
          fmt::format("more than {} objects lie at `{}`: how old the newest is is not known",
                      kMostCheckpointPages * 1000, uri));
  }
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    if (!uri.empty()) sink.member("exists", found.newest.has_value());
    const auto age = found.newest ? age_of(*found.newest, described, apis.now()) : std::nullopt;
    if (age) sink.member("age_seconds", age->count());
    sink.end_object();
  });
}

rules::Resume look_for_checkpoint(const rules::TrainingJob& job, const Apis& apis) {
  using Kind = rules::Resume::Kind;
  if (job.checkpoint_uri.empty()) return {.kind = Kind::kNoConfig};
  aws::CallContext hurried = apis.context;
  hurried.deadline =
      std::min(hurried.deadline, Deadline::at(apis.clock.steady_now() + kTimeToLook));
  const auto found = list_checkpoint(job.checkpoint_uri, 1, apis, hurried);
  if (!found) return {.kind = Kind::kUnknown};
  if (found->newest)
    return {.kind = Kind::kCheckpoint, .newest = found->whole ? found->newest : std::nullopt};
  // If not all pages were read, the others may hold more than folders.
  return {.kind = found->whole ? Kind::kNothing : Kind::kUnknown};
}

}  // namespace trainwarden::actions
