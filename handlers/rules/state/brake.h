// The brake (policy.md P7) limits what one bad edit of a policy can do within an hour. One item
// holds the jobs that were stopped, those that fell silent, and those that were copied. A slot is
// taken after the look and before anything is written about the job. It counts attempts, since it
// cannot be known which of two deliveries used it, and is never returned.
//
// Nobody gets all permits of an hour by asking first. Events take half of them at most. What a
// sweep gives away goes in turn to the dearest job and to the role that has had the fewest
// (stop_order.h).
//
// A copy is different. A job has at most one, however often it is tried, and AWS may refuse it for
// hours (a quota). So the slot of a copy records the attempts to make it, and is returned once each
// of them was definitely refused. Copies that cannot be made then do not block others.
//
// "At most so many in any sixty minutes" is about stops, and a stop follows its slot by a moment.
// So a slot is valid for a stop that is requested within kSlotHolds; a later stop takes the slot
// again, which renews it. In return a slot counts for an hour and kSlotHolds.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/outcome/holding_limit.h"
#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::chrono::seconds kSlotHolds{15};
inline constexpr std::chrono::seconds kSlotCounts = std::chrono::hours(1) + kSlotHolds;
inline constexpr std::int64_t kLargestLimit = 1000;

// Who gave the permit: an event to its own job, or a sweep to the dearest job, or to the role whose
// turn it was.
enum class Share : std::uint8_t { kEvent, kDearest, kTurn };

// The permit of a stop.
struct StopPermit {
  sys_millis at = {};     // when it was taken last
  std::string role = {};  // role_key(); empty: not known
  Share share = Share::kEvent;
  bool silent = false;  // the job had fallen silent
  bool denied = false;  // AWS had denied an earlier stop of it

  bool operator==(const StopPermit&) const = default;
};

// By the id of a job's item, or of a tuner that was itself stopped.
using StopPermits = std::map<std::string, StopPermit, std::less<>>;
using Slots = std::map<std::string, sys_millis, std::less<>>;
// copy_slot() → the attempts to make that copy, and when each began.
using CopySlots = std::map<std::string, Slots, std::less<>>;

// After the limit held copies back, others do not overtake them for this long: sweeps make them in
// order (queue_order.h). Each sweep renews this.
inline constexpr std::chrono::hours kTurnKept{1};

// A silence, when it was first seen, and the job's role and rough cost.
struct SeenSilence {
  sys_seconds at = {};
  std::string role = {};  // role_key(); empty: not known
  double usd_per_hour = 0;

  bool operator==(const SeenSilence&) const = default;
};

struct BrakeItem {
  StopPermits stops;
  CopySlots copies;
  // Roles with queued copies: role_key() → when one was last held back by the limit.
  std::map<std::string, sys_seconds, std::less<>> queue_by_role;
  std::map<std::string, SeenSilence, std::less<>> seen;  // by silent_metric() or silent_logs()
  // Whose turn it was when a sweep last gave a permit.
  std::optional<Share> last;
  // When a stop that AWS had denied before last got a permit.
  std::optional<sys_seconds> denied_at;
  // When the limit last held a sweep's stop back.
  std::optional<sys_seconds> sweep_waits;
  // The notices to operators of what each limit held back.
  std::map<HoldingLimit, Claim> told;

  bool operator==(const BrakeItem&) const = default;
};

// The keys of a job's silences, of a watch's metric or of its logs. Each begins and ends
// independently: a job may write logs again while its metric is still silent.
std::string silent_metric(std::string_view job, std::string_view watch);
std::string silent_logs(std::string_view job);

// A key for the role under which a job runs: 8 hexadecimal digits.
std::string role_key(std::string_view role);
// "<the job's item>/<role_key>"
std::string copy_slot(std::string_view job, std::string_view role);

struct BrakeLimits {  // each per hour, 0 to kLargestLimit; 0 lets none through
  std::int64_t stops = 20;
  std::int64_t silent = 3;
  std::int64_t restarts = 20;
};

// What is about to be done. A restart of a running job is a stop and a copy.
struct BrakeAsk {
  std::string who;
  std::string silent_job = {};  // the job that fell silent, if it is not `who`
  bool stop = false;
  bool silent = false;
  bool by_logs = false;  // of silent: its logs are silent, not its metric
  bool copy = false;
  std::string role = {};     // the ARN of the job's role
  std::string attempt = {};  // of copy: a unique id of the attempt to make it; empty: later
  double usd_per_hour = 0;   // a rough one (job/hourly_cost.h)
  bool denied = false;       // AWS denied an earlier stop of the job
  bool queued = false;       // requested by a sweep, which knows all that wait
};

struct BrakeDecision {
  bool passes = false;
  sys_millis until = {};  // if it passes: StopTrainingJob must be called before this
  // If it does not pass.
  HoldingLimit held_by = HoldingLimit::kStopsPerHour;
  std::int64_t limit = 0;
  std::int64_t counted = 0;
  bool tell = false;        // notify operators, once an hour; then call operators_told
  bool waits_turn = false;  // the limit is not reached, but this ask may take no more of it

  bool operator==(const BrakeDecision&) const = default;
};

// Takes all requested slots, or none. A job that already has one passes, and renews it. Events take
// half of each limit at most, of 1 one. Jobs whose stop was denied before take a tenth; of a limit
// below 10, one in the hours in which there are ten permits. now: by the service's clock. by: the
// request id.
Step<BrakeItem, BrakeDecision> take_slots(BrakeItem item, const BrakeAsk& ask,
                                          const BrakeLimits& limits, sys_millis now,
                                          std::string_view by);

// The copy was not made: that attempt was definitely refused. The slot is returned unless another
// attempt may have made the copy.
BrakeItem give_back_copy(BrakeItem item, const BrakeAsk& ask);

// Whose turn it is when a sweep gives the next permit to stop a job.
Share next_share(const BrakeItem& item, sys_millis now);
// How many jobs of each role were stopped within the hour, by role_key().
std::map<std::string, std::size_t> stops_by_role(const BrakeItem& item, sys_millis now);

// Whether the job has such a slot.
bool has_copy_slot(const BrakeItem& item, std::string_view job, std::string_view role,
                   sys_millis now);
// How many copies each role has had within the hour, by role_key().
std::map<std::string, std::size_t> copies_by_role(const BrakeItem& item, sys_millis now);

// After operators were notified of that limit.
BrakeItem operators_told(BrakeItem item, HoldingLimit limit);

// Operators are also notified once an hour of stops or copies that a sweep held back by its own
// limit. True if this caller must notify them now; then call operators_told.
Step<BrakeItem, bool> notify_of_sweep(BrakeItem item, HoldingLimit limit, sys_seconds now,
                                      std::string_view by);

// A silent job is first noted, and may be stopped by a look ten minutes later. If more jobs than
// the limit fell silent within an hour, that is an outage and none is stopped. Cheap jobs must not
// protect a dear one: those that cost less than a tenth of it count by role, each role once, and
// the first of these roles not at all, which may be one tenant's.
inline constexpr std::chrono::minutes kSilentFor{10};
inline constexpr std::chrono::hours kSilentTogether{1};

struct SilenceDecision {
  enum class Kind : std::uint8_t {
    kLookLater,  // at `until`
    kMayStop,    // take the brake's slots next
    kTooMany,    // `counted` fell silent together
  };

  Kind kind = Kind::kLookLater;
  sys_seconds until = {};
  std::int64_t counted = 0;
  bool tell = false;  // notify operators of kTooMany, once an hour; then call operators_told

  bool operator==(const SilenceDecision&) const = default;
};

// A look found the job silent.
struct SilenceAsk {
  std::string who;  // silent_metric() or silent_logs(); a job counts once, however silent it is
  sys_seconds since = {};  // a silence noted before this time was another one, which ended
  std::string by = {};     // the request id
  std::string role = {};   // the ARN of the job's role
  double usd_per_hour = 0;
};
Step<BrakeItem, SilenceDecision> note_silence(BrakeItem item, const SilenceAsk& ask,
                                              std::int64_t limit, sys_seconds now);

// The job is no longer silent, or has ended by itself. Never call this after it was stopped: its
// silence still counts towards the limit.
BrakeItem forget_silence(BrakeItem item, std::string_view who);

// attributes: as awsapi gives them; nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<Stored<BrakeItem>> parse_brake_item(std::optional<json::Value> attributes);
// The item as it is put back. The largest limits and the longest names stay below the 400 KB that
// DynamoDB takes.
json::Document brake_attributes(const BrakeItem& item, sys_seconds now);

}  // namespace trainwarden::rules
