#include "handlers/rules/job/lineage.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestName = 63;
constexpr std::size_t kDigits = 8;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool begins_with_aws(std::string_view key) {
  constexpr std::string_view kPrefix = "aws:";
  return key.size() >= kPrefix.size() &&
         std::ranges::equal(key.substr(0, kPrefix.size()), kPrefix, {}, to_lower);
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// What copy_name() makes: `…-r<generation>-<8 digits>`.
bool is_named_as_copy(std::string_view name) {
  const std::size_t digits = name.rfind('-');
  if (digits == std::string_view::npos || name.size() - digits - 1 != kDigits) return false;
  const std::size_t generation = name.substr(0, digits).rfind("-r");
  return generation != std::string_view::npos &&
         whole_number(name.substr(generation + 2, digits - generation - 2), 0) &&
         std::ranges::all_of(name.substr(digits + 1), is_hex);
}

// Tags can be written by others: what cannot stand in a name is left out.
std::string in_name(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text)
    if (is_letter_or_digit(c) || (c == '-' && !out.empty())) out += c;
  if (out.size() > limit) out.resize(limit);
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "job" : out;
}

bool says_stopped(const JobTags& tags) { return tags.action == kStopAction || tags.stopped; }

std::optional<sys_seconds> stopped_at(const JobTags& tags) {
  const auto at = tags.stopped ? tags.stopped : tags.at;
  const auto time = at ? parse_rfc3339(*at) : Result<sys_seconds>(fail(ErrorCode::kNotFound, ""));
  return time ? std::optional(*time) : std::nullopt;
}

bool near(sys_seconds one, sys_seconds other) {
  return one - other <= kStopFollows && other - one <= kStopFollows;
}

}  // namespace

Lineage lineage_of(const JobTags& tags, std::string_view job_name) {
  Lineage out;
  out.parent = tags.parent.value_or("");
  out.root = tags.root.value_or("");
  out.child = child_of(tags);
  out.generation = whole_number(tags.generation.value_or("0"), 0);
  // A copy whose tags were taken from it, or are not visible yet, must not begin a line anew.
  if (!tags.generation && (!out.parent.empty() || is_named_as_copy(job_name)))
    out.generation.reset();
  if (out.root.empty()) out.root = job_name;
  return out;
}

std::string_view child_of(const JobTags& tags) {
  if (tags.child && !tags.child->empty()) return *tags.child;
  const std::string_view intent = tags.intent.value_or("");
  return intent.starts_with(kDoneIntent) ? intent.substr(kDoneIntent.size()) : std::string_view();
}

bool was_stopped_for_good(const JobTags& tags, const TrainingJob& job) {
  if (!says_stopped(tags)) return false;
  const auto at = stopped_at(tags);
  if (!at || !job.transitions || job.transitions->empty()) return true;
  bool stopping = false;
  for (const Transition& transition : *job.transitions) {
    if (transition.status != SecondaryStatus::kStopping) continue;
    stopping = true;
    if (!transition.start || near(*at, *transition.start)) return true;
  }
  return !stopping && job.secondary == SecondaryStatus::kStopped;
}

bool is_being_stopped_for_good(const JobTags& tags, sys_seconds now) {
  if (!says_stopped(tags)) return false;
  const auto at = stopped_at(tags);
  return !at || near(*at, now);
}

std::string copy_seed(std::string_view parent_arn, sys_seconds parent_created,
                      std::int64_t generation) {
  return fmt::format("{}\n{}\n{}", parent_arn, parent_created.time_since_epoch().count(),
                     generation);
}

std::string copy_name(std::string_view root, std::int64_t generation, std::string_view digest) {
  const std::string end = fmt::format("-r{}-{}", generation, digest.substr(0, kDigits));
  return in_name(root, kLongestName - end.size()) + end;
}

std::vector<std::pair<std::string, std::string>> copy_tags(json::Value tags, const Lineage& lineage,
                                                           std::string_view parent) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const json::Member tag : tags.members()) {
    if (!tag.value.is_string() || begins_with_aws(tag.name) || is_our_tag(tag.name)) continue;
    out.emplace_back(tag.name, tag.value.as_string());
  }
  out.emplace_back(kRootTag, lineage.root);
  out.emplace_back(kParentTag, parent);
  out.emplace_back(kGenerationTag, fmt::format("{}", lineage.generation.value_or(0) + 1));
  return out;
}

}  // namespace trainwarden::rules
