#include "tests/localaws/sagemaker/job_machine.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainwarden::localaws {
namespace {

struct Edge {
  std::string_view from;
  std::string_view to;
};

// Every transition is refused but these.
constexpr std::array kEdges = {
    Edge{"Starting", "Pending"},
    Edge{"Starting", "Downloading"},
    Edge{"Starting", "Training"},
    Edge{"Starting", "Stopping"},
    Edge{"Starting", "Failed"},
    Edge{"Starting", "MaxWaitTimeExceeded"},
    Edge{"Pending", "Starting"},
    Edge{"Pending", "Downloading"},
    Edge{"Pending", "Stopping"},
    Edge{"Pending", "Failed"},
    Edge{"Downloading", "Training"},
    Edge{"Downloading", "Interrupted"},
    Edge{"Downloading", "Stopping"},
    Edge{"Downloading", "Failed"},
    Edge{"Training", "Uploading"},
    Edge{"Training", "Interrupted"},
    Edge{"Training", "Updating"},
    Edge{"Training", "Restarting"},
    Edge{"Training", "Starting"},  // RetryStrategy
    Edge{"Training", "Stopping"},
    Edge{"Training", "Completed"},
    Edge{"Training", "Failed"},
    Edge{"Training", "MaxWaitTimeExceeded"},
    Edge{"Interrupted", "Starting"},
    Edge{"Interrupted", "Pending"},
    Edge{"Interrupted", "Stopping"},
    Edge{"Interrupted", "Failed"},
    Edge{"Interrupted", "MaxWaitTimeExceeded"},
    Edge{"Updating", "Training"},
    Edge{"Updating", "Stopping"},
    Edge{"Updating", "Failed"},
    Edge{"Restarting", "Starting"},
    Edge{"Restarting", "Training"},
    Edge{"Restarting", "Stopping"},
    Edge{"Restarting", "Failed"},
    Edge{"Uploading", "Completed"},
    Edge{"Uploading", "Stopping"},
    Edge{"Uploading", "MaxRuntimeExceeded"},
    Edge{"Uploading", "MaxWaitTimeExceeded"},
    Edge{"Uploading", "Failed"},
    Edge{"Stopping", "Uploading"},
    Edge{"Stopping", "Stopped"},
    Edge{"Stopping", "Failed"},
};

struct Meaning {
  std::string_view secondary;
  std::string_view status;
  std::string_view message;
};

constexpr std::array kMeanings = {
    Meaning{"Starting", "InProgress", "Starting the training job"},
    Meaning{"Pending", "InProgress", "Waiting for capacity"},
    Meaning{"Downloading", "InProgress", "Downloading the training image"},
    Meaning{"Training", "InProgress", "Training image download completed. Training in progress."},
    Meaning{"Interrupted", "InProgress", "Spot instances interrupted"},
    Meaning{"Updating", "InProgress", "Updating the training job"},
    Meaning{"Restarting", "InProgress", "Restarting the training job"},
    Meaning{"Uploading", "InProgress", "Uploading generated training model"},
    Meaning{"Stopping", "Stopping", "Stopping the training job"},
    Meaning{"Completed", "Completed", "Training job completed"},
    Meaning{"Failed", "Failed", "Training job failed"},
    Meaning{"Stopped", "Stopped", "Training job stopped"},
    Meaning{"MaxRuntimeExceeded", "Stopped", "Training job runtime exceeded MaxRuntimeInSeconds"},
    Meaning{"MaxWaitTimeExceeded", "Stopped",
            "Training job wait time exceeded MaxWaitTimeInSeconds"},
};

const Meaning* meaning_of(std::string_view secondary) {
  const auto* found = std::find_if(kMeanings.begin(), kMeanings.end(),
                                   [&](const Meaning& m) { return m.secondary == secondary; });
  return found == kMeanings.end() ? nullptr : found;
}

}  // namespace

bool ended(std::string_view status) {
  return status == "Completed" || status == "Failed" || status == "Stopped" || status == "Deleting";
}

std::string_view status_of(std::string_view secondary) {
  const Meaning* meaning = meaning_of(secondary);
  return meaning == nullptr ? "InProgress" : meaning->status;
}

bool transition_allowed(std::string_view from, std::string_view to) {
  return std::any_of(kEdges.begin(), kEdges.end(),
                     [&](const Edge& edge) { return edge.from == from && edge.to == to; });
}

JobMachine::JobMachine(sys_millis now, std::chrono::seconds max_runtime, JobTiming timing)
    : max_runtime_(max_runtime), timing_(timing), by_clock_(true) {
  state_.created = now;
  apply({.secondary = "Starting", .status = {}, .failure_reason = {}, .message = {}}, now);
}

JobMachine::JobMachine(JobState state, JobTiming timing)
    : state_(std::move(state)), max_runtime_(0), timing_(timing), by_clock_(false) {}

std::optional<JobMachine::Due> JobMachine::due() const {
  if (!by_clock_ && !stopped_) return std::nullopt;  // first: there may be thousands
  if (state_.transitions.empty() || ended(state_.status)) return std::nullopt;
  const sys_millis since = state_.transitions.back().start;
  const std::string& now_in = state_.secondary;
  if (stopped_ && now_in == "Stopping") return Due{since + timing_.stopping, "Stopped"};
  if (!by_clock_) return std::nullopt;
  if (now_in == "Starting") return Due{since + timing_.starting, "Downloading"};
  if (now_in == "Downloading") return Due{since + timing_.downloading, "Training"};
  if (now_in == "Training")
    return Due{std::max(since, state_.training_start.value_or(since) + max_runtime_), "Uploading"};
  if (now_in == "Uploading") return Due{since + timing_.uploading, "MaxRuntimeExceeded"};
  return std::nullopt;
}

std::optional<sys_millis> JobMachine::next_step() const {
  const auto next = due();
  return next ? std::optional(next->at) : std::nullopt;
}

bool JobMachine::step(sys_millis now) {
  const auto next = due();
  return next && next->at <= now && enter(next->secondary, next->at).has_value();
}

bool JobMachine::stop(sys_millis now) {
  if (state_.status != "InProgress") return false;
  stopped_ = true;
  apply({.secondary = "Stopping", .status = {}, .failure_reason = {}, .message = {}}, now);
  return true;
}

Result<void> JobMachine::enter(std::string_view secondary, sys_millis at) {
  if (!transition_allowed(state_.secondary, secondary))
    return fail(ErrorCode::kConflict,
                fmt::format("a training job goes not from {} to {}", state_.secondary, secondary));
  apply({.secondary = std::string(secondary), .status = {}, .failure_reason = {}, .message = {}},
        at);
  return {};
}

void JobMachine::force(Forced forced, sys_millis at) { apply(std::move(forced), at); }

void JobMachine::apply(Forced forced, sys_millis at) {
  const Meaning* meaning = meaning_of(forced.secondary);
  if (forced.status.empty()) forced.status = status_of(forced.secondary);
  if (forced.message.empty())
    forced.message = meaning == nullptr ? forced.secondary : std::string(meaning->message);
  if (!state_.transitions.empty() && !state_.transitions.back().end)
    state_.transitions.back().end = at;
  const bool over = ended(forced.status);
  state_.transitions.push_back({.status = forced.secondary,
                                .start = at,
                                .end = over ? std::optional(at) : std::nullopt,
                                .message = std::move(forced.message)});
  if (!state_.training_start &&
      (forced.secondary == "Downloading" || forced.secondary == "Training"))
    state_.training_start = at;
  if (over && !state_.training_end) state_.training_end = at;
  if (!forced.failure_reason.empty()) state_.failure_reason = std::move(forced.failure_reason);
  state_.status = std::move(forced.status);
  state_.secondary = std::move(forced.secondary);
  state_.last_modified = at;
}

}  // namespace trainwarden::localaws
