// The fact groups that a policy's patterns name, and the paths inside them. One table says which
// groups there are and what sources each needs, another their facts; adding a group is a row here
// and its derivation in derive.cc. The schema is made of these tables. Some facts are known early,
// from the trigger itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/describe_members.h"
#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/patterns/pattern.h"

namespace trainwarden::rules {

// A conjunction looks at its groups in this order: those that cost nothing first. What failed jobs
// have is two groups to us, since their sources differ, and so are warm pools; to policies both are
// `failure`, and `warm_pool`.
enum class Group : std::uint8_t {
  kEvent,
  kTime,
  kAlarm,
  kJob,
  kResources,
  kRuntime,
  kSpot,
  kCost,
  kWarmPool,
  kPoolCost,
  kFailure,
  kDiagnosis,
  kTags,
  kLineage,
  kFleet,
  kLogs,
  kCheckpoint
};
inline constexpr std::size_t kGroupCount = 17;

// "event", "job", "tags"
std::string_view name(Group group);
// The names of all groups, in the order in which messages list them.
std::span<const std::string_view> group_names();
// What must be known to know the whole group. kDiagnosis may need the logs besides.
SourceSet sources_of(Group group);

// One fact. Those of `job` are describe_members(), those of `tags` the job's own.
struct Fact {
  Group group;
  std::string_view name;
  LeafType type;
};

// Of all groups but job and tags, each group's together.
std::span<const Fact> facts();
// The values that a fact has; empty where they are no closed list. AWS may add to its own.
std::span<const std::string_view> known_values(Group group, std::string_view path);

// Facts that the event tells before anything is fetched.
enum class Early : std::uint8_t {
  kTrigger,
  kTrainingJobName,
  kTrainingJobStatus,
  kSecondaryStatus,
  kAccount,
  kRegion
};
inline constexpr std::size_t kEarlyCount = 6;

// Where a condition of a policy looks.
struct Place {
  Group group = Group::kEvent;
  std::string path;  // inside the group, dotted; of tags the key as it is
  LeafType type = LeafType::kString;
  std::optional<Early> early;
};

// What the names of a pattern's members mean, from the outermost in: {"job", "CheckpointConfig",
// "S3Uri"}. Names that lead to no leaf are complained about, with what could have been meant.
std::optional<Place> find_place(std::span<const std::string_view> names, const JsonPath& where,
                                Diagnostics& diagnostics);

// Warns of a test that no value of that place can pass: a number for a string, an unknown status.
void review(const Place& place, const Test& test, const JsonPath& where, Diagnostics& diagnostics);

// Whether what is found at that path of the group rests on the job's tags, which arrive late (A1).
bool rests_on_tags(Group group);

// What a number at that path counts, as its name says: "s", "USD", "USD an hour", "GB"; empty where
// it does not, and of tags, whose names are anybody's.
std::string_view unit_of(Group group, std::string_view path);

// Whether only the path, never the value, may be shown (R1).
bool is_confidential(Group group, std::string_view path);

}  // namespace trainwarden::rules
