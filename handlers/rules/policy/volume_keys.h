// Warns of rules that demand a VolumeKmsKeyId of machines that take none (policy.md P2): those with
// local disks, which their hardware encrypts.
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ResourceConfig.html
#pragma once

#include <vector>

#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

std::vector<Remark> demanded_volume_keys(const Policy& policy);

}  // namespace trainwarden::rules
