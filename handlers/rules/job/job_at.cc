#include "handlers/rules/job/job_at.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "handlers/rules/job/members.h"

namespace trainwarden::rules {
namespace {

// What a job has from its end on, or what is told of its latest moment.
constexpr std::array<std::string_view, 14> kOfLater = {"TrainingJobStatus",
                                                       "SecondaryStatus",
                                                       "SecondaryStatusTransitions",
                                                       "LastModifiedTime",
                                                       "TrainingEndTime",
                                                       "TrainingTimeInSeconds",
                                                       "BillableTimeInSeconds",
                                                       "FailureReason",
                                                       "ModelArtifacts",
                                                       "OutputModelPackageArn",
                                                       "FinalMetricDataList",
                                                       "DebugRuleEvaluationStatuses",
                                                       "ProfilerRuleEvaluationStatuses",
                                                       "ProfilingStatus"};
constexpr std::string_view kWarmPoolStatus = "WarmPoolStatus";

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The transitions that had begun, as they were told then.
void write_transitions(json::Sink& sink, json::Value list, sys_seconds at) {
  sink.key("SecondaryStatusTransitions").begin_array();
  for (const json::Value one : list.elements()) {
    const auto start = time_of(one, "StartTime");
    if (start && *start > at) continue;
    const auto end = time_of(one, "EndTime");
    sink.begin_object();
    for (const json::Member member : one.members())
      if (member.name != "EndTime" || (end && *end <= at)) sink.member(member.name, member.value);
    sink.end_object();
  }
  sink.end_array();
}

// Before the job had machines, AWS had not selected one of its preferences. What Describe says of
// the one that it selected later is left out.
void write_unselected(json::Sink& sink, json::Value config) {
  const auto preferences = config.find_present("InstancePreferences");
  bool own_counts = false;
  for (const json::Value one : preferences->elements())
    own_counts = own_counts || one.find_present("InstanceCount");
  sink.key("ResourceConfig").begin_object();
  for (const json::Member member : config.members()) {
    if (member.name == "SelectedInstanceType" || member.name == "SelectedInstanceCount" ||
        member.name == "InstanceType" || (own_counts && member.name == "InstanceCount"))
      continue;
    sink.member(member.name, member.value);
  }
  sink.end_object();
}

}  // namespace

bool changes_later(std::string_view member) {
  return contains(kOfLater, member) || member == kWarmPoolStatus || member == "TrainingStartTime";
}

bool is_status(std::string_view member) {
  return member == "TrainingJobStatus" || member == "SecondaryStatus";
}

JobState job_state_at(const TrainingJob& whole, sys_seconds at) {
  JobState out{.since = whole.created};
  if (!whole.transitions && whole.training_start && *whole.training_start <= at)
    return {.secondary = "Training", .since = whole.training_start};
  if (!whole.transitions) return out;
  for (const Transition& one : *whole.transitions) {
    if (one.start && *one.start > at) continue;
    out.secondary = one.status_text.value_or(out.secondary);
    if (one.start) out.since = one.start;
  }
  if (secondary_status(out.secondary) == SecondaryStatus::kStopping)
    out.status = JobStatus::kStopping;
  return out;
}

json::Document job_at(const TrainingJob& whole, sys_seconds at) {
  const auto end = whole.ended();
  const bool over = end && *end <= at;
  return json::Document::build([&](json::Sink& sink) {
    sink.begin_object();
    for (const json::Member member : whole.raw.members()) {
      if (member.name == kWarmPoolStatus) continue;
      if (!over && contains(kOfLater, member.name)) continue;
      const bool has_started = over || (whole.training_start && *whole.training_start <= at);
      if (!has_started && member.name == "TrainingStartTime") continue;
      if (!has_started && member.name == "ResourceConfig" && whole.has_preferences) {
        write_unselected(sink, member.value);
        continue;
      }
      sink.member(member.name, member.value);
    }
    if (!over) {
      const JobState then = job_state_at(whole, at);
      sink.member("TrainingJobStatus",
                  then.status == JobStatus::kStopping ? "Stopping" : "InProgress");
      sink.member("SecondaryStatus", then.secondary);
      if (then.since) sink.member("LastModifiedTime", then.since->time_since_epoch().count());
      if (const auto list = whole.raw.find_present("SecondaryStatusTransitions"))
        write_transitions(sink, *list, at);
    }
    sink.end_object();
  });
}

}  // namespace trainwarden::rules
