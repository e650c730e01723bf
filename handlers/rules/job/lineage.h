// Where a job stands in a line of copies, as our tags and its name tell, and how a copy of it is
// tagged (policy.md A3). What counts before them is the table's item of the copy (copy_item.h).
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
  // 0: not a copy. The highest that tag and name tell, since either can only keep the job from
  // being copied; nullopt where the tag is no number.
  std::optional<std::int64_t> generation;
  std::string root;    // the job that the line began with; the job itself where it is no copy
  std::string parent;  // the job that this one copies; empty where it is no copy
  std::string child;   // the copy of this job; empty where there is none, or none known
};

Lineage lineage_of(const JobTags& tags, std::string_view job_name);

// The ending that names of copies have (next_copy_name in copy_item.h): `-r<n>-<8 digits>`, of
// which one at least is a letter, so that a date (`exp-r2-20261122`) is never taken for ours.
struct NameParts {
  std::string_view stem;  // the whole name where it has no such ending
  std::int64_t n = 0;     // then 0
};
NameParts name_parts(std::string_view job_name);

inline constexpr std::size_t kMostTags = 50;

// The tags of the copy, of the job's (key → value): its own, without AWS's (`aws:`, in any case,
// which nobody may write) and ours, then root, parent and generation. May be more than kMostTags.
std::vector<std::pair<std::string, std::string>> copy_tags(json::Value tags, const Lineage& lineage,
                                                           std::string_view parent);

}  // namespace trainwarden::rules
