// The check of a training job that a person has written down for a test of a policy (policy.md T1):
// a description that AWS could not have given proves nothing.
#pragma once

#include <cstdint>

#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// Who wrote the description. AWS may have added statuses since this version.
enum class WrittenBy : std::uint8_t { kPerson, kExport };

// Reports all mistakes of DescribeTrainingJob's answer at the reader's path: values of another
// type, names that are nearly those of members, statuses that do not exist, times out of order, no
// status. Members that resemble none are allowed, since AWS adds members.
void check_case_job(json::Value job, WrittenBy by, rules::Reader& reader);

}  // namespace trainwarden::cli
