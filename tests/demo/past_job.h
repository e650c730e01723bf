// A training job put into the past: what Describe says of it, and what its owner paid attention to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::demo {

struct PastJob {
  std::string name;
  std::string instance_type;
  int instances = 1;
  sys_seconds created;
  std::chrono::hours max_runtime{24};
  bool spot = false;
  std::string checkpoints;  // an S3 URI; empty: none
  std::vector<std::pair<std::string, std::string>> tags;
  // SecondaryStatus and since when, oldest first; the last is the one that it is in.
  std::vector<std::pair<std::string, sys_seconds>> states;
};

json::Document describe_document(const PastJob& job);

}  // namespace trainwarden::demo
