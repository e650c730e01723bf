#include "tests/demo/story.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace trainwarden::demo {
namespace {

struct Purpose {
  std::string_view operation;
  std::string_view words;
};

constexpr std::array kPurposes = {
    Purpose{"DescribeTrainingJob", "looks at"},
    Purpose{"ListTags", "reads the tags of"},
    Purpose{"AddTags", "writes the reason into the tags of"},
    Purpose{"StopTrainingJob", "stops"},
    Purpose{"CreateTrainingJob", "starts a copy of"},
    Purpose{"PutMetricAlarm", "puts an alarm on"},
    Purpose{"DeleteAlarms", "deletes the alarms of"},
    Purpose{"DescribeAlarms", "looks for alarms of"},
    Purpose{"GetMetricData", "measures every host of"},
    Purpose{"FilterLogEvents", "reads the end of the log of"},
    Purpose{"Publish", "tells people about"},
};

std::string_view words_for(std::string_view operation) {
  for (const Purpose& purpose : kPurposes)
    if (purpose.operation == operation) return purpose.words;
  return operation;
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
  std::vector<Line> out;
  std::size_t number = 0;
  for (const json::Value state : described.root().find("SecondaryStatusTransitions")->elements())
    if (number++ >= from)
      out.push_back({time_at(state, "StartTime"), "SageMaker",
                     fmt::format("{} is {}", job, text_at(state, "Status"))});
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
    if (told == out.end()) out.push_back({call.time, "trainwarden", what});
  }
  return out;
}

Result<void> quote_tags(Stage& stage, std::string_view job) {
  TRY(const json::Document tags, stage.tags(job));
  std::string text;
  for (const auto& [key, value] : tags.root().members())
    text += fmt::format("{:<20} {}\n", key, value.as_string());
  stage.timeline().quote(text);
  return {};
}

Result<void> expect_status(const Stage& stage, std::string_view job, std::string_view status) {
  TRY(const json::Document described, stage.describe(job));
  const std::string found = text_at(described.root(), "TrainingJobStatus");
  if (found == status) return {};
  return fail(ErrorCode::kInternal, fmt::format("{} is {}, not {}", job, found, status));
}

}  // namespace trainwarden::demo
