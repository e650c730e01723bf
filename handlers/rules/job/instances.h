// What is in the machines of a training job (F4). GPUs per instance are listed by AWS per
// type; a type of a GPU family that is not listed here counts as one GPU, so that thresholds per
// GPU stay low, and can be told by is_unlisted_gpu. Source:
// https://aws.amazon.com/sagemaker/ai/pricing/ and the EC2 pages of each family
// vCPUs follow from the size in the families that are listed here, and are not known of others.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace trainwarden::rules {

// 0 for a type without GPUs.
int gpus_per_instance(std::string_view type);
bool is_unlisted_gpu(std::string_view type);
// Those whose GPUs are listed.
std::vector<std::string_view> gpu_types();
// nullopt where they are not known.
std::optional<int> vcpus_per_instance(std::string_view type);
// Trainium and Inferentia.
bool is_neuron(std::string_view type);
// What a machine of that type may cost, to be held against others': by its family and by its size,
// which AWS's prices follow within a family. Of the right order, never an amount to tell anybody.
double rough_usd_per_hour(std::string_view type);

}  // namespace trainwarden::rules
