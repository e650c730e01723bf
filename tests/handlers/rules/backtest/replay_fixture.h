// Replays of one job, by a policy.
#pragma once

#include "handlers/rules/backtest/replay.h"
#include "tests/handlers/rules/backtest/replay_support.h"

namespace trainwarden::rules::replay_fixture {

using replay_test_support::add_metric;
using replay_test_support::kept;
using replay_test_support::kHour;
using replay_test_support::kMonday;
using replay_test_support::MadeUp;
using std::chrono::minutes;
using std::chrono::seconds;

inline sys_seconds at(int seconds_) { return kMonday + seconds(seconds_); }

inline std::vector<JobFinding> replayed(const std::string& policy_text, std::vector<KeptJob> jobs,
                                        ReplayTerms terms = {}) {
  const Policy policy = test::policy(policy_text);
  terms.prices = {{"ml.g5.12xlarge", Price(10)}};
  terms.until = at(30 * 24 * kHour);
  Replay replay(&policy, std::move(terms));
  for (KeptJob& job : jobs) replay.add(std::move(job));
  return replay.finish();
}

inline JobFinding one(const std::string& policy_text, const MadeUp& job) {
  std::vector<KeptJob> jobs;
  jobs.push_back(kept(job));
  return replayed(policy_text, std::move(jobs)).front();
}

inline std::string rules(const std::string& list, const std::string& members = "") {
  return fmt::format(R"({{"version": 1, "mode": "observe", {} "rules": [{}]}})", members, list);
}

inline std::string stopping(const std::string& match) {
  return rules(fmt::format(R"({{"name": "r", "match": {}, "actions": ["stop"]}})", match));
}

}  // namespace trainwarden::rules::replay_fixture
