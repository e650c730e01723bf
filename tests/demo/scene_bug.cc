// A job whose program has a bug: it would fail the same way again.
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

constexpr std::string_view kJob = "ranker-v2";
constexpr std::array<std::string_view, 4> kLog = {
    "epoch 3 done, evaluating",
    "Traceback (most recent call last):",
    "  File \"/opt/ml/code/evaluate.py\", line 88, in evaluate",
    "KeyError: 'ndcg@10'",
};

}  // namespace

Result<void> job_with_a_bug(Stage& stage) {
  stage.timeline().scene("A job with a bug",
                         "It fails by its own fault: to run it again would burn the money again.");
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const sys_seconds trained = now - hours(3);
  CHECK_OK(
      stage.place(kJob, describe_document({.name = std::string(kJob),
                                           .instance_type = "ml.p4d.24xlarge",
                                           .instances = 1,
                                           .created = trained - minutes(9),
                                           .checkpoints = "s3://example-bucket/checkpoints/ranker/",
                                           .tags = {{"model_name", "ranker"}, {"username", "ben"}},
                                           .states = {{"Starting", trained - minutes(9)},
                                                      {"Downloading", trained - minutes(5)},
                                                      {"Training", trained}}})));
  CHECK_OK(stage.put_log(kJob, kLog, now));
  CHECK_OK(
      stage.transition(kJob, "Failed", now, "AlgorithmError: ExecuteUserScriptError: ExitCode 1"));
  CHECK_OK(tell_creation(stage, kJob));
  TRY(const std::vector<Line> states, state_lines(stage, kJob, 2));
  stage.timeline().tell(states);
  TRY(const json::Document failed, stage.describe(kJob));
  stage.timeline().detail(text_at(failed.root(), "FailureReason"));
  CHECK_OK(stage.wait_for_message(kJob));
  TRY(std::vector<Line> lines, call_lines(stage, "state", kJob));
  stage.timeline().tell(std::move(lines));
  TRY(const json::Document tags, stage.tags(kJob));
  if (tags.root().find("trainwarden:child"))
    return fail(ErrorCode::kInternal, fmt::format("{} was copied", kJob));
  return quote_message(stage, kJob);
}

}  // namespace trainwarden::demo
