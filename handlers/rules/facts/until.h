// How long a job's tags let it be: a tag whose value is a time becomes the seconds from now to that
// time, negative once it has passed (policy.md F15). Only two forms are a time, a date and RFC 3339
// with an offset. Anything else is no time, and its fact is absent: a value that is read as another
// instant than its writer meant would hold a rule off for days.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// `2026-12-24T18:00:00+01:00`, with `z` or `t` and fractions of a second, which are dropped; or
// `2026-12-24`, which is the end of that day in UTC. nullopt for everything else.
std::optional<sys_seconds> time_of_tag(std::string_view value);

// Writes a member for each tag whose value is such a time.
void write_until(json::Value tags, sys_seconds now, json::Sink& sink);

}  // namespace trainwarden::rules
