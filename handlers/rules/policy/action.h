// The actions that rules request, with their options, fully validated.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/job/copy_settings.h"
#include "handlers/rules/policy/reader.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

enum class ActionKind : std::uint8_t { kStop, kNotify, kRestart, kWatch, kTag, kRelease };

// What stands under an action's name: {name: options}.
enum class Options : std::uint8_t {
  kNone,     // the action has none
  kNotify,   // notify_members()
  kRestart,  // restart_members()
  kWatches,  // names of watches
  kTags,     // keys and values
  kStop,     // stop_members()
};

struct ActionForm {
  std::string_view name;
  Options options;
  std::string_view expected = {};  // what to write if options are required; otherwise empty
};

// In the order of ActionKind. The loader reads by this table, and `trainwarden schema` prints it.
std::span<const ActionForm> action_forms();

// Tags that a policy may write; characters, not bytes. A key must not begin with a reserved prefix,
// in any case.
inline constexpr std::size_t kLongestTagKey = 128;
inline constexpr std::size_t kLongestTagValue = 256;
inline constexpr std::array<std::string_view, 2> kReservedTagPrefixes = {"aws:", "trainwarden:"};

// "stop", "notify", "restart", "watch", "tag", "release"
std::string_view name(ActionKind action);

// The default limit of a restart.
inline constexpr std::int64_t kRestartLimit = 3;
inline constexpr std::int64_t kMinProgressSeconds = 600;

struct Restart {
  std::optional<bool> spot = {};                 // absent: as the job had it
  std::vector<std::string> instance_types = {};  // to take in turn; empty: as the job had it
  std::int64_t limit = kRestartLimit;            // of generations
  std::int64_t min_progress_seconds = kMinProgressSeconds;
  CopySettings settings = {};

  bool operator==(const Restart&) const = default;
};

struct Stop {
  // Stops the tuning or AutoML job that launched the job, with all that it runs.
  bool tuning_job = false;
  // From the announcement to the stop; 0: the job is stopped at once.
  std::chrono::seconds grace{0};

  bool operator==(const Stop&) const = default;
};

struct Action {
  ActionKind kind = ActionKind::kStop;
  Restart restart = {};
  std::vector<std::string> watches = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::string topic = {};  // of notify: an SNS topic's ARN; empty: the environment's topic
  Stop stop = {};

  bool operator==(const Action&) const = default;
};

// Whether it stops the job, for good or to run it again.
constexpr bool acts_on_job(ActionKind action) {
  return action == ActionKind::kStop || action == ActionKind::kRestart;
}

// Whether it may stop the job's tuner, with all of its other jobs.
constexpr bool stops_tuner(const Action& action) {
  return action.kind == ActionKind::kStop && action.stop.tuning_job;
}

// Whether people hear of the stop before it is done.
constexpr bool is_announced(const Action& action) {
  return action.kind == ActionKind::kStop && action.stop.grace.count() > 0;
}

// Whether the action itself can end the match: its result is then reported without rechecking the
// rule.
constexpr bool ends_match(ActionKind action) {
  return acts_on_job(action) || action == ActionKind::kRelease;
}

// Whether the only action is to put alarms.
bool only_watches(std::span<const Action> actions);

// A list with at least one action, none twice.
std::vector<Action> read_actions(json::Value list, std::span<const Watch> watches, Reader& reader);

}  // namespace trainwarden::rules
