// For readers that do not take a TrainingJob and JobTags yet: the same by JSON.
#pragma once

#include <vector>

#include "handlers/rules/job/instances.h"
#include "handlers/rules/job/intent.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/job/members.h"
#include "handlers/rules/job/training_segment.h"

namespace trainwarden::rules {

inline JobTimes job_times(json::Value describe, sys_seconds now) {
  return job_times(read_training_job(describe), now);
}
inline std::optional<SegmentTotals> segment_totals(json::Value describe, sys_seconds now) {
  return segment_totals(read_training_job(describe), now);
}
inline double paid_seconds(json::Value describe, sys_seconds now) {
  return paid_seconds(read_training_job(describe), now);
}
inline bool has_ended(json::Value describe) { return read_training_job(describe).has_ended(); }
inline std::vector<Instances> instances_of(json::Value describe) {
  return read_training_job(describe).instances;
}
inline std::expected<sys_seconds, Reason> current_training(json::Value describe) {
  return current_training(read_training_job(describe));
}
inline Lineage lineage_of(json::Value tags, std::string_view job_name) {
  return lineage_of(read_job_tags(tags), job_name);
}
inline std::string_view child_of(json::Value tags) { return child_of(read_job_tags(tags)); }
inline bool was_stopped_for_good(json::Value tags, json::Value describe) {
  return was_stopped_for_good(read_job_tags(tags), read_training_job(describe));
}
inline bool is_being_stopped_for_good(json::Value tags, sys_seconds now) {
  return is_being_stopped_for_good(read_job_tags(tags), now);
}
inline std::string_view unfinished_intent(json::Value tags) {
  return unfinished_intent(read_job_tags(tags));
}
inline std::optional<Reason> why_void(std::string_view text, json::Value describe,
                                      json::Value tags) {
  return why_void(text, read_training_job(describe), read_job_tags(tags));
}

}  // namespace trainwarden::rules
