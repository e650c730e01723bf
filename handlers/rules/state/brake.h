// The brake (policy.md P7): what one bad edit of a policy can do within an hour at most. One item
// holds who was stopped, stopped for its silence, and copied. A slot is taken after the look and
// before anything is written about the job; it counts attempts, since nobody can know which of two
// deliveries used it, and nothing gives it back.
//
// A copy is different. A job has one at most, however often it is tried, and AWS often refuses it
// for hours (a quota). So the slot of a copy remembers the attempts to make it, and goes back once
// each of them was refused for certain: what cannot be made keeps nobody else's out.
//
// "At most so many in any sixty minutes" is about stops, and a stop follows its slot by a moment.
// So a slot is good for a stop that is asked for within kSlotHolds; who is later takes it again,
// which renews it. In return a slot counts for as much longer than an hour.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

inline constexpr std::string_view kBrakeId = "brake";
inline constexpr std::chrono::seconds kSlotHolds{15};
inline constexpr std::chrono::seconds kSlotCounts = std::chrono::hours(1) + kSlotHolds;
inline constexpr std::int64_t kLargestLimit = 1000;

// Who → when. Who is a job (its item's id), or the tuner that was stopped itself.
using Slots = std::map<std::string, sys_millis, std::less<>>;
// copy_slot() → the attempts to make that copy, and when each began.
using CopySlots = std::map<std::string, Slots, std::less<>>;

// Where copies were held back by the limit, others do not overtake them for as long: they are made
// by sweeps, in turn (turns.h). Each sweep says so anew.
inline constexpr std::chrono::hours kTurnKept{1};

struct BrakeItem {
  Slots stops;
  Slots silent;
  CopySlots copies;
  // Whose copies wait for their turn: role_key() → when one was last held back by the limit.
  std::map<std::string, sys_seconds, std::less<>> line;
  // Fell silent → when that was first seen: silent_metric() or silent_logs() of a job.
  std::map<std::string, sys_seconds, std::less<>> seen;
  std::optional<Claim> told;         // operators, of what was held back
  std::optional<Claim> told_sweep;   // the same, of stops, by a sweep's own limit
  std::optional<Claim> told_copies;  // the same, of copies

  bool operator==(const BrakeItem&) const = default;
};

// "tuner/<name>/<epoch ms>": a tuning job that is stopped itself counts once.
std::string tuner_slot(std::string_view tuner, sys_millis created);

// Under which a job's silence is seen, of a watch's metric or of its logs: each begins and ends by
// itself, and who speaks again in one may be silent in another still.
std::string silent_metric(std::string_view job, std::string_view watch);
std::string silent_logs(std::string_view job);

// Tells the roles apart under which jobs run: 8 hexadecimal digits.
std::string role_key(std::string_view role);
// "<the job's item>/<role_key>"
std::string copy_slot(std::string_view job, std::string_view role);

struct BrakeLimits {  // each an hour, 0 to kLargestLimit; 0 lets none through
  std::int64_t stops = 20;
  std::int64_t silent = 3;
  std::int64_t restarts = 20;
};

enum class Slot : std::uint8_t { kStop, kSilentStop, kCopy };

// What is about to be done. A restart of a job that runs is a stop and a copy.
struct BrakeAsk {
  std::string who;
  std::string silent_job = {};  // that fell silent, where it is not who
  bool stop = false;
  bool silent = false;
  bool by_logs = false;  // of silent: it is the logs that are
  bool copy = false;
  // Of copy.
  std::string role = {};     // the ARN under which the job runs
  std::string attempt = {};  // tells apart who is about to make it; empty: it is made later
  bool in_turn = false;      // a sweep asks, which knows who waits
};

struct BrakeDecision {
  bool passes = false;
  sys_millis until = {};  // where it passes: StopTrainingJob is called before
  // Where it does not.
  Slot held_by = Slot::kStop;
  std::int64_t limit = 0;
  std::int64_t counted = 0;
  bool tell = false;       // operators, once an hour; then brake_told
  bool overtakes = false;  // there is room for the copy, and others wait for it

  bool operator==(const BrakeDecision&) const = default;
};

// All slots that are asked for, or none. A job that has one passes, and renews it. now: the
// service's clock. by: the request id.
Step<BrakeItem, BrakeDecision> take_slots(BrakeItem item, const BrakeAsk& ask,
                                          const BrakeLimits& limits, sys_millis now,
                                          std::string_view by);

// The copy was not made: that attempt was refused for certain. The slot goes back unless another
// attempt may have made it.
BrakeItem give_back_copy(BrakeItem item, const BrakeAsk& ask);

// Whether the job has such a slot.
bool has_copy_slot(const BrakeItem& item, std::string_view job, std::string_view role,
                   sys_millis now);
// How many copies each role has had within the hour, by role_key().
std::map<std::string, std::size_t> copies_by_role(const BrakeItem& item, sys_millis now);

// After operators were told.
BrakeItem brake_told(BrakeItem item);

// What a sweep holds back by its own limit, stops or copies, is told once an hour, too. True where
// it is told by us, now; then sweep_told, or copies_told.
enum class SweepHolds : std::uint8_t { kStops, kCopies };
Step<BrakeItem, bool> tell_of_sweep(BrakeItem item, SweepHolds what, sys_seconds now,
                                    std::string_view by);
BrakeItem sweep_told(BrakeItem item);
BrakeItem copies_told(BrakeItem item);

// Who falls silent is seen first, and may be stopped by a look ten minutes later. Where more jobs
// than the limit fell silent within an hour of each other, it is an outage and none is stopped.
inline constexpr std::chrono::minutes kSilentFor{10};
inline constexpr std::chrono::hours kSilentTogether{1};

struct SilenceDecision {
  enum class Kind : std::uint8_t {
    kLookLater,  // at `until`
    kMayStop,    // the brake's slots come next
    kTooMany,    // `counted` fell silent together
  };

  Kind kind = Kind::kLookLater;
  sys_seconds until = {};
  std::int64_t counted = 0;
  bool tell = false;  // operators, of kTooMany, once an hour; then brake_told

  bool operator==(const SilenceDecision&) const = default;
};

// A look found the job silent.
struct SilentLook {
  std::string who;  // silent_metric() or silent_logs(); a job counts once, however silent it is
  sys_seconds since = {};  // what was seen before was another silence, which ended
  std::string by = {};     // the request id
};
Step<BrakeItem, SilenceDecision> look_at_silent(BrakeItem item, const SilentLook& look,
                                                std::int64_t limit, sys_seconds now);

// It speaks again, or has ended of itself. Never after it was stopped: it counts for the others.
BrakeItem speaks_again(BrakeItem item, std::string_view who);

// attributes: as awsapi gives them; nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<Stored<BrakeItem>> parse_brake_item(std::optional<json::Value> attributes);
// The item as it is put back. The largest limits and the longest names stay below the 400 KB that
// DynamoDB takes.
json::Document brake_attributes(const BrakeItem& item, sys_seconds now);

}  // namespace trainwarden::rules
