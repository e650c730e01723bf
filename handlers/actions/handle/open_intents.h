// The unfinished intents in a job's record (policy.md R1): what the job's item holds, as this
// invocation last saw it, and why each intent is not over yet. Makes no calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/outcome/open_intent.h"

namespace trainwarden::actions {

// id: of the job's item. job: as last described, nullptr if it was not described. Empty if this
// invocation has not seen the item.
std::vector<rules::OpenIntent> open_intents_of(const std::string& id, const rules::TrainingJob* job,
                                               const Record& record, const Apis& apis);

// The id of the job's item. Rules may be decided, and notices sent, without Describe's answer: if
// `job` is nullptr, the item is found by the job's name among those that this invocation has seen.
// "" if there is none, or if items of two jobs of that name were seen (F5).
std::string seen_item_of(std::string_view job_name, const rules::TrainingJob* job,
                         const Apis& apis);

}  // namespace trainwarden::actions
