// A job that is to be run again: what is known of it and of others that its copy could meet
// (policy.md A2, A3). Only asks.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/actions/context/job.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/restart/guards.h"

namespace trainwarden::actions {

// A job as DescribeTrainingJob and ListTags tell it now.
struct JobSnapshot {
  rules::Sources sources;  // both known
  rules::Lineage lineage = {};

  const rules::TrainingJob& job() const { return *sources.job(); }
  const rules::JobTags& tags() const { return *sources.tags(); }  // ours
  rules::JobStatus status() const { return job().status; }
  rules::RestartCase restart_case(const Apis& apis) const;
  // What its own tags leave room for.
  rules::CopyParts copy_parts() const;
  // The request for its copy of that name (copy_request.h).
  std::expected<std::string, rules::Reason> copy_request(const rules::CopyChanges& changes,
                                                         std::string_view name,
                                                         rules::CopyParts parts = {}) const;
  // Why AWS rejected it (copy_request.h).
  std::string without_values(const rules::CopyChanges& changes, std::string text) const;
};

// Why there is no snapshot.
struct NoSnapshot {
  // kGone, or, where it was created at another time, kNamesake (F5); none: it could not be asked.
  std::optional<rules::Why> absent = {};
  Error error;
};

std::expected<JobSnapshot, NoSnapshot> read_snapshot(const JobRef& job,
                                                     std::optional<sys_seconds> created,
                                                     const Apis& apis);

// The same, with the tags as they are 15 s after the job's creation (A1): what keeps a job from
// being run again, and its generation, are tags, and tags arrive late. Waits for a job that is
// younger. kDeadline: there is no time left to wait.
std::expected<JobSnapshot, NoSnapshot> read_settled_snapshot(const JobRef& job,
                                                             std::optional<sys_seconds> created,
                                                             const Apis& apis);

// The name that the job's copy has or would have. kBadResponse where Describe lacks what it is made
// of.
Result<std::string> name_of_copy(const JobSnapshot& original);

// Another job that uses the same checkpoint and would be in the copy's way: one that has not ended,
// or that used the checkpoint after this job's end. By Search, which lags some seconds behind. An
// error means that nobody knows: then no copy may be made.
Result<std::optional<rules::Reason>> why_checkpoint_is_taken(const JobSnapshot& original,
                                                             const Apis& apis);

}  // namespace trainwarden::actions
