#include "handlers/rules/job/describe_members.h"

#include <algorithm>
#include <array>

#include "handlers/rules/job/aws_tables.h"

namespace trainwarden::rules {

std::string_view describe(LeafType type) {
  using enum LeafType;
  switch (type) {
    case kString:
      return "a string";
    case kNumber:
      return "a number";
    case kBoolean:
      return "a boolean";
    case kTime:
      return "a time (seconds since 1970)";
  }
  return "";
}

const Leaf* find_describe_member(std::string_view path) {
  const std::span<const Leaf> members = describe_members();
  const auto at = std::ranges::lower_bound(members, path, {}, &Leaf::path);
  if (at != members.end() && at->path == path) return &*at;
  for (const Leaf& leaf : members) {
    if (!leaf.is_map()) continue;
    const std::string_view prefix = leaf.path.substr(0, leaf.path.size() - 1);
    if (path.size() > prefix.size() && path.starts_with(prefix)) return &leaf;
  }
  return nullptr;
}

const ModelMember* model_member(std::int16_t structure, std::string_view name) {
  if (structure < 0) return nullptr;
  const ModelStructure& rows = model_structures()[static_cast<std::size_t>(structure)];
  const auto members = model_members().subspan(rows.begin, rows.size);
  const auto at = std::ranges::lower_bound(members, name, {}, &ModelMember::name);
  return at != members.end() && at->name == name ? &*at : nullptr;
}

std::span<const std::string_view> paths_of_ended_jobs() {
  static constexpr std::array<std::string_view, 4> kPaths = {"TrainingEndTime", "FailureReason",
                                                             "BillableTimeInSeconds",
                                                             "ModelArtifacts.S3ModelArtifacts"};
  return kPaths;
}

bool search_lacks(std::string_view path) {
  const std::string_view member = path.substr(0, path.find('.'));
  return std::ranges::binary_search(members_search_lacks(), member);
}

}  // namespace trainwarden::rules
