// Which texts a member can hold at all, as AWS's service models say: its characters, its length,
// and what an ARN or a URI begins with. A condition that asks for another text never holds, and
// mostly somebody took one operator for another: `"prod-*"` for `{"wildcard": "prod-*"}`. Only rows
// of which AWS says something are here; a member without one may hold anything.
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html
#pragma once

#include <string_view>

#include "handlers/rules/facts/groups.h"
#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"

namespace trainwarden::rules {

// Reports each text of the test that no value at that path can equal, begin with, end with or
// contain, with the operator that was meant. A mistake for `check`; the functions only warn, so
// that no deployed policy is switched off (P2). Whether there was one.
bool review_form(const FactPath& fact, const Test& test, const JsonPath& where,
                 Diagnostics& diagnostics);

// The same of a tag's key.
void review_tag_key(std::string_view key, const JsonPath& where, Diagnostics& diagnostics);

}  // namespace trainwarden::rules
