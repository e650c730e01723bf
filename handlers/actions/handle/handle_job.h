// Handles one job: decides, fetches the sources that the decision needs, decides again, executes,
// and returns one record.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/handle/queue_copy.h"
#include "handlers/rules/outcome/action_result.h"

namespace trainwarden::actions {

// A job that has been decided on but not yet acted upon.
struct Considered {
  JobRef job;
  rules::Sources sources;
  // If the record's conclusion is not kDecided: no decisions, except of rules that ask for the
  // state BLIND (W4).
  rules::Evaluation evaluation;
  Record record;
  std::optional<sys_seconds> confirmed_at = {};  // when the alarm was confirmed (W4)
  // If set: stops and restarts are not carried out, and this is their result.
  std::optional<rules::ActionResult> hold = {};
  std::set<std::size_t> passes = {};  // rules that a sweep's limit lets through (execute.h)
  // The costliest jobs go first (P7); 0 if the job is not described.
  double hourly_cost = 0;
  QueueWait waited = QueueWait::kNot;  // the job has ended; its copy was queued, not pending (P7)
  bool queued = false;                 // a rule still asks for the queued copy
  bool later = false;                  // what is due is done in its own turn (P7), not now
};

// A job's item that the table lists as due.
struct ConsideredDue {
  JobRef job;
  std::string id;  // of the item
  rules::Sources sources;
  bool is_it = false;  // the described job is the item's job
  Record record;
  bool has_pending_copy = false;  // it may be made now: the job has ended, and it is not too late
};

// Fetches, decides, and confirms the alarm if one asks for action (W4). Does nothing to the job.
// May record in the brake that a silent job reports again (P7).
Considered consider(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                    const Apis& apis);

// Acts. Never fails as a whole: failures are in the record, and Record::failure() says whether the
// event must come again.
Record carry_out(const ActivePolicy& rules, Considered considered, const Apis& apis);

// Looks at what the table says is due for the job created at `created` (policy.md S1). id: of the
// job's item.
ConsideredDue consider_due(const ActivePolicy& rules, const JobRef& job, const std::string& id,
                           sys_millis created, const Apis& apis);
// Does what is due, and nothing else.
Record carry_out_due(const ActivePolicy& rules, ConsideredDue due, const Apis& apis);

// consider(), then carry_out().
Record handle_job(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis);

}  // namespace trainwarden::actions
