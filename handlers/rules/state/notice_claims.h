// Each notice is sent once (policy.md A5): claimed in the job's item, published, then marked done.
// An invocation that finds another's fresh claim returns kUnavailable, so that its event is
// retried; it never reports success, since the other may have died. A claim that is not done after
// two minutes is taken over by events and sweeps; the item stays due until then. A notice is
// repeated only if the function is killed between publishing it and marking it done.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/stored.h"

namespace trainwarden::rules {

// A longer text is not stored: a notice that is taken over then has no values.
inline constexpr std::size_t kLongestWhat = std::size_t{8} * 1024;

struct NoticeDecision {
  enum class Kind : std::uint8_t {
    kPublish,  // it is mine: publish before `until`, then notice_done
    kNotifiedBefore,
    kUnavailable,  // claimed by somebody else just now: come again at `until`
  };

  Kind kind = Kind::kPublish;
  bool again = false;  // it was told before, of an earlier time that the alarm went off
  // The text of the first claim, which may have been another delivery's.
  std::string what = {};
  sys_seconds until = {};

  bool operator==(const NoticeDecision&) const = default;
};

// key: identifies the notice (rule, generation, mode, outcome, topic). by: the request id. May be
// applied to another step's result, so that both are written at once.
Step<JobItem, NoticeDecision> claim_notice(JobItem item, std::string_view key,
                                           std::string_view what, std::string_view by,
                                           sys_seconds now);

// A notice of an alarm is repeated when the alarm goes off again, but not within this time.
inline constexpr std::chrono::hours kTellAgainAfter{1};

// Whether an alarm that has been in ALARM since that time is news after the notice in `told`.
bool is_news(const NoticeRecord& last, sys_seconds since, sys_seconds now);

// As claim_notice, of what an alarm asks for that is in ALARM since then. One record stands for all
// of them: an item does not grow with a watch that goes off every day.
Step<JobItem, NoticeDecision> claim_alarm_notice(JobItem item, std::string_view key,
                                                 std::string_view what, std::string_view by,
                                                 sys_seconds since, sys_seconds now);

// After it was published, by whoever did that.
JobItem notice_done(JobItem item, std::string_view key);

// The notices that a sweep takes over now.
std::vector<std::string> pending_notices(const JobItem& item, std::string_view by, sys_seconds now);

}  // namespace trainwarden::rules
