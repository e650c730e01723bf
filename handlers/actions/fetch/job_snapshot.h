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

  const rules::TrainingJob& job() const { return *sources.job(); }
  const rules::JobTags& tags() const { return *sources.tags(); }  // ours
  rules::JobStatus status() const { return job().status; }
  rules::Lineage lineage() const { return rules::lineage_of(tags(), job().name); }
  rules::RestartCase restart_case(const Apis& apis, bool by_hand = false) const;
  // The request for its copy of that name (copy_request.h).
  std::expected<std::string, rules::Reason> copy_request(const rules::CopyChanges& changes,
                                                         std::string_view name,
                                                         bool metric_definitions = true) const;
};

// kNotFound: the job is gone, or, where it was created at another time, its name belongs to a later
// one (F5).
Result<JobSnapshot> read_snapshot(const JobRef& job, std::optional<sys_seconds> created,
                                  const Apis& apis);

// The same, with the tags as they are 15 s after the job's creation (A1): what keeps a job from
// being run again, and its generation, are tags, and tags arrive late. Waits for a job that is
// younger. kDeadline: there is no time left to wait.
Result<JobSnapshot> read_settled_snapshot(const JobRef& job, std::optional<sys_seconds> created,
                                          const Apis& apis);

// The job as if it had not been copied: for a person's command, where the copy that the tags name
// is gone.
JobSnapshot without_copy(const JobSnapshot& original);

// What became of a copy, without an error.
struct Copied {
  enum class How : std::uint8_t { kMade, kAlready, kRefused };
  How how = How::kRefused;
  std::string name = {};                      // the copy's
  std::optional<rules::Reason> refusal = {};  // there where it was refused
  std::optional<Error> untagged = {};         // where the job could not be tagged as copied
};

// The name that the job's copy has or would have. kBadResponse where Describe lacks what it is made
// of.
Result<std::string> name_of_copy(const JobSnapshot& original);

// Another job that uses the same checkpoint and would be in the copy's way: one that has not ended,
// or that used the checkpoint after this job's end. By Search, which lags some seconds behind. An
// error means that nobody knows: then no copy may be made.
Result<std::optional<rules::Reason>> why_checkpoint_is_taken(const JobSnapshot& original,
                                                             const Apis& apis);

}  // namespace trainwarden::actions
