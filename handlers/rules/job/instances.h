// A training job's machines as they are written for people, and their GPUs and vCPUs (F4). AWS
// lists GPUs by instance type. An unlisted type of a GPU family counts as one GPU, so that
// thresholds per GPU stay low; is_unlisted_gpu recognises it. Source:
// https://aws.amazon.com/sagemaker/ai/pricing/ and the EC2 pages of each family. vCPUs follow from
// the size in the families listed here, and are unknown for others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/job/training_job.h"

namespace trainwarden::rules {

// 0 for a type without GPUs.
int gpus_per_instance(std::string_view type);
bool is_unlisted_gpu(std::string_view type);
// The types whose GPUs are listed.
std::vector<std::string_view> gpu_types();
// nullopt if they are not known.
std::optional<int> vcpus_per_instance(std::string_view type);
// Trainium and Inferentia.
bool is_neuron(std::string_view type);
// A rough cost of a machine of that type, for comparison with others: by its family and its size,
// which AWS's prices follow within a family. Right in order of magnitude; never shown to people.
double rough_usd_per_hour(std::string_view type);

// "8 x ml.p4d.24xlarge, 1 x ml.m5.large"; empty for a job without machines of its own.
std::string instances_text(const TrainingJob& job);

}  // namespace trainwarden::rules
