#include "handlers/actions/sweep/alarm_census.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "handlers/rules/alarms/alarm_definition.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/alarms/described_alarm.h"

namespace trainwarden::actions {
namespace {

// Of the last line.
std::string_view last_job(const AlarmCensus& census) {
  if (census.lines.empty()) return {};
  std::string_view line(census.lines.data(), census.lines.size() - 1);
  line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0
  return line.substr(0, line.find(' '));
}

void add_if_firing(const rules::DescribedAlarm& alarm, std::vector<AlarmCensus::Firing>& firing) {
  if (!alarm.name || !alarm.in_alarm) return;
  const rules::AlarmName& name = *alarm.name;
  auto* const last = firing.empty() ? nullptr : &firing.back();
  if (last == nullptr || last->job != name.job || last->alarm.watch != name.watch) {
    firing.push_back({name.job, {name.str(), name.watch, "ALARM", alarm.state_since}});
    return;
  }
  auto& since = last->alarm.since;
  if (alarm.state_since && (!since || *alarm.state_since < *since)) since = alarm.state_since;
}

void add(json::Value alarm, AlarmCensus& census) {
  const rules::DescribedAlarm described = rules::read_alarm(alarm);
  const auto& ours = described.name;
  if (!ours) return;
  ++census.seen;
  census.fingerprints.push_back(rules::alarm_fingerprint(alarm));
  // Alarms come in the order of their names: those of a job beside each other.
  const std::string prefix = rules::alarm_prefix(ours->job);
  if (last_job(census) != ours->job)
    census.lines += ours->job;
  else
    census.lines.pop_back();
  census.lines += fmt::format(" {}\n", described.text.substr(prefix.size()));
  add_if_firing(described, census.firing);
}

std::optional<Error> walk(std::optional<std::string> state, const Apis& apis,
                          const std::function<void(json::Value alarm)>& each) {
  const auto walked = apis.cloudwatch.describe_alarms(
      {"trainwarden/", std::move(state)},
      [&](json::Value alarm) -> Result<bool> {
        each(alarm);
        return true;
      },
      apis.context);
  return walked ? std::nullopt : std::optional(walked.error());
}

}  // namespace

bool AlarmCensus::has(std::uint64_t fingerprint) const {
  return std::ranges::binary_search(fingerprints, fingerprint);
}

bool AlarmCensus::covers(std::string_view job) const {
  // By the whole names: `a-b/` comes before `a/`.
  return !cut || rules::alarm_prefix(job) < rules::alarm_prefix(last_job(*this));
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
  census.cut = walk(std::nullopt, apis, [&](json::Value alarm) { add(alarm, census); });
  std::ranges::sort(census.fingerprints);
  return census;
}

std::optional<Error> add_firing(AlarmCensus& census, const Apis& apis) {
  std::vector<AlarmCensus::Firing> firing;
  const auto cut = walk(
      "ALARM", apis, [&](json::Value alarm) { add_if_firing(rules::read_alarm(alarm), firing); });
  if (!cut || firing.size() > census.firing.size()) census.firing = std::move(firing);
  return cut;
}

}  // namespace trainwarden::actions
