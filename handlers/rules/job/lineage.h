// A job's position in its line of copies, by our tags and its name, and the tags of its copy
// (policy.md A3). The table's item of the copy (copy_item.h) takes precedence over both.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/job/job_tags.h"
#include "handlers/rules/job/training_job.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct Lineage {
  // 0: not a copy. The higher of the tag's and the name's, since either may only prevent a copy;
  // nullopt if the tag is not a number.
  std::optional<std::int64_t> generation;
  std::string root;    // the first job of the line; the job itself if it is not a copy
  std::string parent;  // the job that this one copies; empty if it is not a copy
  std::string child;   // the copy of this job; empty if there is none, or none is known
};

Lineage lineage_of(const JobTags& tags, std::string_view job_name);

// The suffix of a copy's name (next_copy_name in copy_item.h): `-r<n>-<8 hexadecimal digits>`. At
// least one digit is a letter, so that a date (`exp-r2-20261122`) is not mistaken for it.
struct NameParts {
  std::string_view stem;  // the whole name if it has no such suffix
  std::int64_t n = 0;     // 0 if it has no such suffix
};
NameParts name_parts(std::string_view job_name);

// Whether the job has a name as AWS Batch gives to the training jobs that it runs: its own role may
// create no others. Anybody may name a job so, which only ever prevents a copy.
// https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSBatchServiceRolePolicyForSageMaker.html
bool is_named_by_batch(std::string_view job_name);

inline constexpr std::size_t kMostTags = 50;

// The copy's tags. tags: the job's (key → value). First come the job's own, without AWS's (`aws:`,
// in any case, which nobody may write) and ours; then root, parent and generation. There may be
// more than kMostTags.
std::vector<std::pair<std::string, std::string>> copy_tags(json::Value tags, const Lineage& lineage,
                                                           std::string_view parent);

}  // namespace trainwarden::rules
