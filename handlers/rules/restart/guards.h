// Whether a job may be run again, and on which machines (policy.md A2, A4). Guards are asked before
// anything is written; each answers with the reason why not. What only a look at
// other jobs can tell (a later job on the same checkpoint) is asked by the caller.
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
// where one of them neither failed nor ran into a limit.
bool same_failure(const TrainingJob& a, const TrainingJob& b);

struct RestartCase {
  const TrainingJob& job;
  const JobTags& tags;                      // whether a pipeline launched it
  const Lineage& place;                     // in its line of copies (copy_item.h)
  std::span<const std::string> pass_roles;  // ARNs, `*` allowed at the end; empty: any role
  sys_seconds now;
};

// Guards of every copy, whatever asked for it: all that speaks against it.
std::vector<Reason> all_against_copy(const RestartCase& found);
// The first of these.
std::optional<Reason> why_no_copy(const RestartCase& found);

// Whether the parent is needed, whose failure the job's own has to be compared with.
bool needs_parent(const RestartCase& found, const Restart& options);

// P4: whoever stopped the job for good, a rule or a person, is not overruled by a rule. item: what
// is remembered of the job; nothing where that is empty, so that whatever stopped the job counts as
// a person. Of a job whose restart was begun and is open, end_steps.h decides, not this.
std::optional<Reason> why_stopped(const TrainingJob& job, const JobItem& item, sys_seconds now);

// Guards of a new restart, after those of the copy: the limit, the same failure again. parent: null
// where it is not needed or gone.
std::optional<Reason> why_no_restart(const RestartCase& found, const Restart& options,
                                     const TrainingJob* parent);

// How the copy differs from the job. After a CapacityError it takes the next type of the list, and
// the type it had where there is no next; else it keeps a type that is in the list, and takes the
// first where the job's is not. Jobs of instance groups keep theirs.
CopyChanges changes_for(const TrainingJob& job, std::optional<bool> spot,
                        std::span<const std::string> instance_types,
                        const CopySettings& settings = {});

// A4: after a CapacityError the same machines are asked for again only by a sweep, from this time
// on; nullopt where the copy need not wait.
std::optional<sys_seconds> wait_for_capacity(const TrainingJob& job, std::int64_t generation,
                                             const CopyChanges& changes);

// A role ARN against a list of them, each of which may end with `*`; an empty list allows all.
bool may_pass(std::span<const std::string> roles, std::string_view role);

}  // namespace trainwarden::rules
