// What AWS's public model says of training jobs, as generate.py has made it of aws_model.json: the
// one source of the members of CreateTrainingJob and DescribeTrainingJob, of statuses and of
// instance types. `./dev drift` compares it with the newest model.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "handlers/rules/job/always_given.h"
#include "handlers/rules/job/describe_members.h"

namespace trainwarden::rules {

// The version of the model: that of npm's @aws-sdk/client-sagemaker.
std::string_view model_version();

inline constexpr std::int16_t kLeaf = -1;
inline constexpr std::int16_t kMap = -2;  // of texts, whose keys are free

// A member of a structure that Describe or Search returns.
struct ModelMember {
  std::string_view name;
  std::int16_t below;  // kLeaf, kMap, or the index of its structure
  bool created;        // whether CreateTrainingJob takes it there
};
// Of model_members(), which are sorted by name within each structure.
struct ModelStructure {
  std::uint16_t begin;
  std::uint16_t size;
};
std::span<const ModelMember> model_members();
std::span<const ModelStructure> model_structures();
// The structure of the description itself.
inline constexpr std::int16_t kDescription = 0;
// Null if the structure has no such member; always for kLeaf and kMap.
const ModelMember* model_member(std::int16_t structure, std::string_view name);

// Members of CreateTrainingJob that Describe returns, TrainingJobName aside.
std::span<const std::string_view> copied_members();
// Members of Describe that Search's records have not. Sorted.
std::span<const std::string_view> members_search_lacks();

std::span<const std::string_view> training_job_statuses();
std::span<const std::string_view> secondary_statuses();
std::span<const std::string_view> warm_pool_statuses();

// Sorted by type.
struct InstanceTypeRow {
  std::string_view type;
  std::int16_t gpus;
  std::int16_t vcpus;
};
std::span<const InstanceTypeRow> instance_type_rows();
// Sorted by family. A type's size tells its vCPUs: `large` has two, `xlarge` four and `<n>xlarge` n
// times four.
struct FamilyRow {
  std::string_view family;
  bool without_gpus;  // of all sizes
};
std::span<const FamilyRow> family_rows();

std::span<const AlwaysGiven> always_given_rows();

}  // namespace trainwarden::rules
