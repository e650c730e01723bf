// Jobs whose descriptions are larger than the client takes: a list of Search's goes on without
// them.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "awsapi/sagemaker.h"

namespace trainwarden::actions {

// skipped: told the name of each.
inline aws::LargeJobs skip_large(std::function<void(std::string_view job)> skipped) {
  return {.next_names =
              [](const aws::ListPlace& place, std::string_view token) {
                return aws::SageMaker::list_training_jobs_call(place, token);
              },
          .skipped = std::move(skipped)};
}

}  // namespace trainwarden::actions
