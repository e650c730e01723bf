// The machines of a training job and what is in them (F4). GPUs per instance are listed by AWS per
// type; a type of a GPU family that is not listed here counts as one GPU, so that thresholds per
// GPU stay low, and can be told by is_unlisted_gpu. Source:
// https://aws.amazon.com/sagemaker/ai/pricing/ and the EC2 pages of each family
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "handlers/rules/job/training_job.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// 0 for a type without GPUs.
int gpus_per_instance(std::string_view type);
bool is_unlisted_gpu(std::string_view type);
// Those whose GPUs are listed.
std::vector<std::string_view> gpu_types();
// Trainium and Inferentia.
bool is_neuron(std::string_view type);

// Of DescribeTrainingJob's answer: one for each instance group, else the one type there is; empty
// where the job has none of its own (serverless). Points into the document.
std::vector<Instances> instances_of(json::Value describe);

}  // namespace trainwarden::rules
