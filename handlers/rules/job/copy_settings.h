// What a restart changes of a job's settings besides its machines (policy.md A2, A3): how long the
// copy may run and wait, on how many instances, with which hyperparameters and environment. The
// limits are CreateTrainingJob's. Values of hyperparameters and of the environment may be secret:
// they go into the copy's request and into the table, and nothing prints them.
// Source: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainwarden::rules {

// Key → its new value; nullopt removes the key.
using EntryChanges = std::map<std::string, std::optional<std::string>, std::less<>>;

struct CopySettings {
  std::optional<std::int64_t> max_runtime_seconds = {};
  std::optional<std::int64_t> max_wait_seconds = {};  // of a spot copy; others have none
  std::optional<std::int64_t> instance_count = {};
  EntryChanges hyperparameters = {};
  EntryChanges environment = {};

  bool operator==(const CopySettings&) const = default;
};

inline constexpr std::size_t kMostEntries = 100;
// A job runs for at most 28 days, and may wait for as long before that.
inline constexpr std::int64_t kMostRuntimeSeconds = 28LL * 24 * 60 * 60;
inline constexpr std::int64_t kMostWaitSeconds = 2 * kMostRuntimeSeconds;

// One of the two maps of a training job.
struct EntryForm {
  std::string_view name;    // in messages
  std::string_view member;  // of CreateTrainingJob
  std::size_t longest_key;  // in characters
  std::size_t longest_value;
  bool identifiers;  // keys are [a-zA-Z_][a-zA-Z0-9_]*
  bool line_breaks;  // allowed in values
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
inline constexpr std::array<const EntryForm*, 2> kFreeMaps = {&kHyperParameters, &kEnvironment};

// Whether that member of a training job is one of the two maps: their values may be secret.
bool is_free_map(std::string_view member);
// Whether the path names a value of theirs: "HyperParameters.lr".
bool is_in_free_map(std::string_view path);

bool is_entry_key(const EntryForm& form, std::string_view key);
bool is_entry_value(const EntryForm& form, std::string_view value);
// The form that a key or a value must have, for people.
std::string expected_key(const EntryForm& form);
std::string expected_value(const EntryForm& form);

// The size of both maps in a restart's stored record, in bytes of JSON, and the limit.
std::size_t remembered_bytes(const CopySettings& settings);
inline constexpr std::size_t kMostRememberedBytes = std::size_t{16} * 1024;

}  // namespace trainwarden::rules
