#include "handlers/actions/sweep/planned_alarms.h"

#include <algorithm>

#include "handlers/rules/alarms/alarm_definition.h"
#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/alarms/alarm_plan.h"
#include "handlers/rules/alarms/job_past.h"

namespace trainwarden::actions {

void PlannedAlarms::add(const std::string& job, const rules::TrainingJob& described,
                        std::span<const rules::Watch* const> watches, const Apis& apis) {
  const Config& config = apis.config;
  jobs_.push_back({job, watches.size()});
  for (const rules::Watch* const watch : watches) {
    const rules::AlarmPlan plan =
        rules::plan_alarms(*watch, job, described, config.alarm_topic, config.alarm_prefix);
    const bool early =
        rules::needs_past(*watch) && rules::why_no_past_yet(*watch, described, apis.now());
    watches_.push_back({watch, plan.alarms.size(), early ? 0 : plan.alarms.size()});
    if (early) continue;
    for (const rules::PlannedAlarm& alarm : plan.alarms) {
      const auto planned = json::Document::parse(alarm.body);
      const auto compared =
          alarm.waits_for_past ? rules::Compared::kAllButThreshold : rules::Compared::kAll;
      fingerprints_.push_back(planned ? rules::alarm_fingerprint(planned->root(), compared) : 0);
    }
  }
}

void PlannedAlarms::each_lacking(const AlarmCensus& census,
                                 const std::function<void(const std::string& job)>& visit) const {
  auto watched = watches_.begin();
  auto fingerprint = fingerprints_.begin();
  for (const Job& job : jobs_) {
    bool lacking = false;
    for (std::size_t i = 0; i < job.watches; ++i, ++watched) {
      for (std::size_t alarm = 0; alarm < watched->asked_for; ++alarm, ++fingerprint)
        lacking = lacking || !census.has(*fingerprint);
      // Whether the watch's plan for this job changed: with one part more, or none, its alarms have
      // other names.
      lacking =
          lacking || std::ranges::any_of(rules::unplanned_parts(watched->alarms), [&](int part) {
            return census.has_name(
                rules::AlarmName{job.name, watched->watch->name, part, census.prefix}.str());
          });
    }
    if (lacking) visit(job.name);
  }
}

}  // namespace trainwarden::actions
