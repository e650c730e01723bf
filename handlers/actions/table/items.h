// The items of the state table, which only the functions may write (rules/state defines their
// meaning). An item changes in one way: it is read, a pure step makes the next one, and that is
// written unless somebody else wrote meanwhile; then the step runs again. A table that cannot be
// read or written, or that holds an item that cannot be parsed, is kStateUnavailable: then no
// action may be taken, and the event is retried (F1).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/actions/context/job.h"
#include "handlers/rules/state/brake.h"
#include "handlers/rules/state/copy_item.h"
#include "handlers/rules/state/digest_item.h"
#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/queue_item.h"
#include "handlers/rules/state/quota_item.h"
#include "handlers/rules/state/rule_item.h"
#include "handlers/rules/state/sweep_item.h"

namespace trainwarden::actions {

// The id of a job's item, by Describe. kUnavailable if CreationTime is missing.
Result<std::string> job_item_id(const rules::TrainingJob& job);

// Turns an error of the table's client into kStateUnavailable.
Error state_unavailable(Error error);

// A unique id of a write, or of an attempt to stop a job.
std::string new_mark(const Apis& apis);

// An item that is not there is an empty one.
Result<rules::JobItem> read_job_item(const std::string& id, const Apis& apis);

// The item as this invocation last saw it, if it did: for messages only, never for a decision.
Result<rules::JobItem> last_job_item(const std::string& id, const Apis& apis);

// now: by the service's clock. The step is asked again where somebody else was faster, so it must
// leave what it decided where the last one wins. What comes out is the item as it stands.
using JobStep = std::function<rules::JobItem(rules::JobItem item, sys_seconds now)>;
Result<rules::JobItem> change_job_item(const std::string& id, const Apis& apis,
                                       const JobStep& step);

using BrakeStep = std::function<rules::BrakeItem(rules::BrakeItem item, sys_millis now)>;
Result<void> change_brake(const Apis& apis, const BrakeStep& step);
// The item as this invocation last saw it, or else read now: only to check whether there is
// anything to change.
Result<rules::BrakeItem> last_brake(const Apis& apis);

// What is remembered of a copy under its name; nullopt where that job is no copy of ours.
Result<std::optional<rules::CopyItem>> read_copy_item(std::string_view name, const Apis& apis);
// False where another copy is remembered under that name.
Result<bool> remember_copy(std::string_view name, const rules::CopyItem& copy, const Apis& apis);

// The account's quotas as somebody read them last; nullopt where nobody did, or what is there is
// none that we can read: it is only a memory of what AWS said, and is written anew.
Result<std::optional<rules::QuotaItem>> read_quotas(const Apis& apis);
Result<void> keep_quotas(const rules::QuotaItem& read, const Apis& apis);

// What is remembered of a copy that waits for its turn, by the job's name.
Result<rules::QueueItem> read_queue_item(std::string_view job_name, const Apis& apis);
using QueueStep = std::function<rules::QueueItem(rules::QueueItem item, sys_seconds now)>;
Result<void> change_queue_item(std::string_view job_name, const Apis& apis, const QueueStep& step);

// What a topic is told together (A9).
using DigestStep = std::function<rules::DigestItem(rules::DigestItem item, sys_seconds now)>;
Result<rules::DigestItem> change_digest(const std::string& id, const Apis& apis,
                                        const DigestStep& step);

// What the last sweep left.
Result<rules::SweepItem> read_sweep_item(const Apis& apis);
using SweepStep = std::function<rules::SweepItem(rules::SweepItem item, sys_seconds now)>;
Result<void> change_sweep_item(const Apis& apis, const SweepStep& step);

// Since when the rule with that text is enforced; it is enforced now.
Result<sys_seconds> enforced_since(std::string_view rule_text, const Apis& apis);

}  // namespace trainwarden::actions
