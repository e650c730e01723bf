// Typed access to members of AWS's answers. A member that is missing, null or of another type is
// absent. Only for code that reads a job, its tags or an event once, at the edge, into a type of
// its own (training_job.h, job_tags.h); tests/layering lists that code.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// A time as AWS writes it (F2): epoch seconds or milliseconds, as a number or as digits, or RFC
// 3339.
std::optional<sys_seconds> read_time(json::Value value);

std::optional<double> number_of(json::Value object, std::string_view member);
std::optional<std::string_view> string_of(json::Value object, std::string_view member);
// As read_time.
std::optional<sys_seconds> time_of(json::Value object, std::string_view member);

}  // namespace trainwarden::rules
