#include "handlers/rules/job/always_given.h"

#include <algorithm>
#include <array>

namespace trainwarden::rules {
namespace {

constexpr std::array<AlwaysGiven, 13> kAlwaysGiven = {{
    {"CreationTime"},
    {"EnableInterContainerTrafficEncryption", "[false]", "[true]"},
    {"EnableManagedSpotTraining", "[false]", "[true]"},
    {"EnableNetworkIsolation", "[false]", "[true]"},
    {"LastModifiedTime"},
    {"OutputDataConfig.CompressionType"},
    {"OutputDataConfig.KmsKeyId", R"([""])", R"([{"anything-but": ""}])"},
    {"RoleArn"},
    {"SecondaryStatus"},
    {"StoppingCondition.MaxRuntimeInSeconds"},
    {"TrainingJobArn"},
    {"TrainingJobName"},
    {"TrainingJobStatus"},
}};

}  // namespace

const AlwaysGiven* always_given(std::string_view path) {
  const auto found = std::ranges::find(kAlwaysGiven, path, &AlwaysGiven::path);
  return found == kAlwaysGiven.end() ? nullptr : &*found;
}

}  // namespace trainwarden::rules
