// The sums of a backtest or a report, by rule, team, tag, week and failure. Pure. All of them add
// up the same split of what each job has cost, so that parts always make their whole.
//
// What a stop for good leaves of a job's cost depends on its verdict: after a right one it is kept,
// before a wrong one it is destroyed, after any other it is neither (`rule` is never called kept,
// and what a copy had cost that a restart makes, nobody knows). The rest of the cost counts by how
// the job ended. A job without a price adds to no sum, and is counted instead.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/backtest/replay_findings.h"
#include "handlers/rules/job/spending.h"

namespace trainwarden::rules {

// "rule", "wrong", "right", "unknown"
std::string_view name(StopVerdict verdict);
// "fixed_at_creation", "completed", "metric_came_back", …
std::string_view name(StopGround ground);

// All 0 for a job without a price.
Split split_of(const JobFinding& job);

struct StopSum {
  std::size_t stops = 0;
  std::size_t without_price = 0;
  double before_usd = 0;
  double after_usd = 0;
};

struct StopSums {
  std::array<StopSum, 4> verdict = {};  // stops for good, by StopVerdict
  StopSum restarts = {};                // stops to run the job again
  std::size_t wrong_restarts = 0;       // of these, the verdict kWrong

  const StopSum& of(StopVerdict one) const { return verdict[static_cast<std::size_t>(one)]; }
  std::size_t wrong() const { return of(StopVerdict::kWrong).stops + wrong_restarts; }
};

// Jobs that a rule asks to stop, for good or to run them again, whatever the limits.
struct StoppedJobs {
  std::size_t jobs = 0;
  std::size_t by_what_they_are = 0;  // the verdict kRule
  std::size_t restarts = 0;          // to run them again
  std::size_t held_back = 0;         // a limit would have kept each stop of theirs from being done
  std::size_t without_price = 0;
  double usd = 0;  // what they had cost, whole
};

struct RuleTotal : StopSums {
  std::size_t rule = 0;      // its index in the policy
  StopSums behind = {};      // JobFinding::behind; in no other sum
  std::size_t asked = 0;     // jobs that it is the first to ask to stop, whatever the limits
  std::size_t notified = 0;  // notify
  std::size_t notified_behind = 0;
  std::size_t tagged = 0;
  std::size_t other_actions = 0;  // copies after failures, alarms, pools
  std::size_t held_back = 0;
  std::size_t undecidable = 0;  // jobs
};

// Of a team, or of one value of a tag. name: empty for jobs without.
struct GroupTotal {
  std::string name;
  std::size_t stops = 0;  // restarts included
  Sum sum = {};
};

struct TagTotal {
  std::string key;
  std::vector<GroupTotal> values = {};  // the costliest first; jobs without the tag last
};

// Of the jobs that were created in the week, or on the day, whenever they ended.
struct SpanTotal {
  std::chrono::sys_days begin;  // of a week: its Monday
  Sum sum = {};
};

struct FailureTotal {
  std::optional<Verdict> verdict;  // nullopt: not told
  Sum sum = {};
};

struct Totals : StopSums {
  StoppedJobs stopped = {};
  Sum all = {};
  std::size_t held_back = 0;
  std::size_t undecidable = 0;         // jobs that a rule could not be decided on
  std::vector<RuleTotal> rules = {};   // as the policy has them
  std::vector<GroupTotal> teams = {};  // the costliest first; without a team last
  // By key, of the 20 keys that most jobs have; but not where values are as many as half of the
  // jobs.
  std::vector<TagTotal> tags = {};
  std::vector<SpanTotal> weeks = {};  // every one from the first to the last
  // All days of an export of less than three weeks, which would be a column or three of weeks.
  std::vector<SpanTotal> days = {};
  std::vector<FailureTotal> failures = {};  // the most frequent first
  // Indices of jobs: stops that a person should look at, wrong ones first, then unknown ones, each
  // the costliest first. Restarts are among them.
  std::vector<std::size_t> look_at = {};
  std::vector<std::size_t> costliest = {};  // those with a price

  double kept_usd() const { return all.of(Spending::kKept); }
  double destroyed_usd() const { return all.of(Spending::kDestroyed); }
  std::size_t stops() const;  // for good
  // Wrong stops and restarts, also those that rules behind another stop ask for.
  std::size_t wrong_with_behind() const;
};

Totals totals_of(const Findings& findings);

}  // namespace trainwarden::rules
