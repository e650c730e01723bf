#include "handlers/rules/facts/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "handlers/rules/facts/silence.h"
#include "handlers/rules/facts/suggestions.h"
#include "handlers/rules/facts/value_forms.h"
#include "handlers/rules/failure/own_signature.h"
#include "handlers/rules/job/aws_tables.h"
#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/patterns/nearest.h"

namespace trainwarden::rules {
namespace {

struct GroupRow {
  std::string_view name;
  SourceSet sources;
};

// In the order of Group.
constexpr std::array<GroupRow, kGroupCount> kGroups = {{
    {"event", {Source::kEvent}},
    {"time", {Source::kEvent}},
    {"alarm", {Source::kEvent}},
    {"job", {Source::kDescribe}},
    {"resources", {Source::kDescribe, Source::kMachines}},
    {"resources", {Source::kDescribe, Source::kMachines, Source::kGpus}},
    {"resources", {Source::kDescribe, Source::kMachines, Source::kGpus}},
    {"resources", {Source::kDescribe}},
    {"runtime", {Source::kDescribe}},
    {"spot", {Source::kDescribe}},
    {"cost", {Source::kDescribe, Source::kPrices, Source::kMachines}},
    {"warm_pool", {Source::kDescribe}},
    {"warm_pool", {Source::kDescribe, Source::kPrices, Source::kMachines}},
    {"failure", {Source::kDescribe}},
    {"failure", {Source::kDescribe}},
    {"tags", {Source::kTags}},
    {"until", {Source::kTags}},
    {"lineage", {Source::kDescribe, Source::kTags}},
    {"lineage", {Source::kDescribe, Source::kTags, Source::kLauncher}},
    {"fleet", {Source::kDescribe, Source::kFleet, Source::kMachines}},
    {"logs", {Source::kDescribe, Source::kSilence}},
    {"checkpoint", {Source::kDescribe, Source::kCheckpoint}},
}};

constexpr std::array<std::string_view, 16> kNames = {
    "event", "time", "alarm",   "job",     "tags",  "until",     "resources", "runtime",
    "spot",  "cost", "failure", "lineage", "fleet", "warm_pool", "logs",      "checkpoint"};
static_assert(std::ranges::all_of(kGroups,
                                  [](const GroupRow& row) {
                                    return std::ranges::count(kNames, row.name) == 1;
                                  }) &&
                  std::ranges::all_of(kNames,
                                      [](std::string_view name) {
                                        return std::ranges::count(kGroups, name, &GroupRow::name) >
                                               0;
                                      }),
              "kGroups and kNames have the same groups");

constexpr std::array kFacts = {
    Fact{Group::kEvent, "trigger", LeafType::kString},
    Fact{Group::kEvent, "account", LeafType::kString},
    Fact{Group::kEvent, "region", LeafType::kString},
    Fact{Group::kTime, "hour", LeafType::kNumber},
    Fact{Group::kTime, "weekday", LeafType::kString},
    Fact{Group::kTime, "date", LeafType::kNumber},
    Fact{Group::kAlarm, "watch", LeafType::kString},
    Fact{Group::kAlarm, "state", LeafType::kString},
    Fact{Group::kAlarm, "name", LeafType::kString},
    Fact{Group::kMachines, "instance_types", LeafType::kString},
    Fact{Group::kMachines, "instance_count", LeafType::kNumber},
    Fact{Group::kGpus, "gpus_per_instance", LeafType::kNumber},
    Fact{Group::kGpus, "gpus", LeafType::kNumber},
    Fact{Group::kAccelerator, "accelerator", LeafType::kString},
    Fact{Group::kResources, "spot", LeafType::kBoolean},
    Fact{Group::kResources, "unknown_members", LeafType::kString},
    Fact{Group::kRuntime, "queued_seconds", LeafType::kNumber},
    Fact{Group::kRuntime, "training_seconds", LeafType::kNumber},
    Fact{Group::kRuntime, "elapsed_seconds", LeafType::kNumber},
    Fact{Group::kRuntime, "remaining_seconds", LeafType::kNumber},
    Fact{Group::kRuntime, "stopping_seconds", LeafType::kNumber},
    Fact{Group::kSpot, "interruptions", LeafType::kNumber},
    Fact{Group::kSpot, "interruptions_6h", LeafType::kNumber},
    Fact{Group::kSpot, "interruptions_24h", LeafType::kNumber},
    Fact{Group::kSpot, "window_seconds", LeafType::kNumber},
    Fact{Group::kSpot, "training_seconds", LeafType::kNumber},
    Fact{Group::kSpot, "active_fraction", LeafType::kNumber},
    Fact{Group::kSpot, "saved_fraction", LeafType::kNumber},
    Fact{Group::kCost, "usd_per_hour", LeafType::kNumber},
    Fact{Group::kCost, "spent_usd", LeafType::kNumber},
    Fact{Group::kCost, "max_usd", LeafType::kNumber},
    Fact{Group::kWarmPool, "idle_seconds", LeafType::kNumber},
    Fact{Group::kWarmPool, "remaining_seconds", LeafType::kNumber},
    Fact{Group::kPoolCost, "remaining_usd", LeafType::kNumber},
    Fact{Group::kFailure, "kind", LeafType::kString},
    Fact{Group::kFailure, "exit_code", LeafType::kNumber},
    Fact{Group::kDiagnosis, "label", LeafType::kString},
    Fact{Group::kDiagnosis, "resume", LeafType::kString},
    Fact{Group::kDiagnosis, "evidence", LeafType::kString},
    Fact{Group::kLineage, "generation", LeafType::kNumber},
    Fact{Group::kLineage, "root", LeafType::kString},
    Fact{Group::kLineage, "parent", LeafType::kString},
    Fact{Group::kLauncher, "child_of", LeafType::kString},
    Fact{Group::kFleet, "spot_timeouts_24h", LeafType::kNumber},
    Fact{Group::kFleet, "spot_interruptions_24h", LeafType::kNumber},
    Fact{Group::kFleet, "capacity_errors_24h", LeafType::kNumber},
    Fact{Group::kLogs, kSilentSeconds, LeafType::kNumber},
    Fact{Group::kCheckpoint, "exists", LeafType::kBoolean},
    Fact{Group::kCheckpoint, "age_seconds", LeafType::kNumber},
};

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
    {Early::kAccount, Group::kEvent, "account"},
    {Early::kRegion, Group::kEvent, "region"},
}};

// Members whose values are a closed list. AWS may add to its lists: another value is only a
// warning.
struct Values {
  Group group;
  std::string_view path;
  std::span<const std::string_view> values;
};

constexpr std::array<std::string_view, 3> kTriggers = {"state", "alarm", "sweep"};
constexpr std::array<std::string_view, 7> kWeekdays = {"mon", "tue", "wed", "thu",
                                                       "fri", "sat", "sun"};
constexpr std::array<std::string_view, 4> kAlarmStates = {kInAlarm, "OK", "INSUFFICIENT_DATA",
                                                          kBlindState};
constexpr std::array<std::string_view, 3> kAccelerators = {"gpu", "neuron", "none"};
constexpr std::array<std::string_view, 5> kParents = {"tuning", "automl", "labeling", "pipeline",
                                                      "step-functions"};
constexpr std::array<Values, 7> kClosed = {{
    {Group::kEvent, "trigger", kTriggers},
    {Group::kTime, "weekday", kWeekdays},
    {Group::kAlarm, "state", kAlarmStates},
    {Group::kAccelerator, "accelerator", kAccelerators},
    {Group::kDiagnosis, "resume", kResumeVerdicts},
    {Group::kDiagnosis, "label", kFailureLabels},
    {Group::kLauncher, "child_of", kParents},
}};

std::optional<Early> early_of(Group group, std::string_view path) {
  for (const EarlyRow& row : kEarly) {
    if (row.group == group && row.path == path) return row.early;
  }
  return std::nullopt;
}

std::string join(std::span<const std::string_view> names) {
  std::string path(names.front());
  for (const std::string_view name : names.subspan(1)) path.append(1, '.').append(name);
  return path;
}

std::optional<FactPath> find_job_path(std::span<const std::string_view> names,
                                      const JsonPath& where, Diagnostics& diagnostics) {
  std::string path = join(names);
  if (path.ends_with(".*")) {
    diagnostics.error(where, "`*` is no wildcard here: expected the name of one member");
    return std::nullopt;
  }
  if (const Leaf* leaf = find_describe_member(path)) {
    std::optional<Early> early = early_of(Group::kJob, path);
    return FactPath{Group::kJob, std::move(path), leaf->type, early};
  }
  if (std::string below = leaves_below(path, 4); !below.empty()) {
    diagnostics.error(where,
                      fmt::format("`{}` is a structure, which never matches: expected a leaf "
                                  "below it: {}",
                                  path, below));
  } else {
    diagnostics.error(where, fmt::format("expected a leaf of DescribeTrainingJob's answer, found "
                                         "`{}`{}",
                                         path, suggest_member(names)));
  }
  return std::nullopt;
}

std::optional<FactPath> find_tag_path(Group group, std::span<const std::string_view> names,
                                      const JsonPath& where, Diagnostics& diagnostics) {
  if (names.size() == 1) {
    review_tag_key(names[0], where, diagnostics);
    const LeafType type = group == Group::kTags ? LeafType::kString : LeafType::kNumber;
    return FactPath{group, std::string(names[0]), type, std::nullopt};
  }
  diagnostics.error(where, fmt::format("expected a list of values: tag keys are literal, write "
                                       "`\"{}\"` as one name",
                                       join(names)));
  return std::nullopt;
}

std::optional<FactPath> find_member_path(std::string_view group,
                                         std::span<const std::string_view> names,
                                         const JsonPath& where, Diagnostics& diagnostics) {
  std::string path = join(names);
  for (const Fact& fact : kFacts) {
    if (fact.name.size() != path.size()) continue;  // most of them
    if (fact.name == path && name(fact.group) == group) {
      const std::optional<Early> early = early_of(fact.group, path);
      return FactPath{fact.group, std::move(path), fact.type, early};
    }
  }
  std::vector<std::string_view> known;
  for (const Fact& fact : kFacts)
    if (name(fact.group) == group) known.push_back(fact.name);
  const std::string near = did_you_mean(path, known);
  diagnostics.error(where, fmt::format("expected {}, found `{}`{}", one_of(known), path,
                                       near.empty() ? suggest_fact(path) : near));
  return std::nullopt;
}

}  // namespace

std::string_view name(Group group) { return kGroups[static_cast<std::size_t>(group)].name; }

std::span<const std::string_view> group_names() { return kNames; }

std::span<const Fact> facts() { return kFacts; }

std::span<const std::string_view> known_values(Group group, std::string_view path) {
  if (group == Group::kJob) {
    if (path == "TrainingJobStatus") return training_job_statuses();
    if (path == "SecondaryStatus") return secondary_statuses();
    if (path == "WarmPoolStatus.Status") return warm_pool_statuses();
  }
  for (const Values& closed : kClosed)
    if (closed.group == group && closed.path == path) return closed.values;
  return {};
}

SourceSet sources_of(Group group) { return kGroups[static_cast<std::size_t>(group)].sources; }

std::optional<FactPath> find_fact_path(std::span<const std::string_view> names,
                                       const JsonPath& where, Diagnostics& diagnostics) {
  const std::string_view group = names[0];
  const auto is_it = [group](std::string_view name) {
    return name.size() == group.size() && name == group;
  };
  if (std::ranges::none_of(kNames, is_it)) {
    diagnostics.error(
        where,
        fmt::format("expected a fact group, {}, found `{}`{}", one_of(kNames), group,
                    is_of_event_bridge(group) ? suggest_for_event(names) : suggest_group(names)));
    return std::nullopt;
  }
  if (names.size() == 1) {
    diagnostics.error(where, fmt::format("`{}` is a group of facts: expected an object of its "
                                         "members, found a list",
                                         group));
    return std::nullopt;
  }
  const auto members = names.subspan(1);
  if (group == name(Group::kJob)) return find_job_path(members, where, diagnostics);
  for (const Group of_tags : {Group::kTags, Group::kUntil})
    if (group == name(of_tags)) return find_tag_path(of_tags, members, where, diagnostics);
  return find_member_path(group, members, where, diagnostics);
}

bool has_tag_keys(Group group) { return group == Group::kTags || group == Group::kUntil; }

bool rests_on_tags(Group group) { return sources_of(group).contains(Source::kTags); }

std::string_view unit_of(Group group, std::string_view path) {
  struct Ending {
    std::string_view text;
    std::string_view unit;
  };
  static constexpr std::array<Ending, 5> kEndings = {{{"_seconds", "s"},
                                                      {"InSeconds", "s"},
                                                      {"usd_per_hour", "USD an hour"},
                                                      {"_usd", "USD"},
                                                      {"InGB", "GB"}}};
  if (group == Group::kTags) return {};
  if (group == Group::kUntil) return "s";
  const auto found = std::ranges::find_if(
      kEndings, [path](const Ending& ending) { return path.ends_with(ending.text); });
  return found == kEndings.end() ? std::string_view() : found->unit;
}

bool is_confidential(Group group, std::string_view path) {
  // A FailureReason can quote the command line, and with it the hyperparameters.
  return group == Group::kJob && (is_in_free_map(path) || path == "FailureReason");
}

}  // namespace trainwarden::rules
