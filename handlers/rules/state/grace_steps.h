// A stop that is announced before it is done (policy.md A1, grace_seconds). The announcement and
// the time of the stop are written in one step. The stop is due only when that time is over and the
// announcement has been sent: without that it is announced anew, with a new time. Looks that find
// that the rule still holds confirm the announcement. One that none confirmed for some time has
// lapsed, since the rule may have ceased to hold meanwhile, and is made anew, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/state/job_item.h"
#include "handlers/rules/state/stored.h"

namespace trainwarden::rules {

// How far apart sweeps are unless the schedule tells; the template's default.
inline constexpr std::chrono::minutes kSweepInterval{15};

// For how long an announcement counts that no look confirms: for two intervals of the sweep's
// schedule, and at least for as long as a function may run, since a sweep may begin with a job and
// the next one end with it.
std::chrono::seconds lapses_after(std::chrono::seconds sweep_interval);

// A topic that takes no announcement for so long is gone, or denies it for good. People cannot be
// told, and operators have heard of the failures: the stop is done, once its grace is over too.
inline constexpr std::chrono::hours kAnnouncedInVain{26};

struct GraceOrder {
  std::string rule = {};
  std::vector<std::string> notices = {};  // the keys of its announcement; none without a topic
  sys_seconds until = {};                 // if it is announced now
  std::string fingerprint = {};           // of the rule
  std::chrono::seconds sweep_interval = kSweepInterval;
};

struct GraceDecision {
  enum class Kind : std::uint8_t {
    kAnnounce,  // claim the notices together with this step
    kWait,      // announced: the job runs on, until then
    kOver,      // stop it
  };

  Kind kind = Kind::kAnnounce;
  sys_seconds until = {};

  bool operator==(const GraceDecision&) const = default;
};

// The rule holds at this moment. Changes the item only where it is to be announced.
Step<JobItem, GraceDecision> decide_grace(JobItem item, const GraceOrder& order, sys_seconds now);

// Whether the stop was announced under the rule as it is, and is due: a sweep counted it then (P7).
bool was_counted(const JobItem& item, const GraceOrder& order, sys_seconds now);

// Whether it is time for a look that finds that the rule holds to confirm its announcement: after
// three quarters of an interval, so that the next sweep may come a quarter late. Never if it has
// lapsed.
bool needs_confirming(const JobItem& item, std::string_view rule,
                      std::chrono::seconds sweep_interval, sys_seconds now);
// The rule still holds. Changes nothing where it needs no confirming.
JobItem confirm_grace(JobItem item, std::string_view rule, std::chrono::seconds sweep_interval,
                      sys_seconds now);

// The rule no longer holds: the next time that it does, it is announced again.
JobItem end_grace(JobItem item, std::string_view rule);

// Whether an announcement still gives people most of the time that it promises: one that could not
// be sent for longer is made anew. False where it has been taken back.
bool is_timely(const JobItem& item, std::string_view rule, sys_seconds now);

}  // namespace trainwarden::rules
