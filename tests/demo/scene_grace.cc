// An experiment trains for longer than the policy grants. Its stop is announced; its owner keeps it
// for a while by a tag; when that time is over the stop is announced again, and done.
#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "awsapi/sagemaker.h"
#include "tests/demo/past_job.h"
#include "tests/demo/scene_lines.h"
#include "tests/demo/scenes.h"

namespace trainwarden::demo {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kJob = "ablation-overnight";
constexpr std::string_view kKeep = "keep-until";
constexpr seconds kGrace{5};  // the policy's
// So long after the grace that a busy machine has looked at the job in between.
constexpr seconds kKept{12};

PastJob experiment(sys_seconds now) {
  return {.name = std::string(kJob),
          .instance_type = "ml.p4d.24xlarge",
          .instances = 1,
          .created = now - hours(9),
          .max_runtime = hours(72),
          .spot = false,
          .checkpoints = {},
          .tags = {{"model_name", "ablation"}, {"purpose", "experiment"}, {"username", "eva"}},
          .states = {{"Starting", now - hours(9)},
                     {"Downloading", now - hours(9) + minutes(5)},
                     {"Training", now - hours(9) + minutes(10)}}};
}

Result<void> sweep(Stage& stage) {
  CHECK_OK(stage.cloud().control("POST", "sweep"));
  return {};
}

// The number of messages that people got about it, once there are so many.
Result<MessageSeen> wait_for_messages(Stage& stage, std::size_t number) {
  return stage.wait_for<MessageSeen>(fmt::format("people get message {} about {}", number, kJob),
                                     [&]() -> Result<std::optional<MessageSeen>> {
                                       TRY(auto found, stage.messages(kJob));
                                       if (found.size() < number) return std::nullopt;
                                       return std::move(found[number - 1]);
                                     });
}

Result<MessageSeen> tell_announcement(Stage& stage, std::size_t number) {
  TRY(MessageSeen message, wait_for_messages(stage, number));
  if (message.outcome != "warned")
    return fail(ErrorCode::kInternal, fmt::format("{} was not announced", kJob));
  stage.timeline().tell(message.time, "trainwarden", message.subject);
  return message;
}

// Returns until when.
Result<sys_seconds> keep(Stage& stage) {
  TRY(const json::Document described, stage.describe(kJob));
  const auto now = std::chrono::floor<seconds>(system_clock().now());
  const sys_seconds end = now + kKept;
  const std::string until = rfc3339(end);
  CHECK_OK(aws::SageMaker(stage.client())
               .add_tags(text_at(described.root(), "TrainingJobArn"),
                         std::vector<aws::Tag>{{std::string(kKeep), until}}, Stage::context()));
  stage.timeline().tell(now, "eva", fmt::format("sets the tag {}={}", kKeep, until));
  return end;
}

}  // namespace

Result<void> announced_stop(Stage& stage) {
  stage.timeline().scene(
      "A stop that is announced",
      "An experiment trains for eight hours at most, unless its owner keeps it.");
  const auto now = std::chrono::floor<seconds>(system_clock().now());
  CHECK_OK(stage.place(kJob, describe_document(experiment(now))));
  CHECK_OK(tell_creation(stage, kJob));
  TRY(std::vector<Line> past, state_lines(stage, kJob, 1));
  stage.timeline().tell(std::move(past));

  CHECK_OK(sweep(stage));
  CHECK_OK(tell_announcement(stage, 1));
  CHECK_OK(quote_message(stage, kJob));
  TRY(const sys_seconds kept_until, keep(stage));
  std::this_thread::sleep_for(kGrace + seconds(1));
  CHECK_OK(sweep(stage));
  CHECK_OK(expect_status(stage, kJob, "InProgress"));
  stage.timeline().tell(std::chrono::floor<std::chrono::milliseconds>(system_clock().now()),
                        "trainwarden", fmt::format("looks at {} again, and lets it run", kJob));
  std::this_thread::sleep_until(kept_until + seconds(1));
  CHECK_OK(sweep(stage));
  CHECK_OK(tell_announcement(stage, 2));
  std::this_thread::sleep_for(kGrace + seconds(1));
  CHECK_OK(sweep(stage));
  CHECK_OK(stage.wait_for_status(kJob, "Stopped"));
  TRY(std::vector<Line> lines, state_lines(stage, kJob, 3));
  TRY(const MessageSeen last, wait_for_messages(stage, 3));
  lines.push_back({last.time, "trainwarden", last.subject});
  stage.timeline().tell(std::move(lines));
  return {};
}

}  // namespace trainwarden::demo
