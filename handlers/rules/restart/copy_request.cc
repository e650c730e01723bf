#include "handlers/rules/restart/copy_request.h"

#include <array>
#include <utility>
#include <vector>

#include "handlers/rules/job/job_times.h"
#include "handlers/rules/job/members.h"

namespace trainwarden::rules {
namespace {

using json::Value;

constexpr std::array<std::string_view, 25> kMembers = {"HyperParameters",
                                                       "AlgorithmSpecification",
                                                       "RoleArn",
                                                       "InputDataConfig",
                                                       "OutputDataConfig",
                                                       "ResourceConfig",
                                                       "VpcConfig",
                                                       "StoppingCondition",
                                                       "EnableNetworkIsolation",
                                                       "EnableInterContainerTrafficEncryption",
                                                       "EnableManagedSpotTraining",
                                                       "CheckpointConfig",
                                                       "DebugHookConfig",
                                                       "DebugRuleConfigurations",
                                                       "TensorBoardOutputConfig",
                                                       "ExperimentConfig",
                                                       "ProfilerConfig",
                                                       "ProfilerRuleConfigurations",
                                                       "Environment",
                                                       "RetryStrategy",
                                                       "RemoteDebugConfig",
                                                       "InfraCheckConfig",
                                                       "ServerlessJobConfig",
                                                       "MlflowConfig",
                                                       "ModelPackageConfig"};

// In these an empty string is a value.
bool is_free(std::string_view member) {
  return member == "HyperParameters" || member == "Environment";
}

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

void write_clean(json::Sink& sink, Value value) {
  if (value.is_array()) {
    sink.begin_array();
    for (const Value element : value.elements())
      if (!is_blank(element)) write_clean(sink, element);
    sink.end_array();
  } else if (value.is_object()) {
    sink.begin_object();
    for (const json::Member member : value.members())
      if (!is_blank(member.value)) write_clean(sink.key(member.name), member.value);
    sink.end_object();
  } else {
    sink.value(value);
  }
}

void write_free(json::Sink& sink, Value map) {
  sink.begin_object();
  for (const json::Member member : map.members())
    if (!member.value.is_null()) sink.member(member.name, member.value);
  sink.end_object();
}

std::optional<Value> filled(Value object, std::string_view member) {
  const auto value = object.find_present(member);
  return value && !is_blank(*value) ? value : std::nullopt;
}

bool is_true(Value object, std::string_view member) {
  const auto value = object.find_present(member);
  return value && value->is_boolean() && value->as_boolean();
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
      : order_(order),
        tags_(tags),
        spot_(order.changes.spot.value_or(is_true(order.describe, "EnableManagedSpotTraining"))) {}

  void write(json::Sink& sink) {
    sink.begin_object().member("TrainingJobName", order_.name);
    for (const std::string_view name : kMembers) write(sink, name);
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
    const auto value = order_.describe.find_present(name);
    if (name == "EnableManagedSpotTraining" && order_.changes.spot) {
      sink.member(name, *order_.changes.spot);
    } else if (name == "StoppingCondition") {
      stopping_condition(sink, value);
    } else if (!value || is_left_out(name) ||
               (is_free(name) ? value->size() == 0 : is_blank(*value))) {
      return;
    } else if (is_free(name)) {
      write_free(sink.key(name), *value);
    } else if (name == "AlgorithmSpecification") {
      algorithm(sink.key(name), *value);
    } else if (name == "ResourceConfig") {
      resources(sink.key(name), *value);
    } else {
      write_clean(sink.key(name), *value);
    }
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
    write_without(sink, value, [&](std::string_view member) {
      return (member == "TrainingImage" && named) ||
             (member == "MetricDefinitions" && !order_.parts.metric_definitions);
    });
  }

  // Beside instance groups Describe has an InstanceCount of 0. A warm pool belongs to the job that
  // asked for it.
  void resources(json::Sink& sink, Value value) const {
    const bool groups = filled(value, "InstanceGroups").has_value();
    const std::string& type = order_.changes.instance_type;
    const bool change = !groups && !type.empty();
    sink.begin_object();
    if (change) sink.member("InstanceType", type);
    write_members(sink, value, [&](std::string_view member) {
      return member == "KeepAlivePeriodInSeconds" ||
             (groups && (member == "InstanceCount" || member == "InstanceType")) ||
             (change && member == "InstanceType");
    });
    sink.end_object();
  }

  // MaxWaitTimeInSeconds goes with spot, and must be at least MaxRuntimeInSeconds then.
  void stopping_condition(json::Sink& sink, std::optional<Value> value) const {
    const bool waits = value && filled(*value, "MaxWaitTimeInSeconds");
    const bool add_wait = spot_ && !waits && order_.changes.spot;
    if ((!value || is_blank(*value)) && !add_wait) return;
    sink.key("StoppingCondition").begin_object();
    const auto told = value ? value->find_present("MaxRuntimeInSeconds") : std::nullopt;
    const std::int64_t runtime = told && told->is_number()
                                     ? told->as_integer().value_or(kDefaultMaxRuntimeSeconds)
                                     : kDefaultMaxRuntimeSeconds;
    if (add_wait && !told) sink.member("MaxRuntimeInSeconds", runtime);
    if (add_wait) sink.member("MaxWaitTimeInSeconds", runtime);
    if (value)
      write_members(sink, *value, [&](std::string_view member) {
        return member == "MaxWaitTimeInSeconds" && !spot_;
      });
    sink.end_object();
  }

  template <class LeftOut>
  static void write_members(json::Sink& sink, Value value, LeftOut left_out) {
    for (const json::Member member : value.members())
      if (!left_out(member.name) && !is_blank(member.value))
        write_clean(sink.key(member.name), member.value);
  }

  template <class LeftOut>
  static void write_without(json::Sink& sink, Value value, LeftOut left_out) {
    sink.begin_object();
    write_members(sink, value, left_out);
    sink.end_object();
  }

  const CopyOrder& order_;
  const CopiedTags& tags_;
  bool spot_;
};

}  // namespace

CopyParts parts_that_fit(json::Value tags) {
  return {.our_tags = copy_tags(tags, {}, "").size() <= kMostTags};
}

std::span<const std::string_view> copied_members() { return kMembers; }

std::expected<std::string, Reason> copy_request(const CopyOrder& order) {
  const CopiedTags tags = tags_of(order);
  if (tags.size() > kMostTags)
    return std::unexpected(Reason{.why = Why::kTooManyTags,
                                  .number = static_cast<std::int64_t>(tags.size()),
                                  .limit = static_cast<std::int64_t>(kMostTags)});
  json::Writer writer;
  Request(order, tags).write(writer);
  return writer.take();
}

}  // namespace trainwarden::rules
