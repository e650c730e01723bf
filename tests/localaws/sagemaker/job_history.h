// The jobs as they were a while ago, which is what Search sees of them: its index lags behind.
// Nothing is kept where there is no lag.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/localaws/sagemaker/emulated_job.h"

namespace trainwarden::localaws {

class JobHistory {
 public:
  explicit JobHistory(std::chrono::milliseconds lag) : lag_(lag) {}

  bool lags() const { return lag_.count() > 0; }
  // The job is like this from now on; it is gone from now on.
  void changed(const Job& job, sys_millis now);
  void gone(const std::string& name, sys_millis now);
  // The jobs as they were at now - lag, by name. Forgets what came before.
  std::vector<const Job*> seen(sys_millis now);
  void clear() { versions_.clear(); }

 private:
  struct Version {
    sys_millis since;
    std::optional<Job> job;  // nullopt: no such job
  };
  std::chrono::milliseconds lag_;
  std::map<std::string, std::deque<Version>> versions_;  // oldest first
};

}  // namespace trainwarden::localaws
