// Whether a job may be run again, and on which machines (policy.md A2, A4). Guards run before
// anything is written; each returns the reason why not. The caller checks other jobs (such as a
// later job on the same checkpoint).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "handlers/rules/policy/action.h"
#include "handlers/rules/restart/copy_request.h"
#include "handlers/rules/state/job_item.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

// Whether both jobs ended for the same reason: the same kind of end, exit code and words of
// FailureReason, without what differs from run to run (the jobs' names, numbers, addresses). False
// if one of them neither failed nor ran into a limit.
bool same_failure(const TrainingJob& a, const TrainingJob& b);

struct RestartCase {
  const TrainingJob& job;
  const JobTags& tags;                      // whether a pipeline launched it
  const Lineage& lineage;                   // by its item, if it has one (copy_item.h)
  std::span<const std::string> pass_roles;  // ARNs, `*` allowed at the end; empty: any role
  sys_seconds now;
};

// The guards of every copy, whoever requested it: all objections.
std::vector<Reason> all_against_copy(const RestartCase& found);
// The first of these.
std::optional<Reason> why_no_copy(const RestartCase& found);

// Whether the parent is needed, so that its failure can be compared with the job's own.
bool needs_parent(const RestartCase& found, const Restart& options);

// P4: a rule does not overrule a rule or a person that stopped the job for good. item: what the
// table stores of the job; if it is empty, whatever stopped the job counts as a person. For a job
// with an open restart end_steps.h decides, not this.
std::optional<Reason> why_stopped(const TrainingJob& job, const JobItem& item, sys_seconds now);

// The guards of a new restart, after those of the copy: the limit, and a repeated failure. parent:
// null if it is not needed or gone.
std::optional<Reason> why_no_restart(const RestartCase& found, const Restart& options,
                                     const TrainingJob* parent);

// How the copy differs from the job. After a CapacityError it takes the next type of the list, or
// keeps its type if there is no next one. Otherwise it keeps a type that is in the list, and takes
// the first if the job's is not. Jobs with instance groups keep theirs.
CopyChanges changes_for(const TrainingJob& job, std::optional<bool> spot,
                        std::span<const std::string> instance_types,
                        const CopySettings& settings = {});

// A4: after a CapacityError only a sweep requests the same machines again, and not before this
// time; nullopt if the copy need not wait.
std::optional<sys_seconds> wait_for_capacity(const TrainingJob& job, std::int64_t generation,
                                             const CopyChanges& changes);

}  // namespace trainwarden::rules
