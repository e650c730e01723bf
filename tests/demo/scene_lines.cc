#include "tests/demo/scene_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace trainwarden::demo {
namespace {

struct Purpose {
  std::string_view operation;
  std::string_view words;
};

constexpr std::array kPurposes = {
    Purpose{"DescribeTrainingJob", "looks at"},
    Purpose{"ListTags", "reads the tags of"},
    Purpose{"AddTags", "writes tags on"},
    Purpose{"StopTrainingJob", "stops"},
    Purpose{"CreateTrainingJob", "starts a copy of"},
    Purpose{"PutMetricAlarm", "puts an alarm on"},
    Purpose{"DeleteAlarms", "deletes the alarms of"},
    Purpose{"DescribeAlarms", "looks for alarms of"},
    Purpose{"GetMetricData", "measures every host of"},
    Purpose{"FilterLogEvents", "reads the end of the log of"},
    Purpose{"Publish", "tells people about"},
    Purpose{"GetItem", "reads what the table knows of"},
    Purpose{"PutItem", "writes into the table what it does about"},
};

std::string_view words_for(std::string_view operation) {
  for (const Purpose& purpose : kPurposes)
    if (purpose.operation == operation) return purpose.words;
  return operation;
}

// A call is seen when it was answered, and a state told since when it was: what a stop brought
// about would stand before it.
sys_millis after_the_stop(sys_millis told, const std::vector<CallSeen>& calls) {
  for (const CallSeen& call : calls)
    if (call.operation == "StopTrainingJob" && call.status == 200 && told <= call.time &&
        call.time - told < std::chrono::seconds(1))
      return call.time + std::chrono::milliseconds(1);
  return told;
}

}  // namespace

Result<void> tell_creation(Stage& stage, std::string_view job) {
  TRY(const json::Document described, stage.describe(job));
  TRY(const json::Document tags, stage.tags(job));
  const auto root = described.root();
  stage.timeline().tell(
      time_at(root, "CreationTime"), text_at(tags.root(), "username"),
      fmt::format("starts {} on {:.0f} x {}", job, number_at(root, "ResourceConfig.InstanceCount"),
                  text_at(root, "ResourceConfig.InstanceType")));
  const double limit = number_at(root, "StoppingCondition.MaxRuntimeInSeconds") / 3600;
  const auto spot = root.find_present("EnableManagedSpotTraining");
  if (const auto rate = stage.usd_per_hour(root))
    stage.timeline().detail(fmt::format("{} an hour, for at most {:.0f} hours{}", dollars(*rate),
                                        limit, spot && spot->as_boolean() ? ", on spot" : ""));
  return {};
}

Result<std::vector<Line>> state_lines(const Stage& stage, std::string_view job, std::size_t from) {
  TRY(const json::Document described, stage.describe(job));
  TRY(const auto calls, stage.calls(job));
  std::vector<Line> out;
  std::size_t number = 0;
  for (const json::Value state : described.root().find("SecondaryStatusTransitions")->elements())
    if (number++ >= from) {
      const sys_millis told = time_at(state, "StartTime");
      const std::string status = text_at(state, "Status");
      out.push_back({status == "Stopping" ? after_the_stop(told, calls) : told, "SageMaker",
                     fmt::format("{} is {}", job, status)});
    }
  return out;
}

Result<std::vector<Line>> call_lines(const Stage& stage, std::string_view function,
                                     std::string_view job) {
  TRY(const auto calls, stage.calls(job));
  std::vector<Line> out;
  for (const CallSeen& call : calls) {
    const std::string what = fmt::format("{} {}", words_for(call.operation), job);
    if (call.function != function || call.status != 200) continue;
    const auto told =
        std::find_if(out.begin(), out.end(), [&](const Line& line) { return line.what == what; });
    if (told == out.end()) out.push_back({call.time, "trainwarden", what, call.operation});
  }
  return out;
}

bool changes_job(const Line& line) {
  return line.operation == "AddTags" || line.operation == "PutItem" ||
         line.operation == "StopTrainingJob";
}

Result<void> quote_tags(Stage& stage, std::string_view job) {
  TRY(const json::Document tags, stage.tags(job));
  std::string text;
  for (const auto& [key, value] : tags.root().members())
    text += fmt::format("{:<23} {}\n", key, value.as_string());
  stage.timeline().quote(text);
  return {};
}

Result<json::Document> tell_copy(Stage& stage, std::string_view job) {
  TRY(const std::string name,
      stage.wait_for<std::string>(
          fmt::format("{} has a copy", job), [&]() -> Result<std::optional<std::string>> {
            TRY(const json::Document tags, stage.tags(job));
            const auto child = tags.root().find("trainwarden:child");
            return child ? std::optional(std::string(child->as_string())) : std::nullopt;
          }));
  TRY(json::Document copy, stage.describe(name));
  TRY(const json::Document original, stage.describe(job));
  const json::Value root = copy.root();
  if (time_at(root, "CreationTime") < time_at(original.root(), "TrainingEndTime"))
    return fail(ErrorCode::kInternal, fmt::format("{} began before {} had ended", name, job));
  if (text_at(root, "CheckpointConfig.S3Uri") != text_at(original.root(), "CheckpointConfig.S3Uri"))
    return fail(ErrorCode::kInternal, fmt::format("{} has another checkpoint", name));
  const auto spot = root.find_present("EnableManagedSpotTraining");
  stage.timeline().tell(time_at(root, "CreationTime"), "trainwarden",
                        fmt::format("starts the copy {}", name));
  stage.timeline().detail(fmt::format("{:.0f} x {}, {}; it goes on from {}",
                                      number_at(root, "ResourceConfig.InstanceCount"),
                                      text_at(root, "ResourceConfig.InstanceType"),
                                      spot && spot->as_boolean() ? "on spot" : "on demand",
                                      text_at(root, "CheckpointConfig.S3Uri")));
  return copy;
}

Result<json::Document> wait_for_decision(const Stage& stage, std::string_view job,
                                         std::string_view status) {
  return stage.wait_for<json::Document>(fmt::format("{} is decided on", job),
                                        [&]() -> Result<std::optional<json::Document>> {
                                          auto found = stage.record("state", job);
                                          if (!found || text_at(found->root(), "state") != status)
                                            return std::nullopt;
                                          return found;
                                        });
}

Result<void> tell_because(Stage& stage, std::string_view job, std::string_view status) {
  TRY(const json::Document record, wait_for_decision(stage, job, status));
  for (const json::Value decision : record.root().find("decisions")->elements()) {
    stage.timeline().detail(fmt::format("rule {}:", text_at(decision, "rule")));
    for (const json::Value because : decision.find("because")->elements())
      stage.timeline().detail(
          fmt::format("{} is {}", text_at(because, "path"), text_at(because, "value")));
  }
  return {};
}

Result<void> quote_message(Stage& stage, std::string_view job) {
  TRY(const MessageSeen message, stage.wait_for_message(job));
  stage.timeline().say(fmt::format("What people read: {}", message.subject));
  stage.timeline().quote(message.text);
  return {};
}

Result<void> expect_status(const Stage& stage, std::string_view job, std::string_view status) {
  TRY(const json::Document described, stage.describe(job));
  const std::string found = text_at(described.root(), "TrainingJobStatus");
  if (found == status) return {};
  return fail(ErrorCode::kInternal, fmt::format("{} is {}, not {}", job, found, status));
}

}  // namespace trainwarden::demo
