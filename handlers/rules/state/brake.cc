#include "handlers/rules/state/brake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "handlers/rules/state/item_id.h"
#include "runtime/base/fnv1a.h"

namespace trainwarden::rules {
namespace {

// Nobody is silent for longer without being looked at again.
constexpr std::chrono::hours kSeenKept{24};
// More need not be seen to know that it is too many.
constexpr std::size_t kMostSeen = kLargestLimit + 1;
constexpr std::chrono::hours kToldEach{1};
constexpr std::string_view kLogsOf = "/logs";
// The attributes that keep the notices to operators.
constexpr std::array<std::pair<HoldingLimit, std::string_view>, 5> kToldNames = {
    {{HoldingLimit::kStopsPerHour, "told"},
     {HoldingLimit::kSilentPerHour, "told_silent"},
     {HoldingLimit::kRestartsPerHour, "told_restarts"},
     {HoldingLimit::kStopsPerSweep, "told_sweep"},
     {HoldingLimit::kCopiesPerSweep, "told_copies"}}};

// More roles than are queued at once.
constexpr std::size_t kMostRolesQueued = 64;
// A queued role is not written anew each time, since many ask at once.
constexpr std::chrono::minutes kQueuedIsFresh{10};

// More attempts at one copy at once are odd, and the item has no room for more in all. Where they
// cannot be told apart any more, the slot counts for its hour.
constexpr std::size_t kMostCopyAttempts = 4;
constexpr std::size_t kMostAttemptsInAll = kLargestLimit + kLargestLimit / 2;
constexpr std::string_view kMadeLater = "-";
constexpr std::string_view kOneTooMany = "*";  // which nobody gives back

struct Wanted {
  HoldingLimit by;
  bool asked;
  std::int64_t limit;
  bool has;
  std::int64_t others;
};

std::int64_t in_force(std::int64_t limit) {
  return std::clamp<std::int64_t>(limit, 0, kLargestLimit);
}

// When the slot was taken last.
sys_millis taken_at(sys_millis slot) { return slot; }
sys_millis taken_at(const Slots& attempts) {
  sys_millis last{};
  for (const auto& [attempt, at] : attempts) last = std::max(last, at);
  return last;
}

template <class Slot>
bool counts(const Slot& slot, sys_millis now) {
  return now - taken_at(slot) < kSlotCounts;
}

template <class Map>
std::int64_t others(const Map& slots, std::string_view who, sys_millis now) {
  return std::ranges::count_if(
      slots, [&](const auto& slot) { return slot.first != who && counts(slot.second, now); });
}

// Whose silence it is: job/<name>/<epoch ms>, and what fell silent.
std::string_view job_of(std::string_view who) {
  const std::size_t name = who.find('/');
  const std::size_t created = name == who.npos ? name : who.find('/', name + 1);
  return created == who.npos ? who : who.substr(0, who.find('/', created + 1));
}

template <class Map>
bool has_slot(const Map& slots, std::string_view who, sys_millis now) {
  const auto found = slots.find(who);
  return found != slots.end() && counts(found->second, now);
}

template <class Map>
void forget_old(Map& slots, sys_millis now) {
  std::erase_if(slots, [&](const auto& slot) { return !counts(slot.second, now); });
}

void take_slot(Slots& slots, const std::string& who, sys_millis now) {
  forget_old(slots, now);
  slots.insert_or_assign(who, now);
}

std::string attempt_key(std::string_view attempt) {
  return attempt.empty() ? std::string(kMadeLater) : fmt::format("{:08x}", fnv1a_32(attempt));
}

void take_copy_slot(CopySlots& slots, const std::string& copy, std::string_view attempt,
                    sys_millis now) {
  forget_old(slots, now);
  Slots& attempts = slots[copy];
  forget_old(attempts, now);
  const std::string key = attempt_key(attempt);
  std::size_t in_all = 0;
  for (const auto& [other, of_other] : slots) in_all += of_other.size();
  const bool room = attempts.size() < kMostCopyAttempts && in_all < kMostAttemptsInAll;
  if (!room && !attempts.contains(key)) {
    attempts.clear();
    attempts.emplace(kOneTooMany, now);
    return;
  }
  attempts.insert_or_assign(key, now);
}

std::string_view role_of(std::string_view copy_slot) {
  return copy_slot.substr(copy_slot.rfind('/') + 1);
}

std::size_t copies_of(std::string_view role, const BrakeItem& item, sys_millis now) {
  return static_cast<std::size_t>(std::ranges::count_if(item.copies, [&](const auto& slot) {
    return role_of(slot.first) == role && counts(slot.second, now);
  }));
}

void queue_role(BrakeItem& item, const std::string& role, sys_seconds now) {
  const auto found = item.queue_by_role.find(role);
  if (found != item.queue_by_role.end() && now - found->second < kQueuedIsFresh) return;
  std::erase_if(item.queue_by_role, [&](const auto& one) { return now - one.second >= kTurnKept; });
  if (item.queue_by_role.size() >= kMostRolesQueued && !item.queue_by_role.contains(role))
    item.queue_by_role.erase(std::ranges::min_element(item.queue_by_role, {},
                                                      [](const auto& one) { return one.second; }));
  item.queue_by_role.insert_or_assign(role, now);
}

// Whether a copy for that role would come before one that waits: of its own role, or of one that
// had fewer within the hour.
bool overtakes(const BrakeItem& item, const std::string& role, sys_millis now) {
  if (item.queue_by_role.empty()) return false;
  const std::size_t had = copies_of(role, item, now);
  return std::ranges::any_of(item.queue_by_role, [&](const auto& one) {
    return now - one.second < kTurnKept &&
           (one.first == role || copies_of(one.first, item, now) < had);
  });
}

// Whether operators hear of it from us, now. Each limit is told by itself: another one that is
// reached within the hour is news (A9).
bool claim_notice_of_brake(BrakeItem& item, HoldingLimit limit, std::string_view by,
                           sys_seconds now) {
  if (const auto told = item.told.find(limit); told != item.told.end()) {
    const bool is_recent = now - told->second.at < kToldEach;
    if (is_recent && answer_to(told->second, by, now) != ClaimAnswer::kMine) return false;
  }
  item.told.insert_or_assign(limit, Claim{.at = now, .by = std::string(by)});
  return true;
}

Slots read_slots(ItemReader& in, std::string_view name) {
  Slots out;
  ItemReader slots = in.object(name);
  for (const std::string& who : slots.names())
    out.emplace(who, sys_millis(std::chrono::milliseconds(slots.number(who))));
  return out;
}

// The version before knew one time a copy, and neither roles nor attempts. Such a slot counts for
// its hour: an upgrade must not stop the guard.
CopySlots read_copy_slots(ItemReader& in) {
  CopySlots out;
  ItemReader copies = in.object("copies");
  for (const std::string& copy : copies.names()) {
    if (copies.has(copy, json::Type::kNumber))
      out[copy].emplace(kOneTooMany, std::chrono::milliseconds(copies.number(copy)));
    else
      out.emplace(copy, read_slots(copies, copy));
  }
  return out;
}

// The slot of a job's copy that the version before took is that of the same copy.
void take_over(CopySlots& slots, const std::string& job, const std::string& copy) {
  auto before = slots.extract(job);
  if (!before) return;
  slots[copy].merge(before.mapped());
}

void write_slots(json::Sink& out, std::string_view name, const Slots& slots) {
  out.key(name).begin_object();
  for (const auto& [who, at] : slots) out.member(who, at.time_since_epoch().count());
  out.end_object();
}

void read_told(ItemReader& in, BrakeItem& item) {
  for (const auto& [limit, name] : kToldNames) {
    if (!in.has(name)) continue;
    ItemReader told = in.object(name);
    item.told.emplace(limit, read_claim(told));
    told.expect_no_others();
  }
}

void write_told(json::Sink& out, const BrakeItem& item) {
  for (const auto& [limit, name] : kToldNames) {
    const auto told = item.told.find(limit);
    if (told == item.told.end()) continue;
    out.key(name).begin_object();
    write_claim(out, told->second);
    out.end_object();
  }
}

}  // namespace

// The item has room for no longer names.
std::string silent_metric(std::string_view job, std::string_view watch) {
  return fmt::format("{}/{:08x}", job, fnv1a_32(watch));
}

std::string role_key(std::string_view role) { return fmt::format("{:08x}", fnv1a_32(role)); }

std::string copy_slot(std::string_view job, std::string_view role) {
  return fmt::format("{}/{}", job, role_key(role));
}

std::string silent_logs(std::string_view job) { return std::string(job).append(kLogsOf); }

Step<BrakeItem, BrakeDecision> take_slots(BrakeItem item, const BrakeAsk& ask,
                                          const BrakeLimits& limits, sys_millis now,
                                          std::string_view by) {
  const std::string copy = copy_slot(ask.who, ask.role);
  const std::string role = role_key(ask.role);
  if (ask.copy) take_over(item.copies, ask.who, copy);
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto want = [&](HoldingLimit by, bool asked, const auto& slots, std::string_view who,
                        std::int64_t limit) {
    return Wanted{by, asked, in_force(limit), has_slot(slots, who, now), others(slots, who, now)};
  };
  const std::array<Wanted, 3> wanted = {{
      want(HoldingLimit::kStopsPerHour, ask.stop, item.stops, ask.who, limits.stops),
      want(HoldingLimit::kSilentPerHour, ask.silent, item.silent, ask.who, limits.silent),
      want(HoldingLimit::kRestartsPerHour, ask.copy, item.copies, copy, limits.restarts),
  }};
  for (const Wanted& one : wanted) {
    if (!one.asked || (one.limit > 0 && one.has)) continue;
    BrakeDecision held{.held_by = one.by, .limit = one.limit, .counted = one.others};
    if (one.others < one.limit) {
      if (one.by != HoldingLimit::kRestartsPerHour || ask.queued || !overtakes(item, role, now))
        continue;
      held.overtakes = true;
      return {std::move(item), held};
    }
    if (one.by == HoldingLimit::kRestartsPerHour && one.limit > 0) queue_role(item, role, second);
    held.tell = claim_notice_of_brake(item, one.by, by, second);
    return {std::move(item), held};
  }
  if (ask.stop) take_slot(item.stops, ask.who, now);
  if (ask.silent) take_slot(item.silent, ask.who, now);
  if (ask.copy) {
    take_copy_slot(item.copies, copy, ask.attempt, now);
    item.queue_by_role.erase(role);
  }
  return {std::move(item), {.passes = true, .until = now + kSlotHolds}};
}

BrakeItem give_back_copy(BrakeItem item, const BrakeAsk& ask) {
  const auto slot = item.copies.find(copy_slot(ask.who, ask.role));
  if (slot == item.copies.end() || slot->second.erase(attempt_key(ask.attempt)) == 0) return item;
  slot->second.erase(std::string(kMadeLater));
  if (slot->second.empty()) item.copies.erase(slot);
  return item;
}

bool has_copy_slot(const BrakeItem& item, std::string_view job, std::string_view role,
                   sys_millis now) {
  return has_slot(item.copies, copy_slot(job, role), now);
}

std::map<std::string, std::size_t> copies_by_role(const BrakeItem& item, sys_millis now) {
  std::map<std::string, std::size_t> out;
  for (const auto& [slot, attempts] : item.copies)
    if (counts(attempts, now)) ++out[std::string(role_of(slot))];
  return out;
}

BrakeItem operators_told(BrakeItem item, HoldingLimit limit) {
  if (const auto told = item.told.find(limit); told != item.told.end()) told->second.done = true;
  return item;
}

Step<BrakeItem, bool> notify_of_sweep(BrakeItem item, HoldingLimit limit, sys_seconds now,
                                      std::string_view by) {
  const bool is_ours = claim_notice_of_brake(item, limit, by, now);
  return {std::move(item), is_ours};
}

Step<BrakeItem, SilenceDecision> note_silence(BrakeItem item, const SilenceAsk& ask,
                                              std::int64_t limit, sys_seconds now) {
  using Kind = SilenceDecision::Kind;
  const auto is_kept = [&](const auto& seen) { return now - seen.second < kSeenKept; };
  const auto found = item.seen.find(ask.who);
  const bool known = found != item.seen.end() && is_kept(*found) && found->second >= ask.since;
  const sys_seconds since = known ? found->second : now;
  std::set<std::string_view> together{job_of(ask.who)};
  for (const auto& seen : item.seen) {
    const auto apart = seen.second - since;
    if (is_kept(seen) && apart < kSilentTogether && -apart < kSilentTogether)
      together.insert(job_of(seen.first));
  }
  const auto counted = std::ssize(together);
  const auto too_many = [&] {
    const bool tell = claim_notice_of_brake(item, HoldingLimit::kSilentPerHour, ask.by, now);
    return Step<BrakeItem, SilenceDecision>{
        std::move(item), {.kind = Kind::kTooMany, .counted = counted, .tell = tell}};
  };
  if (!known) {
    std::erase_if(item.seen, [&](const auto& seen) { return !is_kept(seen); });
    if (item.seen.size() >= kMostSeen && !item.seen.contains(ask.who)) return too_many();
    item.seen.insert_or_assign(ask.who, now);
    return {std::move(item), {.until = now + kSilentFor, .counted = counted}};
  }
  if (now - since < kSilentFor)
    return {std::move(item), {.until = since + kSilentFor, .counted = counted}};
  if (counted > in_force(limit)) return too_many();
  return {std::move(item), {.kind = Kind::kMayStop, .counted = counted}};
}

BrakeItem forget_silence(BrakeItem item, std::string_view who) {
  if (const auto found = item.seen.find(who); found != item.seen.end()) item.seen.erase(found);
  return item;
}

Result<Stored<BrakeItem>> parse_brake_item(std::optional<json::Value> attributes) {
  return parse_stored<BrakeItem>(kBrakeId, attributes, [](ItemReader& in, BrakeItem& item) {
    item.stops = read_slots(in, "stops");
    item.silent = read_slots(in, "silent");
    item.copies = read_copy_slots(in);
    if (in.has("line")) {
      ItemReader queue = in.object("line");
      for (const std::string& role : queue.names())
        item.queue_by_role.emplace(role, queue.time(role));
    }
    ItemReader seen = in.object("seen");
    for (const std::string& who : seen.names()) item.seen.emplace(who, seen.time(who));
    read_told(in, item);
  });
}

json::Document brake_attributes(const BrakeItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    write_slots(out, "stops", item.stops);
    write_slots(out, "silent", item.silent);
    out.key("copies").begin_object();
    for (const auto& [copy, attempts] : item.copies) write_slots(out, copy, attempts);
    out.end_object();
    out.key("line").begin_object();
    for (const auto& [role, at] : item.queue_by_role) out.member(role, epoch_seconds(at));
    out.end_object();
    out.key("seen").begin_object();
    for (const auto& [who, at] : item.seen) out.member(who, epoch_seconds(at));
    out.end_object();
    write_told(out, item);
  });
}

}  // namespace trainwarden::rules
