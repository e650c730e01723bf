// The member `facts` of a case (policy.md T1): what the functions would look up beside the job's
// description, its tags and its log.
#pragma once

#include "handlers/rules/facts/source.h"
#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// Adds {"fleet": {…}, "logs": {"silent_seconds": 3600}, "checkpoint": {"exists": true,
// "age_seconds": 60}} to the sources. Mistakes are reported at the reader's path and `facts`.
void add_case_facts(json::Value facts, rules::Sources& sources, rules::Reader& reader);

}  // namespace trainwarden::cli
