#include "handlers/actions/alarm_census.h"

#include <algorithm>
#include <utility>

#include "handlers/rules/alarm_definition.h"
#include "handlers/rules/alarm_name.h"
#include "handlers/rules/job_times.h"

namespace trainwarden::actions {
namespace {

void add(json::Value alarm, AlarmCensus& census) {
  const auto name = rules::string_of(alarm, "AlarmName");
  const auto ours = name ? rules::AlarmName::parse(*name) : std::nullopt;
  if (!ours) return;
  ++census.seen;
  census.fingerprints.push_back(rules::alarm_fingerprint(alarm));
  // Alarms come in the order of their names: those of a job beside each other.
  const std::string line = ours->job + '\n';
  if (!census.jobs.ends_with('\n' + line) && census.jobs != line) census.jobs += line;
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

void AlarmCensus::each_job(const std::function<void(std::string_view job)>& visit) const {
  std::string_view rest = jobs;
  std::string_view last;
  while (!rest.empty()) {
    const std::string_view job = rest.substr(0, rest.find('\n'));
    if (job != last) visit(job);
    last = job;
    rest.remove_prefix(job.size() + 1);
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
