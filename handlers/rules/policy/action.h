// What a rule asks for: the actions of a policy with their options, validated whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/policy/reader.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

enum class ActionKind : std::uint8_t { kStop, kNotify, kRestart, kWatch, kTag };

// "stop", "notify", "restart", "watch", "tag"
std::string_view name(ActionKind action);

struct Restart {
  std::optional<bool> spot = {};                 // as the job had it, where absent
  std::vector<std::string> instance_types = {};  // to take in turn; empty: as the job had it
  std::int64_t limit = 3;                        // of generations
  std::int64_t min_progress_seconds = 600;

  bool operator==(const Restart&) const = default;
};

struct Action {
  ActionKind kind = ActionKind::kStop;
  Restart restart = {};
  std::vector<std::string> watches = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::string topic = {};  // of notify: an SNS topic's ARN; empty: the one of the environment

  bool operator==(const Action&) const = default;
};

// Whether it stops the job, for good or to run it again.
constexpr bool acts_on_job(ActionKind action) {
  return action == ActionKind::kStop || action == ActionKind::kRestart;
}

// Whether nothing is asked for but alarms.
bool only_watches(std::span<const Action> actions);

// A list with at least one action, none twice.
std::vector<Action> read_actions(json::Value list, std::span<const Watch> watches, Reader& reader);

}  // namespace trainwarden::rules
