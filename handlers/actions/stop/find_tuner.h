// What launched a job: found by the ARN that the job tells, and read as it stands
// (rules/job/tuner.h says what it is).
#pragma once

#include <string>

#include "handlers/actions/context/job.h"
#include "handlers/rules/job/tuner.h"
#include "handlers/rules/state/job_look.h"

namespace trainwarden::actions {

// kUnavailable where no tuner, or more than one, has the ARN, compared without case: what cannot be
// told from another is not stopped.
Result<rules::Tuner> find_tuner(const rules::TunerRef& ref, const Apis& apis);

// Its item in the table, in which its stop and the notices of that are remembered, and by which the
// brake knows it (P7).
std::string tuner_item_id(const rules::Tuner& tuner);

// The tuner of an item; nullopt where it is gone. kUnavailable where the id is no tuner's.
Result<std::optional<rules::Tuner>> tuner_of_item(const std::string& id, const Apis& apis);
bool is_tuner_item(std::string_view id);

// As the steps of an item take it (rules/state): a tuner tells when it changed last, which is when
// its Stopping began, or its end.
rules::JobLook tuner_look(const rules::Tuner& tuner);

}  // namespace trainwarden::actions
