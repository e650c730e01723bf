// Checks a training job that a person wrote down for a test of a policy (policy.md T1). A
// description that AWS could not have given proves nothing.
#pragma once

#include <cstdint>

#include "handlers/rules/policy/reader.h"
#include "runtime/json/json.h"

namespace trainwarden::cli {

// Who wrote the description. An export may have statuses that AWS added after this version.
enum class WrittenBy : std::uint8_t { kPerson, kExport };

// Reports mistakes in DescribeTrainingJob's answer at the reader's path: values of the wrong
// type, misspelt members, statuses that do not exist, times out of order, and a missing status. In
// what a person wrote also: negative numbers, statuses that no job has together, an end of a job
// that runs, transitions out of order, and instance types without `ml.`. After a misspelt member,
// what depends on the whole description is not reported. Members that resemble no known one are
// allowed, since AWS adds members.
void check_case_job(json::Value job, WrittenBy by, rules::Reader& reader);

}  // namespace trainwarden::cli
