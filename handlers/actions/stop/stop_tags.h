// What a stop, for good or for a restart, leaves in the job's tags so that its owner finds the
// reason (policy.md A1), and what P7 counts by.
#pragma once

#include <string_view>
#include <vector>

#include "awsapi/sagemaker.h"
#include "handlers/actions/context/job.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// Why, as a sentence for people: the rule's message, else the facts that made it hold.
std::string reason_of(const rules::Decision& decision);

// trainwarden:action, :rule, :reason and :at, in this order. Action and time hold plain characters
// only; the others what people wrote, as far as a tag may hold it.
std::vector<aws::Tag> reason_tags(std::string_view action, const rules::Decision& decision,
                                  sys_seconds now);

// Writes them, of a stop for good; where the whole set is refused, what holds plain characters only
// is tried once more. An error says which are not there.
Result<void> add_stop_tags(std::string_view arn, const rules::Decision& decision, const Apis& apis);

// Whether AddTags refused what was to be written, or found no room for it: less of it, or other
// keys, may pass.
bool refuses_these_tags(const Error& error);

}  // namespace trainwarden::actions
