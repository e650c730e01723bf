// A training job's machines as they are written for people, and their GPUs and vCPUs (F4), by the
// tables of AWS's model (aws_tables.h). A type that these lack has unknown GPUs and vCPUs, never
// none and never one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/job/training_job.h"

namespace trainwarden::rules {

// nullopt if they are not known.
std::optional<int> gpus_per_instance(std::string_view type);
std::optional<int> vcpus_per_instance(std::string_view type);
// The same; one of a type of which they are not known, for thresholds that the fewest GPUs keep
// low.
int gpus_or_one(std::string_view type);
// "gpu", "neuron" or "none". Of a type that the tables lack, its name tells the first two; nullopt
// if it does not.
std::optional<std::string_view> accelerator(std::string_view type);
// Of all machines of a job: "gpu" if one of them has any, else "neuron". nullopt if that is not
// known, and for a job without machines.
std::optional<std::string_view> accelerator_of(const TrainingJob& job);
// The types that have GPUs.
std::vector<std::string_view> gpu_types();
// Trainium and Inferentia, by its name.
bool is_neuron(std::string_view type);
// A rough cost of a machine of that type, for comparison with others: by its family and its size,
// which AWS's prices follow within a family. Right in order of magnitude; never shown to people.
double rough_usd_per_hour(std::string_view type);

// The sum of each(instances) over a job's machines. Of preferences of which none is selected yet,
// the largest: the worst that may come.
template <class Each>
double at_most(const TrainingJob& job, Each each) {
  double out = 0;
  for (const Instances& some : job.instances)
    out = job.one_of ? std::max(out, each(some)) : out + each(some);
  return out;
}

// "8 x ml.p4d.24xlarge, 1 x ml.m5.large", or "… or …" of preferences of which none is selected;
// empty for a job without machines of its own.
std::string instances_text(const TrainingJob& job);

}  // namespace trainwarden::rules
