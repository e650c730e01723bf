// All alarms of ours, as a sweep finds them (policy.md S1): a hundred a call, kept in about a
// hundred bytes a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/job.h"

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
  // Why the census is not whole.
  std::optional<Error> cut;

  bool has(std::uint64_t fingerprint) const;
  // The jobs that have alarms, each once.
  void each_job(const std::function<void(std::string_view job)>& visit) const;

  std::string jobs;  // their names, each followed by a line feed; sorted
};

AlarmCensus our_alarms(const Apis& apis);

}  // namespace trainwarden::actions
