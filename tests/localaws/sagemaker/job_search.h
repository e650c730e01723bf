// Search over training jobs: filters by property, nested filters, and expressions of both; jobs
// come with their tags, but without what Search lacks. Unlike AWS it does not lag behind.
#pragma once

#include <string>
#include <vector>

#include "runtime/json/json.h"
#include "tests/localaws/sagemaker/emulated_job.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

// fixed_pages: a NextToken is refused with other MaxResults than it was given for.
Answer<std::string> search_training_jobs(const std::vector<const Job*>& jobs, json::Value input,
                                         bool fixed_pages = false);

}  // namespace trainwarden::localaws
