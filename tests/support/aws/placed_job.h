// A training job as a test puts it into the embedded AWS: one that can be copied, with a secret
// among its hyperparameters that nobody may see again.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::testing {

using Tags = std::vector<std::pair<std::string, std::string>>;

struct PlacedJob {
  std::string name = "job-1";
  std::string status = "InProgress";
  std::string secondary = "Training";
  std::string type = "ml.g5.12xlarge";
  int count = 1;
  std::chrono::seconds age{7200};    // since its creation
  std::chrono::seconds since{3600};  // since its present state began, or it ended
  Tags tags = {};
  // Further members of Describe's answer, each with a comma before it. A member of ours that is
  // named here is left out.
  std::string more = {};
};

std::string document(const PlacedJob& job, sys_millis now);

std::string arn_of(std::string_view job);

}  // namespace trainwarden::testing
