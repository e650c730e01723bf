#include "handlers/cli/explain/given_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "handlers/rules/decide/evaluate.h"
#include "handlers/rules/job/copy_settings.h"

namespace trainwarden::cli {
namespace {

using rules::Group;
using rules::Truth;

// The jobs for which AWS always reports a member, so that a case without it misses it.
enum class MissedBy : std::uint8_t {
  kEvery,
  kOnMachines,  // not serverless
  kRunning,     // not ended
  kEnded,
  kStarted,  // is training, or has trained
  kStopping,
  kTraining,
  kFailed
};

// A fact (all facts of the group if the path is empty) that needs one of two members of the
// description. The member `now` stands for the time of the decision. A structure's member is missed
// only if the structure is given; if it is not, the row of the structure says so.
struct NeededMember {
  Group group;
  std::string_view path;
  MissedBy by;
  std::string_view member;
  std::string_view other = {};
};

constexpr std::string_view kNow = "now";
constexpr std::string_view kMaxRuntime = "StoppingCondition.MaxRuntimeInSeconds";
constexpr std::string_view kType = "ResourceConfig.InstanceType";
constexpr std::string_view kCount = "ResourceConfig.InstanceCount";
constexpr std::string_view kGroups = "ResourceConfig.InstanceGroups";
constexpr std::string_view kPreferences = "ResourceConfig.InstancePreferences";
constexpr std::string_view kImage = "AlgorithmSpecification.TrainingImage";
constexpr std::string_view kAlgorithm = "AlgorithmSpecification.AlgorithmName";

constexpr std::array kNeeded = {
    NeededMember{Group::kTime, "", MissedBy::kEvery, kNow},
    NeededMember{Group::kUntil, "", MissedBy::kEvery, kNow},
    // Whether an alarm counts depends on the watch's warm-up (W4).
    NeededMember{Group::kAlarm, "", MissedBy::kEvery, kNow},
    NeededMember{Group::kAlarm, "", MissedBy::kTraining, "SecondaryStatusTransitions"},
    NeededMember{Group::kJob, "TrainingJobArn", MissedBy::kEvery, "TrainingJobArn"},
    NeededMember{Group::kJob, "CreationTime", MissedBy::kEvery, "CreationTime"},
    NeededMember{Group::kJob, "LastModifiedTime", MissedBy::kEvery, "LastModifiedTime"},
    NeededMember{Group::kJob, "TrainingStartTime", MissedBy::kStarted, "TrainingStartTime"},
    NeededMember{Group::kJob, "RoleArn", MissedBy::kEvery, "RoleArn"},
    NeededMember{Group::kJob, "StoppingCondition", MissedBy::kEvery, "StoppingCondition"},
    NeededMember{Group::kJob, "StoppingCondition.MaxRuntimeInSeconds", MissedBy::kEvery,
                 kMaxRuntime},
    NeededMember{Group::kJob, "OutputDataConfig", MissedBy::kEvery, "OutputDataConfig"},
    NeededMember{Group::kJob, "OutputDataConfig.S3OutputPath", MissedBy::kEvery,
                 "OutputDataConfig.S3OutputPath"},
    NeededMember{Group::kJob, "ResourceConfig", MissedBy::kOnMachines, "ResourceConfig"},
    NeededMember{Group::kJob, "ResourceConfig.InstanceType", MissedBy::kOnMachines, kType, kGroups},
    NeededMember{Group::kJob, "ResourceConfig.InstanceCount", MissedBy::kOnMachines, kCount,
                 kGroups},
    NeededMember{Group::kJob, "ResourceConfig.InstanceGroups", MissedBy::kOnMachines, kGroups,
                 kType},
    NeededMember{Group::kJob, "ResourceConfig.VolumeSizeInGB", MissedBy::kOnMachines,
                 "ResourceConfig.VolumeSizeInGB"},
    NeededMember{Group::kJob, "AlgorithmSpecification", MissedBy::kOnMachines,
                 "AlgorithmSpecification"},
    NeededMember{Group::kJob, "AlgorithmSpecification.TrainingInputMode", MissedBy::kOnMachines,
                 "AlgorithmSpecification.TrainingInputMode"},
    NeededMember{Group::kJob, "AlgorithmSpecification.TrainingImage", MissedBy::kOnMachines, kImage,
                 kAlgorithm},
    NeededMember{Group::kJob, "AlgorithmSpecification.AlgorithmName", MissedBy::kOnMachines,
                 kAlgorithm, kImage},
    NeededMember{Group::kJob, "EnableManagedSpotTraining", MissedBy::kEvery,
                 "EnableManagedSpotTraining"},
    NeededMember{Group::kJob, "SecondaryStatusTransitions", MissedBy::kEvery,
                 "SecondaryStatusTransitions"},
    NeededMember{Group::kJob, "FailureReason", MissedBy::kFailed, "FailureReason"},
    NeededMember{Group::kMachines, "", MissedBy::kOnMachines, "ResourceConfig"},
    NeededMember{Group::kGpus, "", MissedBy::kOnMachines, "ResourceConfig"},
    NeededMember{Group::kAccelerator, "", MissedBy::kOnMachines, "ResourceConfig"},
    NeededMember{Group::kMachines, "instance_types", MissedBy::kOnMachines, kType, kGroups},
    NeededMember{Group::kMachines, "instance_count", MissedBy::kOnMachines, kCount, kGroups},
    NeededMember{Group::kGpus, "gpus_per_instance", MissedBy::kOnMachines, kType, kGroups},
    NeededMember{Group::kGpus, "gpus", MissedBy::kOnMachines, kType, kGroups},
    NeededMember{Group::kGpus, "gpus", MissedBy::kOnMachines, kCount, kGroups},
    NeededMember{Group::kAccelerator, "accelerator", MissedBy::kOnMachines, kType, kGroups},
    NeededMember{Group::kResources, "spot", MissedBy::kEvery, "EnableManagedSpotTraining"},
    NeededMember{Group::kRuntime, "", MissedBy::kEvery, "CreationTime"},
    NeededMember{Group::kRuntime, "", MissedBy::kRunning, kNow},
    NeededMember{Group::kRuntime, "", MissedBy::kEnded, "TrainingEndTime", "LastModifiedTime"},
    NeededMember{Group::kRuntime, "queued_seconds", MissedBy::kStarted, "TrainingStartTime"},
    NeededMember{Group::kRuntime, "training_seconds", MissedBy::kStarted, "TrainingStartTime",
                 "TrainingTimeInSeconds"},
    NeededMember{Group::kRuntime, "remaining_seconds", MissedBy::kEvery, "StoppingCondition"},
    NeededMember{Group::kRuntime, "remaining_seconds", MissedBy::kEvery, kMaxRuntime},
    NeededMember{Group::kRuntime, "remaining_seconds", MissedBy::kStarted, "TrainingStartTime",
                 "TrainingTimeInSeconds"},
    NeededMember{Group::kRuntime, "stopping_seconds", MissedBy::kStopping,
                 "SecondaryStatusTransitions", "LastModifiedTime"},
    NeededMember{Group::kSpot, "", MissedBy::kEvery, kNow},
    NeededMember{Group::kSpot, "", MissedBy::kEvery, "SecondaryStatusTransitions"},
    NeededMember{Group::kSpot, "active_fraction", MissedBy::kEvery, "CreationTime"},
    NeededMember{Group::kCost, "", MissedBy::kOnMachines, "ResourceConfig"},
    NeededMember{Group::kCost, "", MissedBy::kOnMachines, kType, kGroups},
    NeededMember{Group::kCost, "", MissedBy::kOnMachines, kCount, kGroups},
    NeededMember{Group::kCost, "", MissedBy::kEvery, "EnableManagedSpotTraining"},
    NeededMember{Group::kCost, "spent_usd", MissedBy::kRunning, kNow},
    NeededMember{Group::kCost, "spent_usd", MissedBy::kStarted, "TrainingStartTime",
                 "TrainingTimeInSeconds"},
    NeededMember{Group::kCost, "max_usd", MissedBy::kEvery, "StoppingCondition"},
    NeededMember{Group::kCost, "max_usd", MissedBy::kEvery, kMaxRuntime},
    NeededMember{Group::kWarmPool, "", MissedBy::kEvery, kNow},
    NeededMember{Group::kPoolCost, "", MissedBy::kEvery, kNow},
    NeededMember{Group::kFailure, "", MissedBy::kFailed, "FailureReason"},
    NeededMember{Group::kDiagnosis, "", MissedBy::kFailed, "FailureReason"},
    NeededMember{Group::kLogs, "", MissedBy::kTraining, kNow},
    NeededMember{Group::kLogs, "", MissedBy::kTraining, "SecondaryStatusTransitions"},
};

bool has_begun_to_train(const rules::TrainingJob& job) {
  using enum rules::SecondaryStatus;
  return job.secondary == kTraining || job.secondary == kUploading ||
         job.status == rules::JobStatus::kCompleted;
}

bool is_missed(MissedBy by, const rules::TrainingJob& job, const GivenFacts& given) {
  switch (by) {
    case MissedBy::kEvery:
      return true;
    case MissedBy::kOnMachines:
      return !given.members.contains("ServerlessJobConfig");
    case MissedBy::kRunning:
      return !job.has_ended();
    case MissedBy::kEnded:
      return job.has_ended();
    case MissedBy::kStarted:
      return has_begun_to_train(job);
    case MissedBy::kStopping:
      return job.status == rules::JobStatus::kStopping;
    case MissedBy::kTraining:
      return job.secondary == rules::SecondaryStatus::kTraining;
    case MissedBy::kFailed:
      return job.status == rules::JobStatus::kFailed;
  }
  return true;
}

// Whether the condition is on that path or below it.
bool is_on(std::string_view condition, std::string_view path) {
  return path.empty() || condition == path ||
         (condition.size() > path.size() && condition.starts_with(path) &&
          condition[path.size()] == '.');
}

bool is_given(const NeededMember& needed, const rules::TrainingJob* job, const GivenFacts& given) {
  if (needed.member == kNow) {
    if (given.now) return true;
    // Without a description, only the groups of the event and of the time can be decided.
    if (job == nullptr) return needed.group != Group::kTime && needed.group != Group::kUntil;
    return !is_missed(needed.by, *job, given);
  }
  if (job == nullptr || given.exported) return true;
  const auto dot = needed.member.find('.');
  if (dot != std::string_view::npos && !given.members.contains(needed.member.substr(0, dot)))
    return true;
  if (given.members.contains(needed.member)) return true;
  if (!needed.other.empty() && given.members.contains(needed.other)) return true;
  // Preferences tell the machines, and that they are not on spot.
  if ((needed.other == kGroups || needed.member == "EnableManagedSpotTraining") &&
      given.members.contains(kPreferences))
    return true;
  return !is_missed(needed.by, *job, given);
}

std::string missing_text(std::string_view member) {
  return member == kNow ? std::string("`now` is not given")
                        : fmt::format("job.{} is not given", member);
}

// Adds what the condition needs and the case does not give.
void add_missing(Group group, const std::string& path, const GivenFacts& given,
                 std::set<std::string>& out) {
  const rules::TrainingJob* const job = given.sources.job();
  if (group == Group::kAlarm && !given.sources.event().alarm) return;  // no alarm
  const auto tags = given.sources.known(rules::Source::kTags);
  if (group == Group::kUntil && tags && !tags->find(path)) return;  // no such tag at any time
  const bool by_name = (group == Group::kJob && path == "TrainingJobName") ||
                       (group == Group::kLineage && path == "generation");
  if (by_name && !given.name_is_given) out.insert(missing_text("TrainingJobName"));
  if (group == Group::kJob && job != nullptr && given.exported && rules::is_in_free_map(path) &&
      !rules::has_setting(*job, path))
    out.insert(fmt::format("job.{} is not given: an export keeps what its own policy names", path));
  for (const NeededMember& needed : kNeeded)
    if (needed.group == group && is_on(path, needed.path) && !is_given(needed, job, given))
      out.insert(missing_text(needed.member));
}

std::set<std::string> missing_of(const rules::Part& part, const GivenFacts& given) {
  std::set<std::string> out;
  for (const rules::Condition& condition : part.conditions)
    add_missing(part.group, condition.path, given, out);
  return out;
}

// Whether the given facts alone make the part false, whatever the missing ones may be.
bool is_false_by_given(const rules::Part& part, const GivenFacts& given,
                       const rules::Facts& facts) {
  // The case says which alarm it is. Only the alarm's confirmation needs more.
  if (part.group == Group::kAlarm) return rules::evaluate(part, facts) == Truth::kFalse;
  rules::Part rest{.group = part.group, .conditions = {}, .early = {}};
  for (std::size_t i = 0; i < part.conditions.size(); ++i) {
    std::set<std::string> missing;
    add_missing(part.group, part.conditions[i].path, given, missing);
    if (!missing.empty()) continue;
    rest.conditions.push_back(part.conditions[i]);
    rest.early.push_back(part.early[i]);
  }
  return !rest.conditions.empty() && rules::evaluate(rest, facts) == Truth::kFalse;
}

Truth part_verdict(const rules::Part& part, const GivenFacts& given, const rules::Facts& facts) {
  if (!missing_of(part, given).empty())
    return is_false_by_given(part, given, facts) ? Truth::kFalse : Truth::kUnavailable;
  const Truth truth = rules::evaluate(part, facts);
  return truth == Truth::kUnknown ? Truth::kUnavailable : truth;
}

Truth conjunction_verdict(const rules::Conjunction& conjunction, const GivenFacts& given,
                          const rules::Facts& facts) {
  Truth out = Truth::kTrue;
  for (const rules::Part& part : conjunction.parts)
    out = rules::both(out, part_verdict(part, given, facts));
  return out;
}

Truth pattern_verdict(const rules::FactPattern& pattern, const GivenFacts& given,
                      const rules::Facts& facts) {
  Truth out = Truth::kFalse;
  for (const rules::Conjunction& conjunction : pattern.any)
    out = rules::either(out, conjunction_verdict(conjunction, given, facts));
  return out;
}

// As rules::evaluate_unless.
Truth unless_verdict(const rules::FactPattern& unless, const GivenFacts& given,
                     const rules::Facts& facts) {
  const std::vector<rules::Facts> each = facts.of_each_preference();
  if (each.empty() || unless.any.empty()) return pattern_verdict(unless, given, facts);
  Truth out = Truth::kTrue;
  for (const rules::Facts& one : each) out = rules::both(out, pattern_verdict(unless, given, one));
  return out;
}

// Adds the reasons why parts of the pattern cannot be decided.
void add_open_parts(const rules::FactPattern& pattern, const GivenFacts& given,
                    const rules::Facts& facts, std::set<std::string>& out) {
  for (const rules::Conjunction& conjunction : pattern.any) {
    if (conjunction_verdict(conjunction, given, facts) != Truth::kUnavailable) continue;
    for (const rules::Part& part : conjunction.parts) {
      if (part_verdict(part, given, facts) != Truth::kUnavailable) continue;
      const std::set<std::string> missing = missing_of(part, given);
      out.insert(missing.begin(), missing.end());
      for (const rules::Source source : facts.lacking(part.group)) {
        // What is not given is not told either.
        if (!missing.empty() && rules::kNeverFetched.contains(source)) continue;
        if (const Error* const why = facts.unavailable(source)) out.insert(why->message);
      }
      if (facts.provisional() && part.search_lacks_some)
        out.insert("Search, of which the export is, lacks what the rule names");
    }
  }
}

}  // namespace

std::set<std::string, std::less<>> given_members(json::Value job) {
  const auto is_empty_list = [](json::Value value) {
    return value.is_array() && value.size() == 0;
  };
  std::set<std::string, std::less<>> out;
  for (const json::Member member : job.members()) {
    if (member.value.is_null()) continue;
    out.emplace(member.name);
    if (!member.value.is_object()) continue;
    for (const json::Member inner : member.value.members())
      if (!inner.value.is_null() && !is_empty_list(inner.value))
        out.insert(fmt::format("{}.{}", member.name, inner.name));
  }
  return out;
}

std::set<std::string> missing_for_alarms(const GivenFacts& given) {
  std::set<std::string> out;
  for (const NeededMember& needed : kNeeded)
    if (needed.group == Group::kAlarm && !is_given(needed, given.sources.job(), given))
      out.insert(missing_text(needed.member));
  return out;
}

GivenVerdict given_verdict(const GivenFacts& given, const rules::Rule& rule,
                           const rules::Facts& facts) {
  GivenVerdict out;
  const Truth match = pattern_verdict(rule.match, given, facts);
  const Truth wide = unless_verdict(rule.policy_wide(), given, facts);
  const Truth unless = rules::either(unless_verdict(rule.unless, given, facts), wide);
  out.is_exempted = wide == Truth::kTrue;
  out.verdict = rules::both(match, rules::negate(unless));
  if (out.verdict != Truth::kUnavailable) return out;
  if (match == Truth::kUnavailable) add_open_parts(rule.match, given, facts, out.missing);
  if (unless == Truth::kUnavailable)
    for (const rules::FactPattern* const one : rule.exemptions())
      add_open_parts(*one, given, facts, out.missing);
  return out;
}

}  // namespace trainwarden::cli
