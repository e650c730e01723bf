// The lineage of a job as a tree, from what the tags of the existing jobs say of each other. Makes
// no calls.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"

namespace trainwarden::cli {

struct SeamValue {
  sys_seconds time;
  double value;
};

// A metric that the job itself reports, at the point where a copy goes on from its parent. It shows
// whether the copy resumed.
struct SeamMetric {
  std::string name;
  std::optional<SeamValue> before;  // the parent's last
  std::optional<SeamValue> after;   // the copy's first
};

// A job that exists.
struct LineageJob {
  std::string root;    // the three as its tags name them: the job that the line began with, or
  std::string parent;  // itself; the job it copies, and its copy, or empty
  std::string child;
  std::string state;
  double hours = 0;                       // paid
  std::optional<double> usd;              // nullopt: it has no price
  bool usd_is_bound = false;              // usd is an upper bound
  std::optional<double> spot_saved = {};  // managed spot: saved share of the full price
  std::optional<sys_seconds> created;
  std::vector<SeamMetric> seam = {};  // at the seam with its parent
};

using LineageJobs = std::map<std::string, LineageJob, std::less<>>;  // by name

// Jobs that others name but that no longer exist are shown as gone. A job that was created after
// its copy is not the copy's parent: the parent is gone, and a later job of another lineage has its
// name. asked: one of the jobs; jobs of other lineages are left out.
std::string lineage_tree(LineageJobs jobs, std::string_view asked);

}  // namespace trainwarden::cli
