// A copy's position in its line, stored under the copy's name before that job exists, and the name
// itself (policy.md A3). The name depends on the original alone. A person's command, a second stack
// and a function without its table all arrive at the same name, so a copy cannot be made twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/job/lineage.h"
#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct CopyItem {
  std::string root;    // the first job of the line
  std::string parent;  // the job that this one copies
  std::int64_t generation = 1;
  sys_seconds at;

  bool operator==(const CopyItem&) const = default;
};

// found: the stored item; nullopt if there is none. False if it is of another copy, which names of
// ours cannot cause.
Step<CopyItem, bool> remember_copy(const std::optional<CopyItem>& found, const CopyItem& copy);

// The digits in the copy's name come from the SHA-256 of this text, in lower-case hex.
std::string copy_name_seed(std::string_view original_arn, sys_millis original_created);

// `<the original's name without its own ending>-r<n + 1>-<8 digits of the digest>`, of at most 63
// characters; n is 0 where the name has no ending of ours.
std::string next_copy_name(std::string_view original, std::string_view digest);

// A job's position in its line: by its item, or without one by its tags and name (lineage.h).
Lineage lineage_by_item(const std::optional<CopyItem>& item, const JobTags& tags,
                        std::string_view job_name);

// attributes: as awsapi gives them. nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<std::optional<Stored<CopyItem>>> parse_copy_item(std::string_view id,
                                                        std::optional<json::Value> attributes);
// The item as it is put back.
json::Document copy_attributes(const CopyItem& item, sys_seconds now);

}  // namespace trainwarden::rules
