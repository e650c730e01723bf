#include "handlers/rules/state/job_look.h"

#include <array>
#include <cmath>
#include <string_view>

#include "handlers/rules/job/job_times.h"

namespace trainwarden::rules {
namespace {

using Status = JobLook::Status;

Status status_of(std::string_view text) {
  if (text == "Stopping") return Status::kStopping;
  if (text == "Completed") return Status::kCompleted;
  if (text == "Failed") return Status::kFailed;
  if (text == "Stopped") return Status::kStopped;
  return text == "Deleting" ? Status::kGone : Status::kRuns;
}

std::optional<sys_seconds> stopping_since(json::Value describe) {
  const auto transitions = describe.find_present("SecondaryStatusTransitions");
  if (!transitions) return std::nullopt;
  for (const json::Value transition : transitions->elements())
    if (string_of(transition, "Status") == "Stopping") return time_of(transition, "StartTime");
  return std::nullopt;
}

}  // namespace

JobLook job_look(json::Value describe) {
  JobLook out{.status = status_of(string_of(describe, "TrainingJobStatus").value_or("")),
              .stopping = stopping_since(describe)};
  if (out.has_ended()) out.ended = ended_at(describe);
  return out;
}

std::optional<sys_millis> creation_of(json::Value describe) {
  const auto seconds = number_of(describe, "CreationTime");
  constexpr double kLatest = 253'402'300'799.0;  // the year 9999
  if (!seconds || *seconds < 0 || *seconds > kLatest) return std::nullopt;
  return sys_millis(std::chrono::milliseconds(std::llround(*seconds * 1000)));
}

}  // namespace trainwarden::rules
