#include "tests/localaws/sagemaker/warm_pool.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <string>

namespace trainwarden::localaws {
namespace {

using json::Value;

std::optional<Value> member_at(Value document, std::string_view outer, std::string_view inner) {
  const auto found = document.find_present(outer);
  return found ? found->find_present(inner) : std::nullopt;
}

std::string text_at(Value document, std::string_view outer, std::string_view inner) {
  const auto found = member_at(document, outer, inner);
  return found ? json::to_text(*found) : std::string();
}

// AWS has flags that nobody gave.
bool flag(Value document, std::string_view name) {
  const auto found = document.find_present(name);
  return found && found->is_boolean() && found->as_boolean();
}

bool failed_by_itself(const JobState& state) {
  return state.failure_reason.starts_with("AlgorithmError") ||
         state.failure_reason.starts_with("ClientError");
}

// A placed document says itself what it has; what becomes of a job that ended since follows.
bool ended_here(const Job& job) {
  if (!ended(job.machine.state().status)) return false;
  if (!job.placed) return true;
  const auto given = job.document.root().find_present("TrainingJobStatus");
  return !given || !given->is_string() || !ended(given->as_string());
}

bool may_have_pool(Value document) {
  return !flag(document, "EnableManagedSpotTraining") &&
         !member_at(document, "ResourceConfig", "InstanceGroups");
}

std::int64_t seconds_between(sys_millis from, sys_millis to) {
  return std::chrono::duration_cast<std::chrono::seconds>(to - from).count();
}

void finish(Job& job, std::string_view status, sys_millis at) {
  WarmPool& pool = *job.pool;
  pool.retained = pool.since ? seconds_between(*pool.since, at) : 0;
  pool.status = status;
}

}  // namespace

std::int64_t keep_alive(const Job& job) {
  if (job.keep_alive) return *job.keep_alive;
  const auto given = member_at(job.document.root(), "ResourceConfig", "KeepAlivePeriodInSeconds");
  return given ? given->as_integer().value_or(0) : 0;
}

std::string_view pool_status(const Job& job) {
  if (job.pool) return job.pool->status;
  const auto given = member_at(job.document.root(), "WarmPoolStatus", "Status");
  return given && given->is_string() ? given->as_string() : std::string_view();
}

void write_pool(json::Sink& out, const Job& job) {
  const auto given = job.document.root().find_present("WarmPoolStatus");
  if (!job.pool) {
    if (given) out.member("WarmPoolStatus", *given);
    return;
  }
  const WarmPool& pool = *job.pool;
  out.key("WarmPoolStatus").begin_object().member("Status", pool.status);
  if (pool.retained) out.member("ResourceRetainedBillableTimeInSeconds", *pool.retained);
  if (!pool.reused_by.empty()) out.member("ReusedByJob", pool.reused_by);
  out.end_object();
}

bool step_pool(Job& job, sys_millis now) {
  bool news = false;
  const bool has_ended = ended_here(job);
  const bool in_use = pool_status(job) == "InUse";
  const JobState& state = job.machine.state();
  if (has_ended && (!job.pool || in_use) && may_have_pool(job.document.root()) &&
      (in_use || (keep_alive(job) > 0 && state.training_start))) {
    const bool kept = keep_alive(job) > 0 && (state.status != "Failed" || failed_by_itself(state));
    job.pool = WarmPool{.status = kept ? "Available" : "Terminated",
                        .since = kept ? state.training_end : std::nullopt,
                        .retained = kept ? std::nullopt : std::optional<std::int64_t>(0)};
    news = true;
  }
  const auto end = pool_end(job);
  if (!end || *end > now) return news;
  finish(job, "Terminated", *end);
  return true;
}

std::optional<sys_millis> pool_end(const Job& job) {
  if (!job.pool || job.pool->status != "Available" || !job.pool->since) return std::nullopt;
  return *job.pool->since + std::chrono::seconds(keep_alive(job));
}

Answer<void> update_pool(Job& job, std::int64_t keep_alive_seconds, sys_millis now) {
  const std::string_view status = pool_status(job);
  if (status.empty())
    return invalid(fmt::format("The training job {} has no warm pool to update.", job.name));
  if (status != "Available")
    return invalid(
        fmt::format("The warm pool of the training job {} cannot be updated: its status is {}.",
                    job.name, status));
  if (!job.pool)
    job.pool = WarmPool{.status = "Available", .since = job.machine.state().training_end};
  job.keep_alive = keep_alive_seconds;
  if (keep_alive_seconds == 0) finish(job, "Terminated", now);
  return {};
}

bool takes_pool(Value request, const Job& other) {
  const Value kept = other.document.root();
  if (pool_status(other) != "Available" || !may_have_pool(request)) return false;
  const auto role = request.find_present("RoleArn");
  const auto other_role = kept.find_present("RoleArn");
  if (!role || !other_role || json::to_text(*role) != json::to_text(*other_role)) return false;
  constexpr std::array<std::array<std::string_view, 2>, 6> kSame = {
      {{"ResourceConfig", "InstanceCount"},
       {"ResourceConfig", "InstanceType"},
       {"ResourceConfig", "VolumeKmsKeyId"},
       {"ResourceConfig", "VolumeSizeInGB"},
       {"VpcConfig", "SecurityGroupIds"},
       {"VpcConfig", "Subnets"}}};
  for (const auto& [outer, inner] : kSame)
    if (text_at(request, outer, inner) != text_at(kept, outer, inner)) return false;
  for (const char* const name : {"EnableInterContainerTrafficEncryption", "EnableNetworkIsolation"})
    if (flag(request, name) != flag(kept, name)) return false;
  return true;
}

void reuse_pool(Job& from, Job& by, sys_millis now) {
  if (!from.pool)
    from.pool = WarmPool{.status = "Available", .since = from.machine.state().training_end};
  finish(from, "Reused", now);
  from.pool->reused_by = by.name;
  by.pool = WarmPool{.status = "InUse"};
}

}  // namespace trainwarden::localaws
