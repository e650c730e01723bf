// The part of the policies' schema about patterns: groups, facts and operators.
#pragma once

#include "handlers/cli/schema_sink.h"

namespace trainwarden::cli {

// Members of `$defs`: patterns, pattern and what they refer to.
void define_patterns(SchemaSink& out);

}  // namespace trainwarden::cli
