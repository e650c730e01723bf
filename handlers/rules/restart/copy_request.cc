#include "handlers/rules/restart/copy_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "handlers/rules/job/aws_tables.h"
#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/members.h"
#include "handlers/rules/job/unknown_members.h"

namespace trainwarden::rules {
namespace {

using json::Value;

// Null, "", {}, [] and what holds nothing else.
bool is_blank(Value value) {
  switch (value.type()) {
    case json::Type::kNull:
      return true;
    case json::Type::kString:
      return value.as_string().empty();
    case json::Type::kArray:
      for (const Value element : value.elements())
        if (!is_blank(element)) return false;
      return true;
    case json::Type::kObject:
      for (const json::Member member : value.members())
        if (!is_blank(member.value)) return false;
      return true;
    case json::Type::kBoolean:
    case json::Type::kNumber:
      break;
  }
  return false;
}

// structure: of the value, for what AWS only returns and does not take; kLeaf or kMap for none.
void write_clean(json::Sink& sink, Value value, std::int16_t structure) {
  if (value.is_array()) {
    sink.begin_array();
    for (const Value element : value.elements())
      if (!is_blank(element)) write_clean(sink, element, structure);
    sink.end_array();
  } else if (value.is_object()) {
    sink.begin_object();
    for (const json::Member member : value.members()) {
      const ModelMember* const known = model_member(structure, member.name);
      if (is_blank(member.value) || (known != nullptr && !known->created)) continue;
      write_clean(sink.key(member.name), member.value, known != nullptr ? known->below : kLeaf);
    }
    sink.end_object();
  } else {
    sink.value(value);
  }
}

std::int16_t structure_of(std::string_view member) {
  const ModelMember* const known = model_member(kDescription, member);
  return known != nullptr ? known->below : kLeaf;
}

// The job's map with what is changed in it. map: nullopt where the job has none.
class ChangedMap {
 public:
  ChangedMap(std::optional<Value> map, const EntryChanges& changes)
      : map_(map && map->is_object() ? map : std::nullopt), changes_(changes) {}

  // each(key, value): the value as it is in the job, or the text to set.
  template <class Each>
  void for_each(Each each) const {
    if (map_)
      for (const json::Member member : map_->members())
        if (!member.value.is_null() && !changes_.contains(member.name))
          each(member.name, member.value);
    for (const auto& [key, value] : changes_)
      if (value) each(key, std::string_view(*value));
  }

  std::size_t size() const {
    std::size_t out = 0;
    for_each([&](std::string_view /*key*/, const auto& /*value*/) { ++out; });
    return out;
  }

  void write(json::Sink& sink) const {
    sink.begin_object();
    for_each([&](std::string_view key, const auto& value) { sink.member(key, value); });
    sink.end_object();
  }

 private:
  std::optional<Value> map_;
  const EntryChanges& changes_;
};

ChangedMap changed_map(const CopyOrder& order, const EntryForm& form) {
  const CopySettings& settings = order.changes.settings;
  return {order.describe.find_present(form.member),
          form.member == kEnvironment.member ? settings.environment : settings.hyperparameters};
}

std::optional<Value> filled(Value object, std::string_view member) {
  const auto value = object.find_present(member);
  return value && !is_blank(*value) ? value : std::nullopt;
}

bool is_true(Value object, std::string_view member) {
  const auto value = object.find_present(member);
  return value && value->is_boolean() && value->as_boolean();
}

bool copy_is_spot(const CopyOrder& order) {
  return order.changes.spot.value_or(is_true(order.describe, "EnableManagedSpotTraining"));
}

// How long the copy may run, and on spot wait and run in all; absent where nothing says so.
struct Times {
  std::optional<std::int64_t> runtime;
  std::optional<std::int64_t> wait;
};

Times times_of(const CopyOrder& order) {
  const CopySettings& settings = order.changes.settings;
  const auto condition = order.describe.find_present("StoppingCondition");
  const auto limit = [&](std::string_view member) -> std::optional<std::int64_t> {
    const auto value = condition ? condition->find_present(member) : std::nullopt;
    if (!value || !value->is_number()) return std::nullopt;
    return value->as_integer();
  };
  Times out{.runtime = settings.max_runtime_seconds, .wait = {}};
  if (!out.runtime) out.runtime = limit("MaxRuntimeInSeconds");
  if (!copy_is_spot(order)) return out;
  out.wait = settings.max_wait_seconds;
  if (!out.wait) out.wait = limit("MaxWaitTimeInSeconds");
  // Of a job that has not been on spot.
  if (!out.wait && order.changes.spot) out.wait = out.runtime.value_or(kDefaultMaxRuntimeSeconds);
  return out;
}

// Whether each preference has a count of its own.
bool preferences_have_counts(Value resources) {
  const auto list = filled(resources, "InstancePreferences");
  if (!list) return false;
  for (const Value one : list->elements())
    if (filled(one, "InstanceCount")) return true;
  return false;
}

bool has_preferences(Value describe) {
  const auto resources = describe.find_present("ResourceConfig");
  return resources && filled(*resources, "InstancePreferences");
}

// Whether the job has one number of machines, which can be changed.
std::optional<Why> why_no_count(Value describe) {
  const auto resources = describe.find_present("ResourceConfig");
  if (resources && filled(*resources, "InstanceGroups")) return Why::kGroupsHaveCounts;
  if (resources && preferences_have_counts(*resources)) return Why::kPreferencesHaveCounts;
  if (has_preferences(describe)) return std::nullopt;
  if (!resources || !filled(*resources, "InstanceType")) return Why::kNoMachines;
  return std::nullopt;
}

// What Create would refuse of what the changes make of the job's own members.
std::optional<Reason> why_unfit(const CopyOrder& order) {
  const CopySettings& settings = order.changes.settings;
  for (const EntryForm* const form : kFreeMaps) {
    const std::size_t size = changed_map(order, *form).size();
    if (size > kMostEntries)
      return Reason{.why = Why::kTooManyEntries,
                    .name = std::string(form->member),
                    .number = static_cast<std::int64_t>(size),
                    .limit = static_cast<std::int64_t>(kMostEntries)};
  }
  for (const UnknownMember& unknown : unknown_members(order.describe))
    if (unknown.of_copy) return Reason{.why = Why::kUnknownMember, .name = unknown.path};
  // AWS takes no spot beside preferences.
  if (order.changes.spot == true && has_preferences(order.describe))
    return Reason{.why = Why::kPreferencesExcludeSpot};
  if (settings.instance_count)
    if (const auto why = why_no_count(order.describe)) return Reason{.why = *why};
  if (!settings.max_runtime_seconds && !settings.max_wait_seconds) return std::nullopt;
  const auto [runtime, wait] = times_of(order);
  const std::int64_t runs = runtime.value_or(kDefaultMaxRuntimeSeconds);
  if (!wait || *wait >= runs) return std::nullopt;
  return Reason{.why = Why::kWaitTooShort, .number = *wait, .limit = runs};
}

using CopiedTags = std::vector<std::pair<std::string, std::string>>;

CopiedTags tags_of(const CopyOrder& order) {
  CopiedTags out = copy_tags(order.tags, order.lineage,
                             string_of(order.describe, "TrainingJobName").value_or(""));
  if (!order.parts.our_tags)
    std::erase_if(out, [](const auto& tag) { return is_our_tag(tag.first); });
  return out;
}

class Request {
 public:
  Request(const CopyOrder& order, const CopiedTags& tags)
      : order_(order), tags_(tags), spot_(copy_is_spot(order)) {}

  void write(json::Sink& sink) {
    sink.begin_object().member("TrainingJobName", order_.name);
    for (const std::string_view name : copied_members()) write(sink, name);
    if (!tags_.empty()) {
      sink.key("Tags").begin_array();
      for (const auto& [key, value] : tags_)
        sink.begin_object().member("Key", key).member("Value", value).end_object();
      sink.end_array();
    }
    sink.end_object();
  }

 private:
  void write(json::Sink& sink, std::string_view name) {
    // Not taken beside preferences, which are on demand or in a training plan.
    if (name == "EnableManagedSpotTraining" && has_preferences(order_.describe)) return;
    const auto value = order_.describe.find_present(name);
    if (name == "EnableManagedSpotTraining" && order_.changes.spot) {
      sink.member(name, *order_.changes.spot);
    } else if (name == "StoppingCondition") {
      stopping_condition(sink, value);
    } else if (name == kHyperParameters.member) {
      free_map(sink, kHyperParameters);
    } else if (name == kEnvironment.member) {
      free_map(sink, kEnvironment);
    } else if (!value || is_left_out(name) || is_blank(*value)) {
      return;
    } else if (name == "AlgorithmSpecification") {
      algorithm(sink.key(name), *value);
    } else if (name == "ResourceConfig") {
      resources(sink.key(name), *value);
    } else {
      write_clean(sink.key(name), *value, structure_of(name));
    }
  }

  // In these an empty string is a value.
  void free_map(json::Sink& sink, const EntryForm& form) const {
    const ChangedMap map = changed_map(order_, form);
    if (map.size() > 0) map.write(sink.key(form.member));
  }

  // Rules of a profiler that is off are refused.
  bool is_left_out(std::string_view name) const {
    if (name != "ProfilerRuleConfigurations") return false;
    const auto profiler = order_.describe.find_present("ProfilerConfig");
    return profiler && is_true(*profiler, "DisableProfiler");
  }

  // Describe tells the image that a name stands for too; Create takes one of the two.
  void algorithm(json::Sink& sink, Value value) const {
    const bool named = filled(value, "AlgorithmName").has_value();
    sink.begin_object();
    write_members(sink, "AlgorithmSpecification", value, [&](std::string_view member) {
      return (member == "TrainingImage" && named) ||
             (member == "MetricDefinitions" && !order_.parts.metric_definitions);
    });
    sink.end_object();
  }

  // Beside instance groups Describe has an InstanceCount of 0, and beside preferences maybe those
  // of the one that AWS selected. A warm pool belongs to the job that asked for it.
  void resources(json::Sink& sink, Value value) const {
    const bool groups = filled(value, "InstanceGroups").has_value();
    const bool preferences = filled(value, "InstancePreferences").has_value();
    const bool own_counts = groups || preferences_have_counts(value);
    const std::string& type = order_.changes.instance_type;
    const bool change = !groups && !preferences && !type.empty();
    const auto& count = order_.changes.settings.instance_count;
    sink.begin_object();
    if (change) sink.member("InstanceType", type);
    if (count && !own_counts) sink.member("InstanceCount", *count);
    write_members(sink, "ResourceConfig", value, [&](std::string_view member) {
      return member == "KeepAlivePeriodInSeconds" || (own_counts && member == "InstanceCount") ||
             ((groups || preferences) && member == "InstanceType") ||
             (count && member == "InstanceCount") || (change && member == "InstanceType");
    });
    sink.end_object();
  }

  // MaxWaitTimeInSeconds goes with spot, and must be at least MaxRuntimeInSeconds then.
  void stopping_condition(json::Sink& sink, std::optional<Value> value) const {
    const auto [runtime, wait] = times_of(order_);
    if ((!value || is_blank(*value)) && !runtime && !wait) return;
    sink.key("StoppingCondition").begin_object();
    if (wait && !runtime) sink.member("MaxRuntimeInSeconds", kDefaultMaxRuntimeSeconds);
    if (runtime) sink.member("MaxRuntimeInSeconds", *runtime);
    if (wait) sink.member("MaxWaitTimeInSeconds", *wait);
    if (value)
      write_members(sink, "StoppingCondition", *value, [&](std::string_view member) {
        return (member == "MaxRuntimeInSeconds" && runtime) ||
               (member == "MaxWaitTimeInSeconds" && (wait || !spot_));
      });
    sink.end_object();
  }

  // Of the top-level member of that name.
  template <class LeftOut>
  static void write_members(json::Sink& sink, std::string_view name, Value value,
                            LeftOut left_out) {
    for (const json::Member member : value.members()) {
      const ModelMember* const known = model_member(structure_of(name), member.name);
      if (left_out(member.name) || is_blank(member.value) || (known != nullptr && !known->created))
        continue;
      write_clean(sink.key(member.name), member.value, known != nullptr ? known->below : kLeaf);
    }
  }

  const CopyOrder& order_;
  const CopiedTags& tags_;
  bool spot_;
};

constexpr std::string_view kHidden = "(hidden)";

std::string_view text_of(std::string_view set) { return set; }
std::string_view text_of(Value own) { return own.is_string() ? own.as_string() : ""; }

// "1 validation error detected: Value '{a=b}' at 'hyperParameters' failed to satisfy constraint: …"
// What was cut off before its path is told may be anything.
void hide_quoted(std::string& text) {
  constexpr std::string_view kValue = "Value '";
  constexpr std::string_view kAt = "' at '";
  const std::size_t value = text.find(kValue);
  if (value == std::string::npos) return;
  const std::size_t begin = value + kValue.size();
  if (text.find(kAt, begin) == std::string::npos) {
    text.replace(begin, std::string::npos, kHidden);
    return;
  }
  for (const std::string_view path : {"' at 'hyperParameters", "' at 'environment"}) {
    const std::size_t end = text.rfind(path);
    if (end != std::string::npos && end > begin) text.replace(begin, end - begin, kHidden);
  }
}

void hide(std::string& text, std::string_view value) {
  for (std::size_t at = text.find(value); at != std::string::npos;
       at = text.find(value, at + kHidden.size()))
    text.replace(at, value.size(), kHidden);
}

}  // namespace

CopyParts parts_that_fit(json::Value tags) {
  return {.our_tags = copy_tags(tags, {}, "").size() <= kMostTags};
}

std::string without_values(const CopyOrder& order, std::string text) {
  hide_quoted(text);
  // Shorter ones are parts of any sentence, and no secrets.
  constexpr std::size_t kShortest = 4;
  std::vector<std::string_view> values;
  for (const EntryForm* const form : kFreeMaps)
    changed_map(order, *form).for_each([&](std::string_view /*key*/, const auto& value) {
      if (text_of(value).size() >= kShortest) values.push_back(text_of(value));
    });
  std::ranges::sort(values, std::ranges::greater(), &std::string_view::size);
  for (const std::string_view value : values) hide(text, value);
  return text;
}

std::optional<Reason> said_of_copy(const TrainingJob& job, bool other_types) {
  std::string unknown;
  for (const std::string& path : unknown_in(job))
    if (!path.contains('.')) unknown += fmt::format("{}`{}`", unknown.empty() ? "" : ", ", path);
  if (!unknown.empty()) return Reason{.why = Why::kMembersLeftOut, .name = std::move(unknown)};
  if (other_types && job.has_preferences) return Reason{.why = Why::kPreferencesKept};
  return std::nullopt;
}

std::expected<std::string, Reason> copy_request(const CopyOrder& order) {
  const CopiedTags tags = tags_of(order);
  if (tags.size() > kMostTags)
    return std::unexpected(Reason{.why = Why::kTooManyTags,
                                  .number = static_cast<std::int64_t>(tags.size()),
                                  .limit = static_cast<std::int64_t>(kMostTags)});
  if (auto unfit = why_unfit(order)) return std::unexpected(*std::move(unfit));
  json::Writer writer;
  Request(order, tags).write(writer);
  return writer.take();
}

}  // namespace trainwarden::rules
