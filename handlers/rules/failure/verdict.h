// What a diagnosis can say: of what a job failed, and whether running it again can help.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainwarden::rules {

enum class FailureLabel : std::uint8_t {
  kService,
  kCapacity,
  kHardware,
  kNetwork,
  kOomGpu,
  kOomHost,
  kDisk,
  kData,
  kPermission,
  kQuota,
  kConfig,
  kUserCode,
  kTimeout,
  kInterrupted,
  kUnknown,
};
// As policies and records have them, in the order of the enum.
inline constexpr auto kFailureLabels = std::to_array<std::string_view>(
    {"service", "capacity", "hardware", "network", "oom_gpu", "oom_host", "disk", "data",
     "permission", "quota", "config", "user_code", "timeout", "interrupted", "unknown"});
constexpr std::string_view name(FailureLabel label) {
  return kFailureLabels[static_cast<std::size_t>(label)];
}

// The member `resume`: whether to run the job again from its checkpoint.
enum class RunAgain : std::uint8_t { kYes, kOnce, kNo };
inline constexpr auto kResumeVerdicts = std::to_array<std::string_view>({"yes", "once", "no"});
constexpr std::string_view name(RunAgain again) {
  return kResumeVerdicts[static_cast<std::size_t>(again)];
}

struct Verdict {
  FailureLabel label = FailureLabel::kUnknown;
  RunAgain resume = RunAgain::kOnce;
};

// nullopt where there is no such label or verdict.
constexpr std::optional<Verdict> verdict_named(std::string_view label, std::string_view resume) {
  for (std::size_t i = 0; i < kFailureLabels.size(); ++i)
    for (std::size_t j = 0; j < kResumeVerdicts.size(); ++j)
      if (kFailureLabels[i] == label && kResumeVerdicts[j] == resume)
        return Verdict{static_cast<FailureLabel>(i), static_cast<RunAgain>(j)};
  return std::nullopt;
}

// Does not compile where there is no such label or verdict.
consteval FailureLabel label_named(std::string_view text) {
  std::size_t i = 0;
  while (kFailureLabels.at(i) != text) ++i;
  return static_cast<FailureLabel>(i);
}
consteval Verdict verdict_of(std::string_view label, std::string_view resume) {
  std::size_t i = 0;
  while (kResumeVerdicts.at(i) != resume) ++i;
  return {label_named(label), static_cast<RunAgain>(i)};
}

}  // namespace trainwarden::rules
