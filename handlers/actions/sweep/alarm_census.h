// All alarms of ours, as a sweep lists them (policy.md S1): a hundred per call, kept in about a
// hundred bytes per job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/rules/alarms/alarm_definition.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/alarms/described_alarm.h"

namespace trainwarden::actions {

struct AlarmCensus {
  // An alarm in ALARM; if several alarms of a watch are, it stands for all of them.
  struct Firing {
    std::string job;
    rules::AlarmEvent alarm;
  };

  std::size_t seen = 0;
  std::vector<Firing> firing;               // one for each job and watch
  std::vector<std::uint64_t> fingerprints;  // rules::alarm_fingerprint of each alarm, sorted
  std::vector<std::uint64_t> names;         // a hash of each alarm's name, sorted
  std::string prefix = std::string(rules::kAlarmPrefix);
  // Alarms that this stack made for watches that are no longer in the policy, by job.
  std::map<std::string, std::vector<std::string>> unasked = {};
  // Alarms under our prefix that another stack seems to have made.
  std::size_t foreign = 0;
  std::string foreign_example = {};
  // Why the census is incomplete.
  std::optional<Error> cut;

  bool has(std::uint64_t fingerprint) const;
  bool has_name(std::string_view alarm) const;
  // Whether the census has all alarms of the job, if there are any. CloudWatch lists alarms by
  // name, so an incomplete census may lack those of the last job in it and of jobs after it.
  bool covers(std::string_view job) const;
  // A job that has alarms, with their names. It points into the census.
  struct AlarmsOfJob {
    std::string_view job;
    std::string_view rest;  // of each name after `<prefix>/<job>/`, led by a space
    std::string_view prefix;

    std::vector<std::string> names() const;
  };
  void each_job(const std::function<void(const AlarmsOfJob& alarms)>& visit) const;

  std::string lines;  // one per job: its name and the rest of each alarm's name; sorted
};

// Takes the census, a page per call (awsapi/page_walk.h). It must outlive its pages.
class AlarmListing {
 public:
  AlarmListing(AlarmCensus& census, const rules::Policy& policy, const Config& config);

  aws::Pages all();
  void end_all(const Result<void>& walked);
  // For an incomplete census: all alarms in ALARM, which CloudWatch can list by themselves.
  aws::Pages firing();
  void end_firing(const Result<void>& walked);

 private:
  // The alarms of a watch that is not in the policy. If one of them calls our topic, all are ours.
  struct Unasked {
    bool calls_us = false;
    std::vector<std::string> names = {};
  };

  void add(json::Value alarm);
  void note_maker(const rules::DescribedAlarm& described, rules::Maker maker);

  AlarmCensus& census_;
  const rules::Policy& policy_;
  const Config& config_;
  std::map<std::pair<std::string, std::string>, Unasked> unasked_;
  std::vector<AlarmCensus::Firing> firing_;
};

}  // namespace trainwarden::actions
