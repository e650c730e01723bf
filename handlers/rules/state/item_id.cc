#include "handlers/rules/state/item_id.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "runtime/base/digits.h"
#include "runtime/base/fnv1a.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kJob = "job/";
constexpr std::string_view kTuner = "tuner/";
constexpr std::string_view kAutoMl = "automl:";  // no name has a colon
constexpr std::string_view kQueue = "turn/";
constexpr std::string_view kCopy = "copy/";
constexpr std::string_view kRule = "rule/";
constexpr std::string_view kDigest = "digest/";
constexpr std::string_view kReport = "report/";

std::string hashed(std::string_view prefix, std::string_view text) {
  return fmt::format("{}{:016x}", prefix, fnv1a(text));
}

// The text after the prefix; nullopt where it begins otherwise.
std::optional<std::string_view> after(std::string_view prefix, std::string_view id) {
  if (!id.starts_with(prefix)) return std::nullopt;
  return id.substr(prefix.size());
}

TunerOfItem tuner_of_id(std::string_view rest) {
  rest = rest.substr(0, rest.rfind('/'));
  const auto auto_ml = after(kAutoMl, rest);
  return {auto_ml ? TunerKind::kAutoMlJob : TunerKind::kTuningJob,
          std::string(auto_ml.value_or(rest))};
}

}  // namespace

std::string job_item_id(std::string_view job_name, sys_millis created) {
  return fmt::format("{}{}/{}", kJob, job_name, created.time_since_epoch().count());
}

std::string tuner_item_id(const Tuner& tuner) {
  return fmt::format("{}{}{}/{}", kTuner, tuner.kind == TunerKind::kAutoMlJob ? kAutoMl : "",
                     tuner.name, tuner.created.time_since_epoch().count());
}

std::string queue_item_id(std::string_view job_name) {
  return fmt::format("{}{}", kQueue, job_name);
}

std::string copy_item_id(std::string_view copy_name) {
  return fmt::format("{}{}", kCopy, copy_name);
}

std::string rule_item_id(std::string_view rule_text) { return hashed(kRule, rule_text); }

std::string digest_item_id(std::string_view topic) { return hashed(kDigest, topic); }

std::string report_item_id(sys_seconds time) {
  constexpr std::size_t kDay = 10;  // of the time's characters
  return std::string(kReport) + rfc3339(time).substr(0, kDay);
}

std::optional<JobOfItem> job_of_item(std::string_view id) {
  const auto rest = after(kJob, id);
  const std::size_t slash = rest ? rest->rfind('/') : std::string_view::npos;
  if (slash == std::string_view::npos) return std::nullopt;
  const auto created = whole_number(rest->substr(slash + 1), 0);
  if (!created) return std::nullopt;
  return JobOfItem{std::string(rest->substr(0, slash)),
                   sys_millis(std::chrono::milliseconds(*created))};
}

DueItem due_item(std::string_view id) {
  if (auto job = job_of_item(id)) return *std::move(job);
  if (const auto rest = after(kTuner, id)) return tuner_of_id(*rest);
  if (const auto rest = after(kQueue, id)) return QueuedJob{std::string(*rest)};
  if (after(kDigest, id)) return DigestOfItem{};
  if (after(kReport, id)) return ReportOfItem{};
  return std::monostate();
}

}  // namespace trainwarden::rules
