// A job without the tag that the policy asks for, created as people create jobs.
#include <fmt/core.h>

#include "tests/demo/people.h"
#include "tests/demo/scene_lines.h"
#include "tests/demo/scenes.h"

namespace trainwarden::demo {
namespace {

const NewJob kGood{"ben", "digits-in-order", {{"username", "ben"}, {"model_name", "digits"}}};
const NewJob kBad{"ana", "digits-without-owner", {{"username", "ana"}}};

Result<void> create_both(Stage& stage) {
  const ClientKind kind = find_client();
  for (const NewJob* job : {&kGood, &kBad}) {
    CHECK_OK(create(kind, *job, stage.cloud().url(), stage.client()));
    CHECK_OK(tell_creation(stage, job->name));
    TRY(const json::Document tags, stage.tags(job->name));
    std::string tagged;
    for (const auto& [key, value] : tags.root().members())
      tagged += fmt::format(" {}={}", key, value.as_string());
    stage.timeline().detail(fmt::format("created with {}; tags:{}", name(kind), tagged));
  }
  return {};
}

// Its states until it trains as they come, the rest together with what the function did.
Result<void> watch_the_bad_one(Stage& stage) {
  constexpr std::size_t kTraining = 2;  // after Starting and Downloading
  CHECK_OK(stage.wait_for_status(kBad.name, "Training"));
  TRY(const std::vector<Line> begin, state_lines(stage, kBad.name, 1));
  stage.timeline().tell(begin);
  stage.timeline().detail(
      "tags arrive late on AWS: an absent one counts from 15 s on, so the function waits");
  CHECK_OK(stage.wait_for_status(kBad.name, "Stopped"));
  TRY(std::vector<Line> lines, state_lines(stage, kBad.name, kTraining + 1));
  TRY(std::vector<Line> calls, call_lines(stage, "state", kBad.name));
  std::erase_if(calls, [&](const Line& line) { return line.at < begin.back().at; });
  lines.insert(lines.begin(), calls.begin(), calls.end());
  stage.timeline().tell(std::move(lines));
  return {};
}

}  // namespace

Result<void> job_without_an_owner(Stage& stage) {
  stage.timeline().scene(
      "A job without an owner",
      "The policy: a training job needs the tag model_name, else it is stopped.");
  CHECK_OK(create_both(stage));
  CHECK_OK(watch_the_bad_one(stage));
  CHECK_OK(expect_status(stage, kGood.name, "InProgress"));
  stage.timeline().say(
      fmt::format("{} trains on. What {} finds on {}:", kGood.name, kBad.owner, kBad.name));
  CHECK_OK(quote_tags(stage, kBad.name));
  CHECK_OK(stage.wait_for_message(kBad.name));
  TRY(const json::Document tags, stage.tags(kBad.name));
  if (!tags.root().find("trainwarden:rule"))
    return fail(ErrorCode::kInternal, "the tag trainwarden:rule is missing");
  return {};
}

}  // namespace trainwarden::demo
