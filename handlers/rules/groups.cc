#include "handlers/rules/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "handlers/rules/nearest.h"

namespace trainwarden::rules {
namespace {

struct GroupRow {
  std::string_view name;
  Source source;
};

// In the order of Group.
constexpr std::array<GroupRow, kGroupCount> kGroups = {{
    {"event", Source::kEvent},
    {"job", Source::kDescribe},
    {"tags", Source::kTags},
}};

// Groups of the policy language that this version does not have.
constexpr std::array<std::string_view, 9> kLaterGroups = {
    "resources", "runtime", "time", "spot", "lineage", "failure", "cost", "fleet", "alarm"};

struct EarlyRow {
  Early early;
  Group group;
  std::string_view path;
};

constexpr std::array<EarlyRow, kEarlyCount> kEarly = {{
    {Early::kTrigger, Group::kEvent, "trigger"},
    {Early::kTrainingJobName, Group::kJob, "TrainingJobName"},
    {Early::kTrainingJobStatus, Group::kJob, "TrainingJobStatus"},
    {Early::kSecondaryStatus, Group::kJob, "SecondaryStatus"},
}};

// Members whose values are a closed list. AWS may add to its lists: another value is only a
// warning.
struct Values {
  Group group;
  std::string_view path;
  std::span<const std::string_view> values;
};

constexpr std::array<std::string_view, 3> kTriggers = {"state", "alarm", "sweep"};
constexpr std::array<std::string_view, 6> kTrainingJobStatuses = {
    "InProgress", "Completed", "Failed", "Stopping", "Stopped", "Deleting"};
constexpr std::array<std::string_view, 17> kSecondaryStatuses = {"Starting",
                                                                 "LaunchingMLInstances",
                                                                 "PreparingTrainingStack",
                                                                 "Downloading",
                                                                 "DownloadingTrainingImage",
                                                                 "Training",
                                                                 "Uploading",
                                                                 "Stopping",
                                                                 "Stopped",
                                                                 "Completed",
                                                                 "MaxRuntimeExceeded",
                                                                 "Failed",
                                                                 "Interrupted",
                                                                 "MaxWaitTimeExceeded",
                                                                 "Updating",
                                                                 "Restarting",
                                                                 "Pending"};
constexpr std::array<Values, 3> kClosed = {{
    {Group::kEvent, "trigger", kTriggers},
    {Group::kJob, "TrainingJobStatus", kTrainingJobStatuses},
    {Group::kJob, "SecondaryStatus", kSecondaryStatuses},
}};

std::optional<Early> early_of(Group group, std::string_view path) {
  for (const EarlyRow& row : kEarly) {
    if (row.group == group && row.path == path) return row.early;
  }
  return std::nullopt;
}

std::string join(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, "."));
}

// The leaves below a structure, at most `most` of them, then "…".
std::string leaves_below(std::string_view structure, std::size_t most) {
  const std::string prefix = fmt::format("{}.", structure);
  std::string out;
  std::size_t count = 0;
  for (const Leaf& leaf : describe_members()) {
    if (!leaf.path.starts_with(prefix)) continue;
    if (++count > most) return out + ", …";
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", leaf.path);
  }
  return out;
}

std::string did_you_mean_one_of(const std::string& quoted) {
  return fmt::format("; did you mean {}{}?", quoted.find(',') == quoted.npos ? "" : "one of ",
                     quoted);
}

// What was probably meant: a leaf of that name elsewhere (`S3Uri` for `CheckpointConfig.S3Uri`), a
// leaf of nearly that path, or the leaves of a structure of nearly that name.
std::string suggest_member(std::string_view path) {
  const std::string suffix = fmt::format(".{}", path);
  std::vector<std::string_view> leaves;
  std::vector<std::string_view> structures;
  std::string ends;
  std::size_t endings = 0;
  for (const Leaf& leaf : describe_members()) {
    leaves.push_back(leaf.path);
    if (leaf.path.ends_with(suffix) && ++endings <= 4) {
      ends += fmt::format("{}`{}`", ends.empty() ? "" : ", ", leaf.path);
    }
    for (std::size_t dot = leaf.path.find('.'); dot != leaf.path.npos;
         dot = leaf.path.find('.', dot + 1)) {
      structures.push_back(leaf.path.substr(0, dot));
    }
  }
  if (!ends.empty()) return did_you_mean_one_of(ends);
  if (std::string_view near = nearest(path, leaves); !near.empty()) {
    return fmt::format("; did you mean `{}`?", near);
  }
  std::string_view near = nearest(path, structures);
  if (near.empty()) near = nearest(path.substr(0, path.find('.')), structures);
  return near.empty() ? "" : did_you_mean_one_of(leaves_below(near, 4));
}

std::optional<Place> find_job_place(std::span<const std::string_view> names, const Where& where,
                                    Complaints& complaints) {
  std::string path = join(names);
  if (path.ends_with(".*")) {
    complaints.error(where, "`*` is no wildcard here: expected the name of one member");
    return std::nullopt;
  }
  if (const Leaf* leaf = find_describe_member(path)) {
    std::optional<Early> early = early_of(Group::kJob, path);
    return Place{Group::kJob, std::move(path), leaf->type, early};
  }
  if (std::string below = leaves_below(path, 4); !below.empty()) {
    complaints.error(where, fmt::format("`{}` is a structure, which never matches: expected a leaf "
                                        "below it: {}",
                                        path, below));
  } else {
    complaints.error(where, fmt::format("expected a leaf of DescribeTrainingJob's answer, found "
                                        "`{}`{}",
                                        path, suggest_member(path)));
  }
  return std::nullopt;
}

std::optional<Place> find_in_group(Group group, std::span<const std::string_view> names,
                                   const Where& where, Complaints& complaints) {
  switch (group) {
    case Group::kEvent: {
      static constexpr std::array<std::string_view, 1> kMembers = {"trigger"};
      const std::string path = join(names);
      if (path == kMembers[0]) {
        return Place{group, path, LeafType::kString, Early::kTrigger};
      }
      complaints.error(where, fmt::format("expected {}, found `{}`{}", one_of(kMembers), path,
                                          did_you_mean(path, kMembers)));
      return std::nullopt;
    }
    case Group::kJob:
      return find_job_place(names, where, complaints);
    case Group::kTags:
      if (names.size() == 1) {
        return Place{group, std::string(names[0]), LeafType::kString, std::nullopt};
      }
      complaints.error(where, fmt::format("expected a list of values: tag keys are literal, write "
                                          "`\"{}\"` as one name",
                                          join(names)));
      return std::nullopt;
  }
  return std::nullopt;
}

// Whether some value of that type can pass the test.
bool fits(LeafType type, const Test& test) {
  switch (test.kind) {
    case Test::Kind::kNumber:
    case Test::Kind::kNumeric:
      return type == LeafType::kNumber || type == LeafType::kTime;
    case Test::Kind::kBoolean:
      return type == LeafType::kBoolean;
    case Test::Kind::kNull:
    case Test::Kind::kPresent:
    case Test::Kind::kAbsent:
    case Test::Kind::kAnythingBut:
      return true;
    default:  // the operators on texts
      return type == LeafType::kString;
  }
}

}  // namespace

std::string_view name(Group group) { return kGroups[static_cast<std::size_t>(group)].name; }

Source source_of(Group group) { return kGroups[static_cast<std::size_t>(group)].source; }

std::optional<Place> find_place(std::span<const std::string_view> names, const Where& where,
                                Complaints& complaints) {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kGroupCount> out;
    std::ranges::transform(kGroups, out.begin(), &GroupRow::name);
    return out;
  }();
  const auto at = std::ranges::find(kNames, names[0]);
  if (at == kNames.end()) {
    if (std::ranges::find(kLaterGroups, names[0]) != kLaterGroups.end()) {
      complaints.error(where,
                       fmt::format("the group `{}` is not supported by this version; expected "
                                   "{}",
                                   names[0], one_of(kNames)));
    } else {
      complaints.error(where, fmt::format("expected a fact group, {}, found `{}`{}", one_of(kNames),
                                          names[0], did_you_mean(names[0], kNames)));
    }
    return std::nullopt;
  }
  if (names.size() == 1) {
    complaints.error(where, fmt::format("`{}` is a group of facts: expected an object of its "
                                        "members, found a list",
                                        names[0]));
    return std::nullopt;
  }
  const auto group = static_cast<Group>(at - kNames.begin());
  return find_in_group(group, names.subspan(1), where, complaints);
}

void review(const Place& place, const Test& test, const Where& where, Complaints& complaints) {
  if (test.kind == Test::Kind::kNull) {
    complaints.warning(where,
                       "never matches: a null fact counts as absent; write "
                       "`{\"exists\": false}`");
    return;
  }
  if (!fits(place.type, test)) {
    complaints.warning(where, fmt::format("never matches: {}.{} is {}", name(place.group),
                                          place.path, describe(place.type)));
    return;
  }
  if (test.kind != Test::Kind::kText) return;
  for (const Values& closed : kClosed) {
    if (closed.group != place.group || closed.path != place.path) continue;
    if (std::ranges::find(closed.values, test.text) == closed.values.end()) {
      complaints.warning(where, fmt::format("`{}` is not a known {}{}", test.text, place.path,
                                            did_you_mean(test.text, closed.values)));
    }
  }
}

bool is_confidential(Group group, std::string_view path) {
  return group == Group::kJob &&
         (path.starts_with("HyperParameters.") || path.starts_with("Environment."));
}

}  // namespace trainwarden::rules
