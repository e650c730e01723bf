// What a restart changes of a job's settings besides its machines (policy.md A2, A3): how long the
// copy may run and wait, on how many instances, with which hyperparameters and environment. The
// limits are CreateTrainingJob's. Values of hyperparameters and of the environment may be secret:
// they go into the copy's request and into the table, and nothing prints them.
// Source: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// Key → what to set it to, nullopt to remove it.
using EntryChanges = std::map<std::string, std::optional<std::string>, std::less<>>;

struct CopySettings {
  std::optional<std::int64_t> max_runtime_seconds = {};
  std::optional<std::int64_t> max_wait_seconds = {};  // of a copy on spot; others have none
  std::optional<std::int64_t> instance_count = {};
  EntryChanges hyperparameters = {};
  EntryChanges environment = {};

  bool operator==(const CopySettings&) const = default;
};

inline constexpr std::size_t kMostEntries = 100;
// A job runs for 28 days at most, and may have waited as long before.
inline constexpr std::int64_t kMostRuntimeSeconds = 28LL * 24 * 60 * 60;
inline constexpr std::int64_t kMostWaitSeconds = 2 * kMostRuntimeSeconds;

// One of the two maps of a training job.
struct EntryForm {
  std::string_view name;    // as messages have it
  std::string_view member;  // of CreateTrainingJob
  std::size_t longest_key;  // in characters
  std::size_t longest_value;
  bool identifiers;  // keys are [a-zA-Z_][a-zA-Z0-9_]*
  bool line_breaks;  // values may have some
};
inline constexpr EntryForm kHyperParameters = {.name = "hyperparameters",
                                               .member = "HyperParameters",
                                               .longest_key = 256,
                                               .longest_value = 2500,
                                               .identifiers = false,
                                               .line_breaks = false};
inline constexpr EntryForm kEnvironment = {.name = "environment",
                                           .member = "Environment",
                                           .longest_key = 512,
                                           .longest_value = 512,
                                           .identifiers = true,
                                           .line_breaks = true};

bool is_entry_key(const EntryForm& form, std::string_view key);
bool is_entry_value(const EntryForm& form, std::string_view value);
// What a key or a value has to be, for people.
std::string expected_key(const EntryForm& form);
std::string expected_value(const EntryForm& form);

// How much room both maps take where a restart is remembered, in bytes of JSON, and how much there
// is.
std::size_t remembered_bytes(const CopySettings& settings);
inline constexpr std::size_t kMostRememberedBytes = std::size_t{16} * 1024;

}  // namespace trainwarden::rules
