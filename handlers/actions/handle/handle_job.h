// Handles one job: decides, fetches the sources that the decision needs, decides again, executes,
// and returns one record.
#pragma once

#include <optional>
#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/handle/queue_copy.h"
#include "handlers/rules/outcome/action_result.h"

namespace trainwarden::actions {

// A job that was decided on, and not yet acted upon.
struct Considered {
  JobRef job;
  rules::Sources sources;
  // No decisions where the record concludes otherwise than kDecided.
  rules::Evaluation evaluation;
  Record record;
  std::optional<sys_seconds> confirmed_at = {};  // the alarm that asked for it (W4)
  // What comes of stops and restarts instead, where they are not to be done.
  std::optional<rules::ActionResult> hold = {};
  // By which the costliest go first (P7); 0 where the job is not described.
  double hourly_cost = 0;
  Waited waited = Waited::kNot;  // the job has ended, and its copy is not owed yet (P7)
  bool queued = false;           // what its end asked for then is asked for still
  bool later = false;            // what is owed is done in its own turn (P7), and not now
};

// An item of the table's index, of a job.
struct ConsideredDue {
  JobRef job;
  std::string id;  // the item's
  rules::Sources sources;
  bool is_it = false;  // whose item that is
  Record record;
  bool has_pending_copy = false;  // may be made now: the job has ended, and it is not too late
};

// Fetches and decides, and confirms the alarm where one asks for action (W4). Changes nothing in
// the world.
Considered consider(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                    const Apis& apis);

// Acts. Total: what fails is in the record, and Record::failure() tells whether the event must come
// again.
Record carry_out(const ActivePolicy& rules, Considered considered, const Apis& apis);

// What the table says is due for the job that was created then (policy.md S1). id: the item's.
ConsideredDue consider_due(const ActivePolicy& rules, const JobRef& job, const std::string& id,
                           sys_millis created, const Apis& apis);
// That, and nothing else.
Record carry_out_due(const ActivePolicy& rules, ConsideredDue due, const Apis& apis);

// Both in one.
Record handle_job(const ActivePolicy& rules, const JobRef& job, const rules::JobEvent& event,
                  const Apis& apis);

}  // namespace trainwarden::actions
