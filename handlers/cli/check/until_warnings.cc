#include "handlers/cli/check/until_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/policy/remarks.h"
#include "handlers/rules/policy/until_bounds.h"

namespace trainwarden::cli {
namespace {

using rules::Condition;
using rules::Conjunction;
using rules::Group;
using rules::Part;
using rules::Test;

// A time further away than this is as good as forever: no job runs for a year.
constexpr double kFarSeconds = 366.0 * 86400;

enum class Far : std::uint8_t { kAhead, kPast };

// The tag in which a far time, ahead or past, can hold a rule off; null: none.
struct FarTag {
  const Condition* ahead = nullptr;
  const Condition* past = nullptr;

  const Condition* tag() const { return ahead != nullptr ? ahead : past; }
  std::string_view words() const {
    if (ahead != nullptr && past != nullptr) return "a time however far away";
    return ahead != nullptr ? "a time however far ahead" : "a time however long past";
  }
};

bool accepts_some(const Condition& condition, Far far) {
  const rules::Reach reach = rules::reach_of(condition);
  return far == Far::kAhead ? reach.latest > kFarSeconds : reach.earliest < -kFarSeconds;
}

// Whether the condition accepts all far times, except single instants that an anything-but
// excludes.
bool accepts_all(const Condition& condition, Far far) {
  const double end =
      far == Far::kAhead ? rules::reach_of(condition).latest : rules::reach_of(condition).earliest;
  return std::isinf(end) && std::ranges::any_of(condition.tests, [far](const Test& test) {
           if (test.kind == Test::Kind::kPresent || test.kind == Test::Kind::kAnythingBut)
             return true;
           if (test.kind != Test::Kind::kNumeric) return false;
           return far == Far::kAhead ? std::isinf(test.high) && test.low <= kFarSeconds
                                     : std::isinf(test.low) && test.high >= -kFarSeconds;
         });
}

// Whether the alternative stops holding by itself, because it puts an upper bound on something that
// only grows.
bool ends_by_itself(const Conjunction& one) {
  struct Leaf {
    Group group;
    std::string_view path;
  };
  static constexpr std::array<Leaf, 5> kGrowing = {{{Group::kTime, "date"},
                                                    {Group::kRuntime, "elapsed_seconds"},
                                                    {Group::kRuntime, "training_seconds"},
                                                    {Group::kSpot, "training_seconds"},
                                                    {Group::kCost, "spent_usd"}}};
  return std::ranges::any_of(kGrowing, [&one](const Leaf& leaf) {
    const Condition* const condition = one.find(leaf.group, leaf.path);
    return condition != nullptr && !std::isinf(rules::reach_of(*condition).latest);
  });
}

// The tag by which the exemption may hold forever; null if there is none. Every condition on a time
// must allow it.
const Condition* far_exemption(const Conjunction& unless, Far far) {
  const Condition* found = nullptr;
  if (ends_by_itself(unless)) return nullptr;
  for (const Part& part : unless.parts) {
    if (part.group != Group::kUntil) continue;
    for (const Condition& condition : part.conditions) {
      if (accepts_some(condition, far))
        found = &condition;
      else if (!condition.accepts_absence())
        return nullptr;
    }
  }
  return found;
}

// Whether `other` asks for nothing more than `than` does, leaving out the tag `key`.
bool asks_no_more(const Conjunction& other, const Conjunction& than, std::string_view key) {
  return std::ranges::all_of(other.parts, [&](const Part& part) {
    return std::ranges::all_of(part.conditions, [&](const Condition& condition) {
      if (part.group == Group::kUntil && condition.path == key) return true;
      const Condition* const same = than.find(part.group, condition.path);
      return same != nullptr && same->tests == condition.tests;
    });
  });
}

// Whether the rule, which holds by `match` without that tag, also holds with a far time in it.
bool holds_with_far(const rules::Rule& rule, const Conjunction& match, std::string_view key,
                    Far far) {
  return std::ranges::any_of(rule.match.any, [&](const Conjunction& other) {
    const Condition* const there = other.find(Group::kUntil, key);
    return asks_no_more(other, match, key) && (there == nullptr || accepts_all(*there, far));
  });
}

// The tag in which a far time keeps the alternative from holding, although it holds without the
// tag.
const Condition* far_escape(const rules::Rule& rule, const Conjunction& match, Far far) {
  for (const Part& part : match.parts) {
    if (part.group != Group::kUntil) continue;
    for (const Condition& condition : part.conditions)
      if (condition.accepts_absence() && !holds_with_far(rule, match, condition.path, far))
        return &condition;
  }
  return nullptr;
}

constexpr std::string_view kBounded = R"({"numeric": [">", 0, "<=", 604800]})";

void warn_once(const rules::Policy& policy, std::size_t index, std::string_view what,
               std::vector<rules::Remark>& out) {
  rules::Remark remark = rules::remark(policy, index, what);
  if (std::ranges::find(out, remark) == out.end()) out.push_back(std::move(remark));
}

// What is wrong with an exemption by a time in a tag.
std::optional<std::string> far_in(const Conjunction& unless) {
  const FarTag far{far_exemption(unless, Far::kAhead), far_exemption(unless, Far::kPast)};
  if (far.tag() == nullptr) return std::nullopt;
  return fmt::format(
      "{} in the tag `{}` exempts a job for as long as it runs, and whoever owns the job writes "
      "its tags: expected a bound on both sides, such as `{}`",
      far.words(), far.tag()->path, kBounded);
}

void review_until(const rules::Policy& policy, std::size_t index, std::vector<rules::Remark>& out) {
  const rules::Rule& rule = policy.rules()[index];
  for (const Conjunction& one : rule.unless.any)
    if (const auto far = far_in(one)) warn_once(policy, index, *far, out);
  for (const Conjunction& one : rule.match.any) {
    const FarTag far{far_escape(rule, one, Far::kAhead), far_escape(rule, one, Far::kPast)};
    if (far.tag() != nullptr)
      warn_once(policy, index,
                fmt::format("holds without the tag `{0}`, and {1} in it keeps the rule from "
                            "holding for as long as the job runs, though whoever owns the job "
                            "writes its tags: expected an `unless` with a bound instead, such as "
                            "`{{\"until\": {{\"{0}\": [{2}]}}}}`",
                            far.tag()->path, far.words(), kBounded),
                out);
  }
}

}  // namespace

std::vector<rules::Remark> until_warnings(const rules::Policy& policy) {
  std::vector<rules::Remark> out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i) {
    const bool only_notifies = std::ranges::all_of(
        policy.rules()[i].actions,
        [](const rules::Action& action) { return action.kind == rules::ActionKind::kNotify; });
    if (!only_notifies) review_until(policy, i, out);
  }
  for (const Conjunction& one : policy.unless().any)
    if (const auto far = far_in(one)) out.push_back({"unless", "/unless", *far});
  return out;
}

}  // namespace trainwarden::cli
