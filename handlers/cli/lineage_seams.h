// The metrics of a job's own on both sides of a seam, where a copy goes on from its parent: the
// last values before it and the first after it, so that one sees whether the copy resumed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/cli/lineage_tree.h"
#include "handlers/rules/job/training_job.h"

namespace trainwarden::cli {

// What CloudWatch is to be asked about a job.
struct SeamSide {
  std::vector<std::string> metrics;  // by its MetricDefinitions
  std::optional<sys_seconds> begin;  // of its training, or its creation
  std::optional<sys_seconds> end;    // absent while it runs
};

using SeamSides = std::map<std::string, SeamSide, std::less<>>;  // by the job's name

SeamSide side_of(const rules::TrainingJob& job);

// Two calls of GetMetricData a seam, for a day before it and a day after it. unread: why there are
// no values, where they could not be asked for.
void add_seams(const actions::Apis& apis, const SeamSides& sides, LineageJobs& jobs,
               std::string& unread);

}  // namespace trainwarden::cli
