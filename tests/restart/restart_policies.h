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
   "actions": [{"restart": {"spot": false, "instance_types": ["ml.p5.48xlarge"]}}, "notify"],
   "message": "Spot takes its machines away."})";
inline constexpr const char* kResume = R"(
  {"name": "resume", "match": {"job": {"TrainingJobStatus": ["Failed", "Stopped", "Completed"]}},
   "actions": [{"restart": {"limit": 2}}, "notify"], "message": "It is run again."})";
inline constexpr const char* kMustStop = R"(
  {"name": "no-p4", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
   "actions": ["stop", "notify"], "message": "Nobody may use p4 machines."})";
inline constexpr const char* kNothing = R"(
  {"name": "nothing", "match": {"job": {"SecondaryStatus": ["Updating"]}}, "actions": ["stop"]})";

inline const localaws::AwsError kTagPolicy{400, "ValidationException", "a tag policy"};
inline const localaws::AwsError kQuota{400, "ResourceLimitExceeded",
                                       "The account-level service limit is 0 Instances"};

// The rules of one policy.
inline std::string both(const std::string& one, const std::string& other) {
  return one + "," + other;
}

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

inline void place_ended(History& history, const Failed& failed = {}) {
  history.place(failed.status, failed.secondary,
                fmt::format(R"(,"FailureReason":"{}","TrainingTimeInSeconds":7000,)"
                            R"("TrainingEndTime":{}{})",
                            failed.reason, epoch(history), failed.more));
}

inline std::string resumed(History& history, const Failed& failed = {}) {
  place_ended(history, failed);
  const auto record = history.deliver(failed.status, failed.secondary);
  return record ? result_of(*record) : "(died)";
}

// A job that spot interrupts, which kThrash stops to run it again.
inline std::string thrashed(History& history, const std::string& more = "") {
  history.place("InProgress", "Interrupted", more);
  const auto record = history.deliver("InProgress", "Interrupted");
  return record ? result_of(*record) : "(died)";
}

inline constexpr const char* kStoppingToCopy = "stopping, to be copied when it has ended";

}  // namespace trainwarden::testing
