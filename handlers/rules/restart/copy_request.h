// The CreateTrainingJob request that runs a job again, built from DescribeTrainingJob's answer
// (policy.md A3). Every member that Describe returns and Create accepts is kept (copied_members in
// aws_tables.h). A member that is unknown here, inside one of these, refuses the copy: without it
// the copy could be another job, and with it AWS could refuse what it only returns. What Create
// would refuse, or what would make the copy a different job, is removed. Two things are lost
// because AWS does not return them: SessionChainingConfig, and tags that ListTags does not list.
// Source: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/job/lineage.h"
#include "handlers/rules/job/training_job.h"
#include "handlers/rules/outcome/reason.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// How the copy differs from the job.
struct CopyChanges {
  std::optional<bool> spot;
  std::string instance_type;  // empty: as the job had it
  CopySettings settings = {};

  bool operator==(const CopyChanges&) const = default;
};

// Parts that AWS may refuse and that a copy does not need.
struct CopyParts {
  // Built-in algorithms have metric definitions of their own, which Describe shows and Create
  // refuses.
  bool metric_definitions = true;
  // An organisation may deny people tags with our prefix. The job's own tags are always copied.
  bool our_tags = true;
};

// Omits our tags if the job's own leave no room for them: ours only explain. tags: the job's, key →
// value.
CopyParts parts_that_fit(json::Value tags);

struct CopyOrder {
  json::Value describe;
  json::Value tags;  // key → value
  const Lineage& lineage;
  const CopyChanges& changes;
  std::string_view name;
  CopyParts parts = {};
};

// Refuses if Create would refuse the job's members with these changes.
std::expected<std::string, Reason> copy_request(const CopyOrder& order);

// What the copy keeps although the restart asks for something else, or lacks of the description;
// nullopt if there is nothing to say.
std::optional<Reason> said_of_copy(const TrainingJob& job, bool other_types);

// AWS's reason for rejecting that request, without the values of hyperparameters and environment
// variables, which its messages quote.
std::string without_values(const CopyOrder& order, std::string text);

}  // namespace trainwarden::rules
