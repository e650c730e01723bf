// All alarms of ours, as a sweep finds them (policy.md S1): a hundred a call, kept in about a
// hundred bytes a job.
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
  // An alarm in ALARM; of a watch with several alarms any of them.
  struct Firing {
    std::string job;
    rules::AlarmEvent alarm;
  };

  std::size_t seen = 0;
  std::vector<Firing> firing;               // once a job and watch
  std::vector<std::uint64_t> fingerprints;  // rules::alarm_fingerprint of each alarm, sorted
  std::vector<std::uint64_t> names;         // a hash of each alarm's name, sorted
  std::string prefix = std::string(rules::kAlarmPrefix);
  // Alarms that this stack made for watches that the policy does not have any more, by job.
  std::map<std::string, std::vector<std::string>> unasked = {};
  // Alarms under our prefix that look as if another stack had made them.
  std::size_t foreign = 0;
  std::string foreign_example = {};
  // Why the census is not whole.
  std::optional<Error> cut;

  bool has(std::uint64_t fingerprint) const;
  bool has_name(std::string_view alarm) const;
  // Whether all alarms of the job's are here, if it has any: CloudWatch lists them by name, and a
  // census that was cut ends with some job's.
  bool covers(std::string_view job) const;
  // The jobs that have alarms, each once, with the alarms' names. They last as long as the census.
  struct AlarmsOfJob {
    std::string_view job;
    std::string_view rest;  // of their names after `<prefix>/<job>/`, each after a space
    std::string_view prefix;

    std::vector<std::string> names() const;
  };
  void each_job(const std::function<void(const AlarmsOfJob& alarms)>& visit) const;

  std::string lines;  // one a job: its name and the rest of each alarm's; sorted
};

// Takes the census, a page a call (awsapi/page_walk.h). It must last as long as its pages.
class AlarmListing {
 public:
  AlarmListing(AlarmCensus& census, const rules::Policy& policy, const Config& config);

  aws::Pages all();
  void end_all(const Result<void>& walked);
  // For a census that was cut: all in ALARM, which CloudWatch lists by themselves.
  aws::Pages firing();
  void end_firing(const Result<void>& walked);

 private:
  // The alarms of a watch that the policy does not have: one that calls our topic tells of all.
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
