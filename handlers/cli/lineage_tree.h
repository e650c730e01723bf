// The line of a job and its copies as a tree, from what the tags of those jobs that exist say of
// each other. Asks nothing.
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

// A metric of the job's own where a copy goes on from its parent: whether it resumed.
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
  bool usd_is_bound = false;              // it cost at most that
  std::optional<double> spot_saved = {};  // of a managed spot job: the share of the full price
  std::optional<sys_seconds> created;
  std::vector<SeamMetric> seam = {};  // between its parent and it
};

using LineageJobs = std::map<std::string, LineageJob, std::less<>>;  // by name

// Jobs that others name but that no longer exist are shown as gone. A job that was created after
// its copy is not the copy's parent: the parent is gone, and a later job of another line has its
// name. asked: one of the jobs; other lines that `jobs` holds are left out.
std::string lineage_tree(LineageJobs jobs, std::string_view asked);

}  // namespace trainwarden::cli
