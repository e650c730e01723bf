// The alarms that a sweep deletes and puts (policy.md S1). CloudWatch accepts three calls a second
// that change alarms. So alarms of ended jobs are deleted a hundred per call, and missing alarms
// are put last, after stops and copies, at that pace. Jobs that lack alarms are described five at a
// time. What the sweep has listed is not fetched again.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/actions/context/record.h"
#include "handlers/actions/fetch/gather.h"
#include "handlers/actions/sweep/sweep.h"
#include "handlers/actions/sweep/sweep_lists.h"

namespace trainwarden::actions {

class SweepAlarms {
 public:
  // All arguments must outlive this object. done gets each job's record.
  SweepAlarms(const ActivePolicy& rules, const Apis& apis, const SweepLists& lists,
              SweepReport& report, std::function<void(Record)> done);
  SweepAlarms(const SweepAlarms&) = delete;
  SweepAlarms& operator=(const SweepAlarms&) = delete;
  ~SweepAlarms() { apis_.sweep_alarms = nullptr; }

  // Call it when the lists have been taken. From then on actions consult them, and put no alarms
  // until finish().
  void begin();
  // Alarms of a job that Search does not list as running. They are deleted if Describe says that
  // the job has ended or is gone.
  void look_at_orphan(const AlarmCensus::AlarmsOfJob& alarms);
  // Counts the changes to a job's alarms, and remembers the job if it still lacks alarms.
  void note(Record& record, bool stopped);
  // Deletes the left-over alarms, and puts missing ones while time is left.
  void finish(const std::function<std::chrono::milliseconds()>& left);

 private:
  struct LeftOver {
    Record record;
    std::vector<std::string> names;
  };

  // Describe's answer about a job whose alarms are put next, and the call.
  struct Described {
    Result<json::Document> answer;
    std::vector<aws::CallMade> calls;
  };

  void delete_unasked();
  void delete_left_over();
  void report_left_over(LeftOver& job, const Result<void>& deleted);
  void describe(std::span<const std::string> jobs);
  void put_alarms_of(const std::string& job);
  std::vector<rules::RuleVerdict> judge_watching(rules::Sources& sources, const JobRef& job,
                                                 Gathered& gathered) const;
  bool wait_to_put();

  const ActivePolicy& rules_;
  const Apis& apis_;
  const SweepLists& lists_;
  SweepReport& report_;
  std::function<void(Record)> done_;
  std::set<std::string, std::less<>> in_alarm_;  // jobs
  std::set<std::string> ended_;                  // jobs whose alarms are deleted
  std::vector<LeftOver> left_over_;              // alarms to delete
  std::size_t left_over_names_ = 0;
  std::vector<std::string> set_aside_;  // jobs that were handled but lack alarms
  std::map<std::string, Described, std::less<>> described_;
  // The time left for putting alarms; empty until finish().
  std::function<std::chrono::milliseconds()> left_;
  Deadline::Clock::time_point next_put_ = {};
  SweepAlarmView view_;
};

}  // namespace trainwarden::actions
