// Our tags on a training job, read once: which keys there are is told here and nowhere else. They
// explain to people what was done; whoever owns the job can write them, so that nothing is decided
// by them but that a copy is not made (the generation of a job that the table does not know). What
// the tags of other people say is theirs, and is matched by patterns (the group `tags`). Points
// into the document, which must outlive it.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::rules {

// Of a copy: the job that its line began with, the one that it copies, and how many copies its line
// has had (policy.md A3). Of a job that was copied: its copy.
inline constexpr std::string_view kRootTag = "trainwarden:root";
inline constexpr std::string_view kParentTag = "trainwarden:parent";
inline constexpr std::string_view kGenerationTag = "trainwarden:generation";
inline constexpr std::string_view kChildTag = "trainwarden:child";
// What was done to the job, by which rule, why and when.
inline constexpr std::string_view kActionTag = "trainwarden:action";
inline constexpr std::string_view kRuleTag = "trainwarden:rule";
inline constexpr std::string_view kReasonTag = "trainwarden:reason";
inline constexpr std::string_view kAtTag = "trainwarden:at";
// SageMaker Pipelines tags the jobs of its steps so.
inline constexpr std::string_view kPipelineTag = "sagemaker:pipeline-execution-arn";
// AWS Step Functions tags the jobs so that a state machine runs and waits for (`.sync`).
inline constexpr std::string_view kManagedByTag = "MANAGED_BY_AWS";
inline constexpr std::string_view kByStepFunctions = "STARTED_BY_STEP_FUNCTIONS";
inline constexpr std::string_view kExecutionTag = "AWS_STEP_FUNCTIONS_EXECUTION_ARN";

// What kActionTag says.
inline constexpr std::string_view kStopAction = "stop";
inline constexpr std::string_view kRestartAction = "restart";

// A key that is not among the tags is nullopt; one with an empty value is "".
struct JobTags {
  using Tag = std::optional<std::string_view>;

  Tag root = {};
  Tag parent = {};
  Tag generation = {};
  Tag child = {};
  Tag action = {};  // this and the rule, for a person who runs the job again
  Tag rule = {};
  Tag pipeline = {};
  Tag managed_by = {};
  Tag execution = {};  // of a state machine
};

// tags: an object of keys and values.
JobTags read_job_tags(json::Value tags);

// Whether a pipeline launched the job as a step of its own.
bool is_pipeline_step(const JobTags& tags);
// Whether a state machine of Step Functions runs the job, and runs it again where its Retry says
// so.
bool is_state_machine_task(const JobTags& tags);

// What every key of ours begins with.
inline constexpr std::string_view kOurPrefix = "trainwarden:";
// Whether a key is one of ours, or could be taken for one: no copy takes it over.
bool is_our_tag(std::string_view key);

// The tags of a record of Search, which has them as a list, as an object of keys and values.
json::Document search_tags(json::Value training_job);

}  // namespace trainwarden::rules
