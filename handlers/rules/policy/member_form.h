// The members of a policy's objects as data: one row a member, by which the loader reads it and
// `trainwarden schema` prints it. The rows stand where the object is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace trainwarden::rules {

inline constexpr std::int64_t kMostFailures = 100;

struct MemberForm {
  enum class Kind : std::uint8_t {
    kText,  // of least to most bytes; choices are known, and others allowed
    kBoolean,
    kInteger,        // from least to most
    kChoice,         // one of choices
    kThreshold,      // a number; of all such members and kDrop exactly one is given
    kDrop,           // a number above 0 and below 1, in the place of a threshold
    kVersion,        // kPolicyVersion
    kTime,           // RFC 3339
    kStatistic,      // one of choices, or a percentile
    kTopic,          // the ARN of an SNS topic
    kPatterns,       // a pattern or a list of them
    kInstanceTypes,  // a list
    kRules,
    kActions,
    kLimits,
    kWatches,
    kPrices,
    kAmount,           // a number from 0 to most
    kShare,            // a number above 0, at most 1
    kNotices,          // how people are told
    kFailures,         // signatures, at most kMostFailures
    kHyperParameters,  // keys, and strings or null
    kEnvironment,      // the same
  };
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

  std::string_view name;
  Kind kind;
  bool required = false;
  std::int64_t least = 0;
  std::int64_t most = kUnbounded;
  std::int64_t multiple_of = 1;
  std::span<const std::string_view> choices = {};
  // Where it is missing: a number, 0 or 1, or which of the choices.
  std::optional<std::int64_t> fallback = {};
};

// What a constant expression cannot call: where it is reached, it does not compile.
inline void no_such_member() {}

// The row of that name and kind. Does not compile where there is none.
template <std::size_t N>
consteval const MemberForm& form(const std::array<MemberForm, N>& forms, std::string_view name,
                                 MemberForm::Kind kind) {
  for (const MemberForm& one : forms)
    if (one.name == name && one.kind == kind) return one;
  no_such_member();
  return forms.front();
}

// Its name; does not compile where the member is not required.
template <std::size_t N>
consteval std::string_view required(const std::array<MemberForm, N>& forms, std::string_view name) {
  for (const MemberForm& one : forms)
    if (one.name == name && one.required) return one.name;
  no_such_member();
  return {};
}

template <std::size_t N>
consteval std::array<std::string_view, N> names_of(const std::array<MemberForm, N>& forms) {
  std::array<std::string_view, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = forms[i].name;
  return out;
}

// The tables, each beside its reader: policy.cc, limits.cc, watch.cc, failures.cc, price_table.cc
// and action.cc.
std::span<const MemberForm> policy_members();
std::span<const MemberForm> limit_members();
std::span<const MemberForm> notice_members();
std::span<const MemberForm> failure_members();
std::span<const MemberForm> price_members();
std::span<const MemberForm> rule_members();
std::span<const MemberForm> watch_members();
std::span<const MemberForm> restart_members();
std::span<const MemberForm> notify_members();
std::span<const MemberForm> stop_members();

}  // namespace trainwarden::rules
