// What a week's training jobs cost, by team (policy.md S2). Pure. A job counts to the week in which
// it ended, with all that was paid for it, so that no job counts to two weeks. Jobs that ran when
// the week ended are summed apart, with what they had cost so far.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/source.h"
#include "handlers/rules/job/prices.h"
#include "handlers/rules/job/spending.h"
#include "runtime/base/time.h"

namespace trainwarden::rules {

inline constexpr std::chrono::days kReportedTime{7};

// Jobs that ended within the week, and jobs that ran at its end.
struct WeekSum {
  Sum ended = {};
  Sum running = {};
  std::array<Sum, kSpendings> by_end = {};  // of those that ended
  double machine_hours = 0;                 // that were paid, of those that ended

  const Sum& of(Spending end) const { return by_end[static_cast<std::size_t>(end)]; }
  // Jobs that did not complete. What was paid for them is waste at most: one that was stopped may
  // have left a model, or a checkpoint.
  Sum wasted() const;
  bool is_empty() const { return ended.jobs + running.jobs == 0; }

  void add(const WeekSum& other);
};

struct TeamWeek {
  std::string team;
  WeekSum sum = {};
};

// A list of jobs that time cut.
struct ListCut {
  std::optional<sys_seconds> reached;  // the creation of the last job in it; nullopt: none is
};

struct WeekReport {
  sys_seconds from = {};
  sys_seconds until = {};
  std::string account = {};  // empty: not known
  std::string region = {};
  WeekSum all = {};
  std::vector<TeamWeek> teams = {};  // the costliest first
  WeekSum no_team = {};
  std::optional<ListCut> running_cut = {};
  std::optional<ListCut> ended_cut = {};

  // Jobs whose descriptions are larger than what is read: they are in no figure.
  std::vector<std::string> too_large = {};

  bool is_complete() const { return !running_cut && !ended_cut && too_large.empty(); }
};

// Sums jobs as Search tells of them.
class WeekTotals {
 public:
  // until: not part of the week any more. prices: they must last.
  WeekTotals(const Prices& prices, sys_seconds until) : prices_(prices) {
    report_.until = until;
    report_.from = until - kReportedTime;
  }

  sys_seconds from() const { return report_.from; }
  // A job may come twice, since two lists are taken one after the other: as one that runs, and then
  // as one that runs or has ended. It counts once.
  void add(const Sources& search);
  WeekReport take();

 private:
  struct RunningJob {
    std::string team;
    JobBill bill;
  };

  void add_ended(const TrainingJob& job, std::string_view team);
  // What the job had cost when the week ended, which it may have outlived by little.
  JobBill bill_at_end_of_week(const TrainingJob& job) const;
  WeekSum& of_team(std::string_view team);

  const Prices& prices_;
  WeekReport report_;
  std::map<std::string, WeekSum, std::less<>> teams_;
  std::map<std::uint64_t, RunningJob> running_;  // by the hash of the name
};

}  // namespace trainwarden::rules
