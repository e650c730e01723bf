// What a record says of intents that were left standing (policy.md R1): what the table holds of the
// job as this invocation saw it last, and why that is not over. Asks for nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/rules/outcome/standing.h"

namespace trainwarden::actions {

// id: the job's item. job: as it was described last, nullptr where it was not. Empty where this
// invocation has not seen the item.
std::vector<rules::Standing> standing_of(const std::string& id, const rules::TrainingJob* job,
                                         const Record& record, const Apis& apis);

// The item of the job of that name, which this invocation has seen; "" where it has not, or where
// it has seen those of two such jobs (F5). Rules may be decided, and people told, without
// Describe's answer at hand.
std::string seen_item_of(std::string_view job_name, const rules::TrainingJob* job,
                         const Apis& apis);

}  // namespace trainwarden::actions
