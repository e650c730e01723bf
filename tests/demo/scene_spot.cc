// A spot job that waits and restarts more than it trains.
#include <fmt/core.h>

#include <chrono>

#include "tests/demo/past_job.h"
#include "tests/demo/scene_lines.h"
#include "tests/demo/scenes.h"

namespace trainwarden::demo {
namespace {

using std::chrono::minutes;

constexpr std::string_view kJob = "speech-on-spot";

PastJob thrashing(sys_seconds now) {
  PastJob job{.name = std::string(kJob),
              .instance_type = "ml.p4d.24xlarge",
              .instances = 1,
              .created = now - minutes(250),
              .max_runtime = std::chrono::hours(48),
              .spot = true,
              .checkpoints = "s3://example-bucket/checkpoints/speech/",
              .tags = {{"model_name", "speech"}, {"username", "eva"}},
              .states = {}};
  // Twice it began, trained a little and was interrupted; it trains for the third time.
  for (const int ago : {250, 160, 70}) {
    job.states.emplace_back("Starting", now - minutes(ago));
    job.states.emplace_back("Downloading", now - minutes(ago - 20));
    job.states.emplace_back("Training", now - minutes(ago - 25));
    if (ago > 70) job.states.emplace_back("Interrupted", now - minutes(ago - 60));
  }
  return job;
}

}  // namespace

Result<void> thrashing_spot_job(Stage& stage) {
  stage.timeline().scene("A spot job that thrashes",
                         "It is interrupted again and again, and begins anew each time.");
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  CHECK_OK(stage.place(kJob, describe_document(thrashing(now))));
  CHECK_OK(tell_creation(stage, kJob));
  TRY(const json::Document running, stage.describe(kJob));
  const std::size_t so_far = running.root().find("SecondaryStatusTransitions")->size();
  TRY(std::vector<Line> past, state_lines(stage, kJob, 1));
  stage.timeline().tell(std::move(past));
  CHECK_OK(stage.transition(kJob, "Interrupted", now));
  CHECK_OK(stage.wait_for_status(kJob, "Stopped"));
  TRY(std::vector<Line> lines, state_lines(stage, kJob, so_far));
  TRY(const std::vector<Line> calls, call_lines(stage, "state", kJob));
  for (const Line& line : calls)
    if (changes_job(line)) lines.push_back(line);
  stage.timeline().tell(std::move(lines));
  TRY(const json::Document copy, tell_copy(stage, kJob));
  const auto spot = copy.root().find_present("EnableManagedSpotTraining");
  if (spot && spot->as_boolean()) return fail(ErrorCode::kInternal, "the copy is on spot again");
  return quote_message(stage, kJob);
}

}  // namespace trainwarden::demo
