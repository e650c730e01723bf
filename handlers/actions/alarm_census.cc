#include "handlers/actions/alarm_census.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "handlers/rules/alarm_definition.h"
#include "handlers/rules/alarm_name.h"
#include "handlers/rules/job_times.h"

namespace trainwarden::actions {
namespace {

// Of the last line.
std::string_view last_job(const AlarmCensus& census) {
  if (census.lines.empty()) return {};
  std::string_view line(census.lines.data(), census.lines.size() - 1);
  line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0
  return line.substr(0, line.find(' '));
}

void add(json::Value alarm, AlarmCensus& census) {
  const auto name = rules::string_of(alarm, "AlarmName");
  const auto ours = name ? rules::AlarmName::parse(*name) : std::nullopt;
  if (!ours) return;
  ++census.seen;
  census.fingerprints.push_back(rules::alarm_fingerprint(alarm));
  // Alarms come in the order of their names: those of a job beside each other.
  const std::string prefix = rules::alarm_prefix(ours->job);
  if (last_job(census) != ours->job)
    census.lines += ours->job;
  else
    census.lines.pop_back();
  census.lines += fmt::format(" {}\n", std::string_view(*name).substr(prefix.size()));
  const auto state = rules::string_of(alarm, "StateValue");
  if (state != "ALARM") return;
  const auto* const last = census.firing.empty() ? nullptr : &census.firing.back();
  if (last == nullptr || last->job != ours->job || last->alarm.watch != ours->watch)
    census.firing.push_back({ours->job, {std::string(*name), ours->watch, "ALARM"}});
}

}  // namespace

bool AlarmCensus::has(std::uint64_t fingerprint) const {
  return std::ranges::binary_search(fingerprints, fingerprint);
}

std::vector<std::string> AlarmCensus::AlarmsOfJob::names() const {
  std::vector<std::string> names;
  for (std::string_view left = rest; !left.empty();) {
    left.remove_prefix(1);
    const std::string_view one = left.substr(0, left.find(' '));
    names.push_back(rules::alarm_prefix(job).append(one));
    left.remove_prefix(one.size());
  }
  return names;
}

void AlarmCensus::each_job(const std::function<void(const AlarmsOfJob& alarms)>& visit) const {
  for (std::string_view left = lines; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    const std::string_view job = line.substr(0, line.find(' '));
    visit({job, line.substr(job.size())});
    left.remove_prefix(line.size() + 1);
  }
}

AlarmCensus our_alarms(const Apis& apis) {
  AlarmCensus census;
  const auto walked = apis.cloudwatch.describe_alarms(
      {"trainwarden/", std::nullopt},
      [&](json::Value alarm) -> Result<bool> {
        add(alarm, census);
        return true;
      },
      apis.context);
  if (!walked) census.cut = walked.error();
  std::ranges::sort(census.fingerprints);
  return census;
}

}  // namespace trainwarden::actions
