// The part of the policy schema about patterns: groups, facts and operators.
#pragma once

#include "handlers/cli/schema/schema_sink.h"

namespace trainwarden::cli {

// Writes the members of `$defs` for patterns, a pattern and what they refer to.
void define_patterns(SchemaSink& out);

}  // namespace trainwarden::cli
