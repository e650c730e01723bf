#include "handlers/rules/alarms/alarm_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "handlers/rules/policy/watch.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html:
// [a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}
bool is_job_name(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  return !name.empty() && name.size() <= kLongest && is_alphanumeric(name.front()) &&
         is_alphanumeric(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

}  // namespace

bool is_alarm_prefix(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest && is_alphanumeric(text.front()) &&
         std::ranges::all_of(
             text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::optional<AlarmName> AlarmName::parse(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with('/'))
    return std::nullopt;
  std::string_view rest = name.substr(prefix.size() + 1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  AlarmName parsed{
      .job = std::string(rest.substr(0, slash)), .watch = {}, .prefix = std::string(prefix)};
  rest.remove_prefix(slash + 1);
  const std::size_t second = rest.find('/');
  parsed.watch = rest.substr(0, second);
  if (!is_job_name(parsed.job) || !is_watch_name(parsed.watch)) return std::nullopt;
  if (second == std::string_view::npos) return parsed;
  const std::string_view part = rest.substr(second + 1);
  const char* const end = part.data() + part.size();
  const auto number = std::from_chars(part.data(), end, parsed.part);
  const bool counts = !part.empty() && part.front() >= '1' && part.front() <= '9';
  if (!counts || number.ec != std::errc() || number.ptr != end) return std::nullopt;
  return parsed;
}

std::string AlarmName::str() const {
  const std::string name = alarm_prefix(job, prefix) + watch;
  return part == 0 ? name : fmt::format("{}/{}", name, part);
}

std::string alarm_prefix(std::string_view job, std::string_view prefix) {
  return fmt::format("{}/{}/", prefix, job);
}

}  // namespace trainwarden::rules
