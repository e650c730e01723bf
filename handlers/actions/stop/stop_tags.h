// The tags that a stop, for good or for a restart, leaves on the job so that its owner finds the
// reason (policy.md A1).
#pragma once

#include <string_view>
#include <vector>

#include "awsapi/sagemaker.h"
#include "handlers/actions/context/job.h"
#include "handlers/rules/decide/decide.h"

namespace trainwarden::actions {

// Why the rule holds, for people: the rule's message, else the facts that made it hold.
std::string reason_of(const rules::Decision& decision);

// trainwarden:action, :rule, :reason and :at, in this order. Action and time have plain characters
// only; rule and reason have what people wrote, as far as a tag may hold it.
std::vector<aws::Tag> reason_tags(std::string_view action, const rules::Decision& decision,
                                  sys_seconds now);

// Writes the tags of a stop for good. If AWS refuses the whole set, tries once more with action and
// time alone. An error says which tags are missing.
Result<void> add_stop_tags(std::string_view arn, const rules::Decision& decision, const Apis& apis);

// Whether AddTags refused these tags, or the job has no room for them. Fewer tags, or other keys,
// may still be accepted.
bool refuses_these_tags(const Error& error);

}  // namespace trainwarden::actions
