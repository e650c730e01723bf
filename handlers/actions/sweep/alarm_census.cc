#include "handlers/actions/sweep/alarm_census.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace trainwarden::actions {
namespace {

// The job that the census's last line is about; empty if there is none.
std::string_view last_job(const AlarmCensus& census) {
  if (census.lines.empty()) return {};
  std::string_view line(census.lines.data(), census.lines.size() - 1);
  line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0
  return line.substr(0, line.find(' '));
}

std::uint64_t alarm_hash(std::string_view name) { return std::hash<std::string_view>()(name); }

void add_if_firing(const rules::DescribedAlarm& alarm, std::vector<AlarmCensus::Firing>& firing) {
  if (!alarm.name || !alarm.in_alarm) return;
  const rules::AlarmName& name = *alarm.name;
  auto* const last = firing.empty() ? nullptr : &firing.back();
  if (last == nullptr || last->job != name.job || last->alarm.watch != name.watch) {
    firing.push_back(
        {name.job, {name.str(), name.watch, std::string(rules::kInAlarm), alarm.state_since}});
    return;
  }
  auto& since = last->alarm.since;
  if (alarm.state_since && (!since || *alarm.state_since < *since)) since = alarm.state_since;
}

}  // namespace

bool AlarmCensus::has(std::uint64_t fingerprint) const {
  return std::ranges::binary_search(fingerprints, fingerprint);
}

bool AlarmCensus::has_name(std::string_view alarm) const {
  return std::ranges::binary_search(names, alarm_hash(alarm));
}

bool AlarmCensus::covers(std::string_view job) const {
  // Compares whole prefixes, since `a-b/` sorts before `a/`.
  return !cut || rules::alarm_prefix(job) < rules::alarm_prefix(last_job(*this));
}

std::vector<std::string> AlarmCensus::AlarmsOfJob::names() const {
  std::vector<std::string> names;
  for (std::string_view left = rest; !left.empty();) {
    left.remove_prefix(1);
    const std::string_view one = left.substr(0, left.find(' '));
    names.push_back(rules::alarm_prefix(job, prefix).append(one));
    left.remove_prefix(one.size());
  }
  return names;
}

void AlarmCensus::each_job(const std::function<void(const AlarmsOfJob& alarms)>& visit) const {
  for (std::string_view left = lines; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    const std::string_view job = line.substr(0, line.find(' '));
    visit({job, line.substr(job.size()), prefix});
    left.remove_prefix(line.size() + 1);
  }
}

AlarmListing::AlarmListing(AlarmCensus& census, const rules::Policy& policy, const Config& config)
    : census_(census), policy_(policy), config_(config) {
  census_.prefix = config.alarm_prefix;
}

aws::Pages AlarmListing::all() {
  return aws::CloudWatch::alarm_pages({census_.prefix + "/", std::nullopt},
                                      [this](json::Value alarm) -> Result<bool> {
                                        add(alarm);
                                        return true;
                                      });
}

void AlarmListing::end_all(const Result<void>& walked) {
  if (!walked) census_.cut = walked.error();
  std::ranges::sort(census_.fingerprints);
  std::ranges::sort(census_.names);
  for (auto& [whose, found] : unasked_)
    if (found.calls_us)
      std::ranges::move(found.names, std::back_inserter(census_.unasked[whose.first]));
}

aws::Pages AlarmListing::firing() {
  return aws::CloudWatch::alarm_pages({census_.prefix + "/", std::string(rules::kInAlarm)},
                                      [this](json::Value alarm) -> Result<bool> {
                                        add_if_firing(rules::read_alarm(alarm, census_.prefix),
                                                      firing_);
                                        return true;
                                      });
}

void AlarmListing::end_firing(const Result<void>& walked) {
  if (walked || firing_.size() > census_.firing.size()) census_.firing = std::move(firing_);
}

void AlarmListing::add(json::Value alarm) {
  const rules::DescribedAlarm described = rules::read_alarm(alarm, config_.alarm_prefix);
  const auto& ours = described.name;
  if (!ours) return;
  ++census_.seen;
  const rules::Watch* const watch = policy_.find_watch(ours->watch);
  const bool relative = watch != nullptr && watch->drop_to;
  census_.fingerprints.push_back(rules::alarm_fingerprint(
      alarm, relative ? rules::Compared::kAllButThreshold : rules::Compared::kAll));
  census_.names.push_back(alarm_hash(described.text));
  // CloudWatch lists alarms by name, so the alarms of one job are adjacent.
  const std::string prefix = rules::alarm_prefix(ours->job, config_.alarm_prefix);
  if (last_job(census_) != ours->job)
    census_.lines += ours->job;
  else
    census_.lines.pop_back();
  census_.lines += fmt::format(" {}\n", described.text.substr(prefix.size()));
  add_if_firing(described, census_.firing);
  note_maker(described, rules::maker_of(alarm, config_.alarm_topic));
}

void AlarmListing::note_maker(const rules::DescribedAlarm& described, rules::Maker maker) {
  if (maker == rules::Maker::kAnotherStack) {
    if (++census_.foreign == 1) census_.foreign_example = described.text;
    return;
  }
  const rules::AlarmName& name = *described.name;
  if (maker == rules::Maker::kSomebody || policy_.find_watch(name.watch) != nullptr) return;
  Unasked& found = unasked_[{name.job, name.watch}];
  found.calls_us = found.calls_us || maker == rules::Maker::kThisStack;
  found.names.emplace_back(described.text);
}

}  // namespace trainwarden::actions
