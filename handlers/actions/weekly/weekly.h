// The weekly report (policy.md S2): what the training jobs of seven days cost, by team, told to the
// notify topic once. It asks for lists only and does nothing to any job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/actions/context/call_tally.h"
#include "handlers/actions/context/job.h"
#include "handlers/rules/weekly/week_totals.h"

namespace trainwarden::actions {

enum class NoticeResult : std::uint8_t {
  kSent,
  kSentBefore,  // by an earlier event of that day: nothing was listed
  kNoTopic,     // the report is only in the log, as in the next case
  kObserve,
  kFailed,
};

// "sent", "sent before", "no topic", "observe", "failed"
std::string_view name(NoticeResult notice);

struct WeeklyRecord {
  rules::WeekReport week = {};  // without figures where it was sent before or a list failed
  bool listed = false;
  std::size_t listed_jobs = 0;
  NoticeResult notice = NoticeResult::kFailed;
  std::string note = {};            // such as that it may be sent again
  std::optional<Error> error = {};  // the event must come again
  std::vector<CallTally> calls = {};
  std::string policy_hash = {};

  json::Document to_json() const;
};

// time: the event's. The report is of the seven days before it, or before now if that is earlier,
// and is claimed in that day's item (tell/report_item.h).
WeeklyRecord report_week(const ActivePolicy& rules, const Apis& apis, sys_seconds time,
                         aws::Pace* pace);

}  // namespace trainwarden::actions
