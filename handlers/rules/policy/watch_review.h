// What is odd or wrong about a watch whose members were read one by one: members that have no
// effect beside others, thresholds that no value reaches, periods that are over before their data
// arrive.
#pragma once

#include <array>
#include <string_view>

#include "handlers/rules/policy/reader.h"
#include "handlers/rules/policy/watch.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// In the order of Watch::Hosts.
inline constexpr std::array<std::string_view, 4> kHosts = {"every", "any", "first", "mean"};
inline constexpr std::array<std::string_view, 5> kInstanceMetrics = {
    "CPUUtilization", "MemoryUtilization", "DiskUtilization", "GPUUtilization",
    "GPUMemoryUtilization"};

// threshold: the member that has it.
void review_watch(json::Value definition, std::string_view threshold, Reader& reader,
                  const Watch& watch);

}  // namespace trainwarden::rules
