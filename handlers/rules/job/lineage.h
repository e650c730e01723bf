// Where a job stands in a line of copies, as our tags tell, and what a copy of it is called and
// tagged (policy.md A3). The tags are all there is: copies have names that follow from the job they
// copy, so that making one twice is impossible.
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
  // 0: not a copy; nullopt where the tags contradict themselves or the job's name, or were not
  // written by us.
  std::optional<std::int64_t> generation;
  std::string root;    // the job that the line began with; the job itself where it is no copy
  std::string parent;  // the job that this one copies; empty where it is no copy
  std::string child;   // the copy of this job; empty where there is none, or none known
};

Lineage lineage_of(const JobTags& tags, std::string_view job_name);

// The copy of the job, as its tags name it; empty where there is none, or none known.
std::string_view child_of(const JobTags& tags);

// How far a stop's tags and the stop itself may be apart: one delivery of an event can stop a job
// that another one has just stopped, and is late with its tags.
inline constexpr std::chrono::minutes kStopFollows{10};

// Whether a rule stopped a job that is Stopping or has ended, and not for a copy: its tags say so,
// and SecondaryStatusTransitions tell of a stop at that time. A stop that was refused leaves tags
// too, and tags can be carried over from another job. Where there are no transitions, or the job
// is Stopped without one that tells since when, the tags alone count.
bool was_stopped_for_good(const JobTags& tags, const TrainingJob& job);
// Whether a rule is about to stop a job that runs: the tags come before the stop.
bool is_being_stopped_for_good(const JobTags& tags, sys_seconds now);

// What the digest in a copy's name is the SHA-256 of.
std::string copy_seed(std::string_view parent_arn, sys_seconds parent_created,
                      std::int64_t generation);

// `<root, cut>-r<generation>-<the first 8 digits of the digest>`: a valid name of at most 63
// characters. digest: lower-case hex of SHA-256 of copy_seed().
std::string copy_name(std::string_view root, std::int64_t generation, std::string_view digest);

inline constexpr std::size_t kMostTags = 50;

// The tags of the copy, of the job's (key → value): its own, without AWS's (`aws:`, in any case,
// which nobody may write) and ours, then root, parent and generation. May be more than kMostTags.
std::vector<std::pair<std::string, std::string>> copy_tags(json::Value tags, const Lineage& lineage,
                                                           std::string_view parent);

}  // namespace trainwarden::rules
