#include "handlers/actions/fetch/alarm_since.h"

#include <fmt/core.h>

#include <algorithm>

#include "handlers/rules/alarms/alarm_name.h"
#include "handlers/rules/alarms/described_alarm.h"

namespace trainwarden::actions {

Result<std::optional<sys_seconds>> in_alarm_since(const JobRef& job, std::string_view watch,
                                                  const Apis& apis) {
  std::optional<sys_seconds> first;
  const auto listed = apis.cloudwatch.describe_alarms(
      {rules::alarm_prefix(job.name.view(), apis.config.alarm_prefix).append(watch),
       std::string(rules::kInAlarm)},
      [&](json::Value alarm) -> Result<bool> {
        const rules::DescribedAlarm described = rules::read_alarm(alarm, apis.config.alarm_prefix);
        // A longer watch name may begin with the same prefix.
        if (!described.name || described.name->watch != watch || !described.in_alarm) return true;
        if (!described.state_since)
          return fail(ErrorCode::kBadResponse,
                      fmt::format("DescribeAlarms: expected StateTransitionedTimestamp of `{}`, "
                                  "found no time",
                                  described.text));
        first = std::min(first.value_or(*described.state_since), *described.state_since);
        return true;
      },
      apis.context);
  // Of more alarms than are read for a job, those that were read tell.
  if (!listed && listed.error().code != ErrorCode::kTooLarge) return fail(listed.error());
  return first;
}

}  // namespace trainwarden::actions
