// Policies, and jobs that meet them, that the cases of restarts and copies have in common.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/restart/history.h"

namespace trainwarden::testing {

inline constexpr const char* kThrash = R"(
  {"name": "thrash", "match": {"job": {"SecondaryStatus": ["Interrupted"]}},
   "actions": [{"restart": {"spot": false, "instance_types": ["ml.p5.48xlarge"]}}]})";
inline constexpr const char* kResume = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed", "Stopped", "Completed"]}},
   "actions": [{"restart": {"limit": 2}}]})";
inline constexpr const char* kNothing = R"(
  {"name": "nothing", "match": {"job": {"SecondaryStatus": ["Updating"]}}, "actions": ["stop"]})";

inline const localaws::AwsError kTagPolicy{400, "ValidationException", "a tag policy"};

inline long epoch(History& history) {
  return static_cast<long>(history.clock().now().time_since_epoch().count() / 1000);
}

// A job that failed, as the resume rule meets it.
struct Failed {
  std::string reason = "InternalServerError: We encountered an internal error.";
  std::string more = {};
  std::string status = "Failed";
  std::string secondary = "Failed";
};

inline std::string resumed(History& history, const Failed& failed) {
  history.place(failed.status, failed.secondary,
                fmt::format(R"(,"FailureReason":"{}","TrainingTimeInSeconds":7000,)"
                            R"("TrainingEndTime":{}{})",
                            failed.reason, epoch(history), failed.more));
  const auto record = history.deliver(failed.status, failed.secondary);
  return record ? result_of(*record) : "(died)";
}

inline std::string honoured(History& history, const std::string& intent, long stopping_after,
                            const char* status = "Stopped", const char* more_tags = "") {
  const long at = epoch(history);
  history.place("InProgress", "Training",
                fmt::format(R"(,"Tags":{{"trainwarden:intent":"{}"{}}})",
                            fmt::vformat(intent, fmt::make_format_args(at)), more_tags));
  history.aws().pass(std::chrono::seconds(stopping_after));
  history.transition("Stopping");
  history.aws().pass(std::chrono::seconds(60));
  history.transition(status);
  const auto record = history.deliver(status, status);
  return record ? intent_of(*record) : "(died)";
}

// As many tags of its own, and the action kThrash.
inline std::string own_tags(int count) {
  std::string tags;
  for (int i = 0; i < count; ++i) tags += fmt::format(R"({}"key{}":"v")", i > 0 ? "," : "", i);
  return R"(,"Tags":{)" + tags + "}";
}

}  // namespace trainwarden::testing
