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

// A conjunction evaluates its groups in this order, those that cost nothing first. Policies know
// one group `failure`, `warm_pool`, `lineage` and `resources`; each is several groups here, since
// their sources differ.
enum class Group : std::uint8_t {
  kEvent,
  kTime,
  kAlarm,
  kJob,
  kMachines,
  kGpus,
  kAccelerator,
  kResources,
  kRuntime,
  kSpot,
  kCost,
  kWarmPool,
  kPoolCost,
  kFailure,
  kDiagnosis,
  kTags,
  kUntil,
  kLineage,
  kLauncher,
  kFleet,
  kLogs,
  kCheckpoint
};
inline constexpr std::size_t kGroupCount = 22;

// "event", "job", "tags"
std::string_view name(Group group);
// The names of all groups, in the order in which messages list them.
std::span<const std::string_view> group_names();
// The sources that the whole group needs. kDiagnosis may need the logs as well.
SourceSet sources_of(Group group);

// One fact. Those of `job` are describe_members(), those of `tags` and `until` the job's own.
struct Fact {
  Group group;
  std::string_view name;
  LeafType type;
};

// Of all groups but job, tags and until, each group's together.
std::span<const Fact> facts();
// The known values of a fact; empty if there is no fixed list. AWS may add values to its own lists.
std::span<const std::string_view> known_values(Group group, std::string_view path);

// Facts that come with the event, before anything is fetched.
enum class Early : std::uint8_t {
  kTrigger,
  kTrainingJobName,
  kTrainingJobStatus,
  kSecondaryStatus,
  kAccount,
  kRegion
};
inline constexpr std::size_t kEarlyCount = 6;

// The leaf that a condition of a policy tests.
struct FactPath {
  Group group = Group::kEvent;
  std::string path;  // inside the group, dotted; of tags and until the key as it is
  LeafType type = LeafType::kString;
  std::optional<Early> early;
};

// Whether the group's members are the job's own tag keys, literal and free.
bool has_tag_keys(Group group);

// Resolves the names of a pattern's nested members, outermost first: {"job", "CheckpointConfig",
// "S3Uri"}. Names that lead to no leaf are reported, with suggestions.
std::optional<FactPath> find_fact_path(std::span<const std::string_view> names,
                                       const JsonPath& where, Diagnostics& diagnostics);

// Warns of a test that no value at that path can pass: a number for a string, an unknown status.
void review(const FactPath& fact, const Test& test, const JsonPath& where,
            Diagnostics& diagnostics);

// Warns of the tests of a leaf that AWS always gives, where they ask for its absence, or for any
// value (always_given.h).
void review_leaf(const FactPath& fact, const Condition& condition, const JsonPath& where,
                 Diagnostics& diagnostics);

// Whether that leaf depends on the job's tags, which arrive late (A1).
bool rests_on_tags(Group group);

// The unit of a number at that path, by its name: "s", "USD", "USD an hour", "GB"; empty if the
// name has none, and for tags, whose names are free. Those of `until` are all seconds.
std::string_view unit_of(Group group, std::string_view path);

// Whether only the path, never the value, may be shown (R1).
bool is_confidential(Group group, std::string_view path);

}  // namespace trainwarden::rules
