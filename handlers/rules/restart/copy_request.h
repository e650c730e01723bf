// The CreateTrainingJob request that runs a job again from what DescribeTrainingJob says of it
// (policy.md A3). Every member that Describe returns and Create takes survives, also one with
// members that are unknown here; what Create would refuse, or what would make the copy another job,
// is taken out. Two things are lost, because Describe does not tell them: SessionChainingConfig,
// and tags that ListTags does not list. Source:
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/job/lineage.h"
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

// Members of CreateTrainingJob that Describe returns, TrainingJobName aside.
std::span<const std::string_view> copied_members();

// What AWS may refuse to take, and a copy can do without.
struct CopyParts {
  // Built-in algorithms have metric definitions of their own, which Describe shows and Create
  // refuses.
  bool metric_definitions = true;
  // An organisation may deny people tags that begin with ours; the job's own are always there.
  bool our_tags = true;
};

// A copy whose own tags leave no room for ours goes without them: they only explain.
// tags: the job's, key → value.
CopyParts parts_that_fit(json::Value tags);

struct CopyOrder {
  json::Value describe;
  json::Value tags;  // key → value
  const Lineage& lineage;
  const CopyChanges& changes;
  std::string_view name;
  CopyParts parts = {};
};

// Refused where Create would refuse what the changes make of the job's own members.
std::expected<std::string, Reason> copy_request(const CopyOrder& order);

// Why AWS rejected that request, without the values of hyperparameters and of the environment: its
// texts quote what they find fault with.
std::string without_values(const CopyOrder& order, std::string text);

}  // namespace trainwarden::rules
