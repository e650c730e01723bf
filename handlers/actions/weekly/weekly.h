// The weekly report (policy.md S2): what the training jobs of seven days cost, by team, sent to the
// notify topic once. It only lists jobs and does nothing to any of them.
#pragma once

#include <chrono>
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
  kNoTopic,     // the report is only in the log, as with kObserve
  kObserve,
  kFailed,
};

// "sent", "sent before", "no topic", "observe", "failed"
std::string_view name(NoticeResult notice);

struct WeeklyRecord {
  rules::WeekReport week = {};  // no figures if sent before or a list failed
  bool listed = false;
  std::size_t listed_jobs = 0;
  NoticeResult notice = NoticeResult::kFailed;
  std::string note = {};            // a remark, such as that it may be sent again
  std::optional<Error> error = {};  // if set, the event must come again
  bool state_unavailable = false;   // the table, before the report was sent or after (P8)
  std::size_t throttled = 0;        // of the calls
  std::vector<CallTally> calls = {};
  std::string policy_hash = {};

  json::Document to_json() const;
};

// What a report leaves to the next. Search hears of a job's end seconds later, and of a job that it
// does not know to have ended nobody knows whether it ended within the week.
inline constexpr std::chrono::minutes kTimeToSettle{10};

// An event of another time is an error: each day is claimed only once, so whoever may invoke the
// function could else claim the days to come. EventBridge delivers for 24 hours.
inline constexpr std::chrono::hours kOldestEvent{26};
inline constexpr std::chrono::minutes kFarthestAhead{10};

// time: of the event. The report covers the seven days that end kTimeToSettle before it. It is
// claimed in the item of the event's day (tell/report_item.h).
WeeklyRecord report_week(const ActivePolicy& rules, const Apis& apis, sys_seconds time,
                         aws::Pace* pace);

}  // namespace trainwarden::actions
