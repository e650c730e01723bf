// After 49 hours a GPU fails under a run. SageMaker only says that the program exited; the log says
// why, and the run goes on from its checkpoint.
#include <fmt/core.h>

#include <array>
#include <chrono>

#include "tests/demo/past_job.h"
#include "tests/demo/scene_lines.h"
#include "tests/demo/scenes.h"

namespace trainwarden::demo {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr std::string_view kJob = "vision-base";
constexpr std::string_view kDecidedOn = "Failed/Failed";  // its state
constexpr std::array<std::string_view, 4> kLog = {
    "step 181204 loss 1.8321",
    "NVRM: Xid (PCI:0000:a0:1c): 79, pid=1821, GPU has fallen off the bus.",
    "RuntimeError: CUDA error: unspecified launch failure",
    "ExecuteUserScriptError: exit code 1",
};

Result<void> play(const Stage& stage, sys_seconds now) {
  const sys_seconds trained = now - hours(49);
  CHECK_OK(stage.place(
      kJob, describe_document({.name = std::string(kJob),
                               .instance_type = "ml.p4d.24xlarge",
                               .instances = 2,
                               .created = trained - minutes(12),
                               .max_runtime = hours(120),
                               .checkpoints = "s3://example-bucket/checkpoints/vision-base/",
                               .tags = {{"model_name", "vision"}, {"username", "ben"}},
                               .states = {{"Starting", trained - minutes(12)},
                                          {"Downloading", trained - minutes(7)},
                                          {"Training", trained}}})));
  CHECK_OK(stage.put_log(kJob, kLog, now));
  return stage.transition(kJob, "Failed", now,
                          "AlgorithmError: ExecuteUserScriptError: ExitCode 1");
}

}  // namespace

Result<void> lost_machine(Stage& stage) {
  stage.timeline().scene("A lost machine", "A run of two days fails, and not by its own fault.");
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  CHECK_OK(play(stage, now));
  CHECK_OK(tell_creation(stage, kJob));
  TRY(const std::vector<Line> states, state_lines(stage, kJob, 2));
  stage.timeline().tell(states);
  TRY(const json::Document failed, stage.describe(kJob));
  stage.timeline().detail(text_at(failed.root(), "FailureReason"));
  CHECK_OK(wait_for_decision(stage, kJob, kDecidedOn));  // all its calls are made then
  TRY(std::vector<Line> calls, call_lines(stage, "state", kJob));
  std::erase_if(calls, [](const Line& line) { return line.operation != "FilterLogEvents"; });
  stage.timeline().tell(std::move(calls));
  CHECK_OK(tell_because(stage, kJob, kDecidedOn));
  TRY(const json::Document copy, tell_copy(stage, kJob));
  const double ran = number_at(failed.root(), "TrainingTimeInSeconds") / 3600;
  stage.timeline().say(fmt::format(
      "It ran {:.1f} hours, for {}. The copy goes on from its last checkpoint, and carries:", ran,
      dollars(ran * stage.usd_per_hour(failed.root()).value_or(0))));
  return quote_tags(stage, text_at(copy.root(), "TrainingJobName"));
}

}  // namespace trainwarden::demo
