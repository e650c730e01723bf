// The metrics that a job itself reports, on both sides of a seam, where a copy goes on from its
// parent: the last values before the seam and the first after it. They show whether the copy
// resumed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "handlers/actions/context/job.h"
#include "handlers/cli/lineage/lineage_tree.h"
#include "handlers/rules/job/training_job.h"

namespace trainwarden::cli {

// What to ask CloudWatch about a job.
struct SeamSide {
  std::vector<std::string> metrics;  // from its MetricDefinitions
  std::optional<sys_seconds> begin;  // start of training, or creation
  std::optional<sys_seconds> end;    // absent while it runs
};

using SeamSides = std::map<std::string, SeamSide, std::less<>>;  // by the job's name

SeamSide side_of(const rules::TrainingJob& job);

// Calls GetMetricData twice for each seam, for a day before it and a day after it. unread: why
// there are no values, if the metrics could not be fetched.
void add_seams(const actions::Apis& apis, const SeamSides& sides, LineageJobs& jobs,
               std::string& unread);

}  // namespace trainwarden::cli
