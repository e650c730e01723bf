#include "handlers/rules/job/intent.h"

#include <fmt/format.h>

#include <algorithm>

#include "handlers/rules/job/instance_types.h"
#include "handlers/rules/job/lineage.h"
#include "runtime/base/digits.h"

namespace trainwarden::rules {
namespace {

constexpr std::size_t kLongestTag = 256;
constexpr std::string_view kVersion = "v1";

// What stands before the separator, which is taken off with it.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return out;
}

bool read_types(std::string_view text, std::vector<std::string>& out) {
  while (!text.empty()) out.emplace_back(take(text, '/'));
  return std::ranges::all_of(out, is_instance_type);
}

struct Parts {
  std::optional<std::int64_t> generation;
  std::optional<std::int64_t> at;
  Intent intent;
};

bool read_part(std::string_view part, Parts& out) {
  const std::string_view key = take(part, '=');
  if (key == "gen" && !out.generation) return (out.generation = whole_number(part, 1)).has_value();
  if (key == "at" && !out.at) return (out.at = whole_number(part, 1)).has_value();
  if (key == "spot" && !out.intent.spot && (part == "true" || part == "false")) {
    out.intent.spot = part == "true";
    return true;
  }
  return key == "types" && out.intent.instance_types.empty() &&
         read_types(part, out.intent.instance_types);
}

}  // namespace

std::optional<std::string> format_intent(const Intent& intent) {
  std::string text = fmt::format("{} gen={} at={}", kVersion, intent.generation,
                                 intent.at.time_since_epoch().count());
  if (intent.spot) text += *intent.spot ? " spot=true" : " spot=false";
  std::string_view before = " types=";
  for (const std::string& type : intent.instance_types) {
    text.append(before).append(type);
    before = "/";
  }
  // What does not read back the same would be void.
  if (text.size() > kLongestTag || parse_intent(text) != intent) return std::nullopt;
  return text;
}

std::optional<Intent> parse_intent(std::string_view text) {
  if (text.size() > kLongestTag || take(text, ' ') != kVersion) return std::nullopt;
  Parts parts;
  while (!text.empty())
    if (!read_part(take(text, ' '), parts)) return std::nullopt;
  // Beyond the year 9999 there is nothing to hold a time against.
  constexpr std::int64_t kLatest = 253'402'300'799;
  if (!parts.generation || !parts.at || *parts.at > kLatest) return std::nullopt;
  parts.intent.generation = *parts.generation;
  parts.intent.at = sys_seconds(std::chrono::seconds(*parts.at));
  return parts.intent;
}

std::string_view unfinished_intent(const JobTags& tags) {
  const std::string_view intent = tags.intent.value_or("");
  return intent == kVoidIntent || !child_of(tags).empty() ? std::string_view() : intent;
}

std::optional<Reason> why_void(std::string_view text, const TrainingJob& job, const JobTags& tags) {
  const auto intent = parse_intent(text);
  if (!intent) return Reason{.why = Why::kIntentUnreadable};
  const Lineage lineage = lineage_of(tags, job.name);
  if (!lineage.generation || *lineage.generation + 1 != intent->generation)
    return Reason{.why = Why::kIntentOfOtherGeneration, .number = intent->generation};
  // P4: a stop beats a restart, also one that came between the intent and the end.
  if (was_stopped_for_good(tags, job)) return Reason{.why = Why::kStoppedAfterIntent};
  const auto fits = [&](const Transition& transition) {
    return transition.status == SecondaryStatus::kStopping && transition.start &&
           *transition.start >= intent->at - kClocksApart &&
           *transition.start <= intent->at + kIntentHolds;
  };
  if (job.transitions && std::ranges::any_of(*job.transitions, fits)) return std::nullopt;
  return Reason{.why = Why::kNotStoppedByIntent, .number = kIntentHolds.count(), .at = intent->at};
}

}  // namespace trainwarden::rules
