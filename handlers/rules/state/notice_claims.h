// Each notice once (policy.md A5): claimed in the job's item, published, done. Who finds somebody
// else's fresh claim is unavailable, so that its event comes again; that is never success, since
// the other may have died. A claim of two minutes that is not done is taken over, by events and by
// sweeps: the item stays due until then. Only who was killed between publishing and done is
// repeated.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/stored.h"

namespace trainwarden::rules {

// What is longer is not kept: who takes the claim over tells without values.
inline constexpr std::size_t kLongestWhat = std::size_t{8} * 1024;

struct NoticeDecision {
  enum class Kind : std::uint8_t {
    kPublish,      // it is mine: publish before `until`, then notice_done
    kTold,         // before
    kUnavailable,  // claimed by somebody else just now: come again at `until`
  };

  Kind kind = Kind::kPublish;
  // What the first claim tells, which may have been another delivery's.
  std::string what = {};
  sys_seconds until = {};

  bool operator==(const NoticeDecision&) const = default;
};

// key: tells apart what is told once each (rule, generation, mode, outcome, topic). by: the request
// id. Can be applied to what another step made of the item, so that both are written at once.
Step<JobItem, NoticeDecision> claim_notice(JobItem item, std::string_view key,
                                           std::string_view what, std::string_view by,
                                           sys_seconds now);

// What an alarm asks for is told again when the alarm goes off anew, but not within that time.
inline constexpr std::chrono::hours kTellAgainAfter{1};

// Whether an alarm that is in ALARM since then says something new to whom that was told.
bool is_news(const NoticeRecord& told, sys_seconds since, sys_seconds now);

// As claim_notice, of what an alarm asks for that is in ALARM since then. One record stands for all
// of them: an item does not grow with a watch that goes off every day.
Step<JobItem, NoticeDecision> claim_alarm_notice(JobItem item, std::string_view key,
                                                 std::string_view what, std::string_view by,
                                                 sys_seconds since, sys_seconds now);

// After it was published, by whoever did that.
JobItem notice_done(JobItem item, std::string_view key);

// The notices that a sweep takes over now.
std::vector<std::string> owed_notices(const JobItem& item, std::string_view by, sys_seconds now);

}  // namespace trainwarden::rules
