// Warm pools: the machines of a job that has ended, kept for another that matches it.
// https://docs.aws.amazon.com/sagemaker/latest/dg/train-warm-pools.html
//
//   InUse → Available → Reused, by a job that matches
//                     → Terminated, by the clock or UpdateTrainingJob
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

// ResourceConfig.KeepAlivePeriodInSeconds, as it was updated last.
std::int64_t keep_alive(const Job& job);
// WarmPoolStatus.Status; empty without a pool.
std::string_view pool_status(const Job& job);
// WarmPoolStatus, where the job has a pool.
void write_pool(json::Sink& out, const Job& job);

// What has become of the pool by now; true where that is news.
bool step_pool(Job& job, sys_millis now);
// When the pool runs out; nullopt where none will by the clock.
std::optional<sys_millis> pool_end(const Job& job);

// UpdateTrainingJob.
Answer<void> update_pool(Job& job, std::int64_t keep_alive_seconds, sys_millis now);

// Whether a job of that request takes over what the other has left.
bool takes_pool(json::Value request, const Job& other);
void reuse_pool(Job& from, Job& by, sys_millis now);

}  // namespace trainwarden::localaws
