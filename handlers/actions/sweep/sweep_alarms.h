// The alarms that a sweep deletes and puts (policy.md S1). CloudWatch takes three calls a second
// that change alarms, so those of jobs that have ended are deleted by the hundred, and missing ones
// are put last, after stops and copies, at that pace; their jobs are looked at five together. What
// a sweep has listed is not asked for again.
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
  // All of them must last. done gets each job's record.
  SweepAlarms(const ActivePolicy& rules, const Apis& apis, const SweepLists& lists,
              SweepReport& report, std::function<void(Record)> done);
  SweepAlarms(const SweepAlarms&) = delete;
  SweepAlarms& operator=(const SweepAlarms&) = delete;
  ~SweepAlarms() { apis_.sweep_alarms = nullptr; }

  // The lists were taken: from now on actions ask them, and put no alarm.
  void begin();
  // Alarms of a job that Search does not count among the running: deleted if Describe agrees.
  void look_at_orphan(const AlarmCensus::AlarmsOfJob& alarms);
  // Counts what became of a job's alarms, and keeps in mind those that were not put yet.
  void note(Record& record, bool stopped);
  // Deletes what is left over, and puts what is missing as long as time is left.
  void finish(const std::function<std::chrono::milliseconds()>& left);

 private:
  struct LeftOver {
    Record record;
    std::vector<std::string> names;
  };

  // What was answered of a job whose alarms are put soon, and the call.
  struct Described {
    Result<json::Document> answer;
    std::vector<aws::CallMade> calls;
  };

  void delete_unasked();
  void delete_left_over();
  void tell_left_over(LeftOver& job, const Result<void>& deleted);
  void describe(std::span<const std::string> jobs);
  void put_alarms_of(const std::string& job);
  std::vector<rules::RuleVerdict> judge_watching(rules::Sources& sources, const JobRef& job,
                                                 Gathered& gathered) const;
  bool wait_for_slot();

  const ActivePolicy& rules_;
  const Apis& apis_;
  const SweepLists& lists_;
  SweepReport& report_;
  std::function<void(Record)> done_;
  std::set<std::string, std::less<>> in_alarm_;  // jobs
  std::set<std::string> ended_;                  // jobs whose alarms are deleted
  std::vector<LeftOver> left_over_;              // of jobs that have ended, not deleted yet
  std::size_t left_over_names_ = 0;
  std::vector<std::string> set_aside_;  // jobs that were looked at and lack alarms
  std::map<std::string, Described, std::less<>> described_;
  // While alarms are put: the time that is left for it.
  std::function<std::chrono::milliseconds()> left_;
  Deadline::Clock::time_point next_put_ = {};
  SweepAlarmView view_;
};

}  // namespace trainwarden::actions
