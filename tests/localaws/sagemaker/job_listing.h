// ListTrainingJobs: order, pages and filters. As AWS does it, a page is taken first and filtered
// afterwards, so that an empty page with a NextToken is normal.
#pragma once

#include <string>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

Answer<std::string> list_training_jobs(std::vector<const Job*> jobs, json::Value input);

// One page of a job's tags: 50 unless MaxResults (50–100) says more.
Answer<std::string> list_job_tags(const Job& job, json::Value input);

}  // namespace trainwarden::localaws
