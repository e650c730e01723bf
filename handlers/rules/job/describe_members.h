// The leaves of DescribeTrainingJob's answer, as policies may name them: dotted paths with types.
// As in the matcher, lists add nothing to the path. `*` ends the path of a map, whose keys are
// free. The table is made of AWS's public model (aws_tables.h).
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeTrainingJob.html
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainwarden::rules {

enum class LeafType : std::uint8_t { kString, kNumber, kBoolean, kTime };

// "a string", "a number", "a boolean", "a time (seconds since 1970)"
std::string_view describe(LeafType type);

struct Leaf {
  std::string_view path;
  LeafType type = LeafType::kString;
  bool list = false;

  constexpr bool is_map() const { return path.ends_with('*'); }
};

// Sorted by path.
std::span<const Leaf> describe_members();

// The leaf, or the map, that this path names; null if there is none.
const Leaf* find_describe_member(std::string_view path);

// The paths that a job has a value at only when it has ended; those of WarmPoolStatus are not among
// them.
std::span<const std::string_view> paths_of_ended_jobs();

// Whether the path lies in a member that Search's records lack.
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_TrainingJob.html
bool search_lacks(std::string_view path);

}  // namespace trainwarden::rules
