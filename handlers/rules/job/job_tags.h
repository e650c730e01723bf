// Our tags on a training job, read once. All our tag keys are defined here and nowhere else. They
// explain to people what was done. Whoever owns the job can write them, so they can only ever
// prevent a copy (by the generation of a job that the table does not know). Other tags are matched
// by patterns (the group `tags`). Points into the document, which must outlive it.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/json/json.h"

namespace trainwarden::rules {

// On a copy: the first job of its line, the job that it copies, and the number of copies in its
// line (policy.md A3). On a job that was copied: its copy.
inline constexpr std::string_view kRootTag = "trainwarden:root";
inline constexpr std::string_view kParentTag = "trainwarden:parent";
inline constexpr std::string_view kGenerationTag = "trainwarden:generation";
inline constexpr std::string_view kChildTag = "trainwarden:child";
// What was done to the job, by which rule, why and when.
inline constexpr std::string_view kActionTag = "trainwarden:action";
inline constexpr std::string_view kRuleTag = "trainwarden:rule";
inline constexpr std::string_view kReasonTag = "trainwarden:reason";
inline constexpr std::string_view kAtTag = "trainwarden:at";
// SageMaker Pipelines writes this tag on the jobs of its steps.
inline constexpr std::string_view kPipelineTag = "sagemaker:pipeline-execution-arn";
// AWS Step Functions writes this tag on jobs that a state machine runs and waits for (`.sync`).
inline constexpr std::string_view kManagedByTag = "MANAGED_BY_AWS";
inline constexpr std::string_view kByStepFunctions = "STARTED_BY_STEP_FUNCTIONS";
inline constexpr std::string_view kExecutionTag = "AWS_STEP_FUNCTIONS_EXECUTION_ARN";

// The values of kActionTag.
inline constexpr std::string_view kStopAction = "stop";
inline constexpr std::string_view kRestartAction = "restart";

// nullopt for a missing tag; "" for a tag with an empty value.
struct JobTags {
  using Tag = std::optional<std::string_view>;

  Tag root = {};
  Tag parent = {};
  Tag generation = {};
  Tag child = {};
  Tag action = {};  // this and what follows, for people
  Tag rule = {};
  Tag reason = {};
  Tag at = {};
  Tag pipeline = {};
  Tag managed_by = {};
  Tag execution = {};  // of a state machine
};

// tags: an object of keys and values.
JobTags read_job_tags(json::Value tags);

// Whether a pipeline launched the job as a step of its own.
bool is_pipeline_step(const JobTags& tags);
// Whether a state machine of Step Functions runs the job, and may retry it.
bool is_state_machine_task(const JobTags& tags);

// The value of the tag `team`, its key in any case of its letters; empty where there is none but
// blanks. tags: as for read_job_tags.
std::string_view team_of(json::Value tags);

// The prefix of all our keys.
inline constexpr std::string_view kOurPrefix = "trainwarden:";
// Whether a key is ours, or could be mistaken for one of ours. Copies do not inherit such tags.
bool is_our_tag(std::string_view key);
// Whether AWS reserves the key, in any case of its letters: nobody can set a tag that begins so.
// https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
bool is_aws_tag(std::string_view key);

// The tags of a record of Search, turned from a list into an object of keys and values.
json::Document search_tags(json::Value training_job);

}  // namespace trainwarden::rules
