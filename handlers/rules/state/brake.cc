#include "handlers/rules/state/brake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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
constexpr std::string_view kByEvent = "e";     // no attempt: an event took the slot
constexpr std::string_view kOneTooMany = "*";  // which nobody gives back

// In the order of Share.
constexpr std::array<std::string_view, 3> kShareNames = {"event", "dearest", "turn"};

std::string_view share_name(Share share) { return kShareNames[static_cast<std::size_t>(share)]; }

constexpr double kCents = 100;
constexpr std::int64_t kEventsPart = 2;
constexpr std::int64_t kDeniedPart = 10;

// Cheaper jobs than this part of a silent job's cost count by role.
constexpr double kComparable = 0.1;

struct Wanted {
  HoldingLimit by;
  bool asked;
  std::int64_t limit;
  bool has;
  std::int64_t others;
  std::int64_t by_events;  // of the others
};

std::int64_t in_force(std::int64_t limit) {
  return std::clamp<std::int64_t>(limit, 0, kLargestLimit);
}

// When the slot was taken last.
sys_millis taken_at(sys_millis slot) { return slot; }
sys_millis taken_at(const StopPermit& permit) { return permit.at; }
sys_millis taken_at(const Slots& attempts) {
  sys_millis last{};
  for (const auto& [attempt, at] : attempts) last = std::max(last, at);
  return last;
}

template <class Slot>
bool counts(const Slot& slot, sys_millis now) {
  return now - taken_at(slot) < kSlotCounts;
}

bool is_by_event(const StopPermit& permit) { return permit.share == Share::kEvent; }
bool is_by_event(const Slots& attempts) { return attempts.contains(kByEvent); }

constexpr auto kAny = [](const auto&) { return true; };

// The slots that count, of others, and for which that holds.
template <class Map, class Holds>
std::int64_t others(const Map& slots, std::string_view who, sys_millis now, const Holds& holds) {
  return std::ranges::count_if(slots, [&](const auto& slot) {
    return slot.first != who && counts(slot.second, now) && holds(slot.second);
  });
}

// Of so small a limit a stop that was denied before may not even renew its permit at will.
bool is_rare(const BrakeAsk& ask, const Wanted& one) {
  return ask.denied && one.by == HoldingLimit::kStopsPerHour && one.limit < kDeniedPart;
}

// A part of the limit, and one where that is none.
std::int64_t part_of(std::int64_t limit, std::int64_t part) {
  return limit == 0 ? 0 : std::max<std::int64_t>(limit / part, 1);
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

void take_permit(BrakeItem& item, const BrakeAsk& ask, sys_millis now) {
  forget_old(item.stops, now);
  const auto [permit, is_new] = item.stops.try_emplace(ask.who);
  StopPermit& mine = permit->second;
  if (is_new) {
    mine.role = role_key(ask.role);
    mine.share = ask.queued ? next_share(item, now) : Share::kEvent;
    if (ask.queued) item.last = mine.share;
    if (ask.queued) item.sweep_waits.reset();
  }
  mine.at = now;
  mine.silent = mine.silent || ask.silent;
  mine.denied = mine.denied || ask.denied;
  if (ask.denied) item.denied_at = std::chrono::floor<std::chrono::seconds>(now);
}

std::string attempt_key(std::string_view attempt) {
  return attempt.empty() ? std::string(kMadeLater) : fmt::format("{:08x}", fnv1a_32(attempt));
}

void take_copy_slot(CopySlots& slots, const std::string& copy, const BrakeAsk& ask,
                    sys_millis now) {
  forget_old(slots, now);
  const bool is_new = !slots.contains(copy);
  Slots& attempts = slots[copy];
  forget_old(attempts, now);
  if (is_new && !ask.queued) attempts.emplace(kByEvent, now);
  const std::string key = attempt_key(ask.attempt);
  std::size_t in_all = 0;
  for (const auto& [other, of_other] : slots) in_all += of_other.size();
  const std::size_t marks = attempts.contains(kByEvent) ? 1 : 0;
  const bool room = attempts.size() - marks < kMostCopyAttempts && in_all < kMostAttemptsInAll;
  if (!room && !attempts.contains(key)) {
    std::erase_if(attempts, [](const auto& one) { return one.first != kByEvent; });
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

bool is_fresh(const std::optional<sys_seconds>& noted, sys_seconds now) {
  return noted && now - *noted < kQueuedIsFresh;
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

// Whether a tenth of the hour's permits, or of ten permits, is not used up yet.
bool may_try_denied(const BrakeItem& item, const BrakeAsk& ask, const Wanted& one, sys_millis now) {
  if (one.limit < kDeniedPart)
    return !item.denied_at || now - *item.denied_at >= std::chrono::hours(kDeniedPart) / one.limit;
  const auto is_denied = [](const StopPermit& permit) { return permit.denied; };
  return others(item.stops, ask.who, now, is_denied) < one.limit / kDeniedPart;
}

// Whether the limit is not reached, but this ask may take no more of it. A limit of 1 has no half:
// its one permit is an event's unless the limit has held a sweep back.
bool waits_its_turn(const BrakeItem& item, const BrakeAsk& ask, const Wanted& one, sys_millis now) {
  const bool copy = one.by == HoldingLimit::kRestartsPerHour;
  if (one.by == HoldingLimit::kStopsPerHour && ask.denied && !may_try_denied(item, ask, one, now))
    return true;
  if (ask.queued) return false;
  if (copy && overtakes(item, role_key(ask.role), now)) return true;
  if (one.limit == 1) return !copy && item.sweep_waits && now - *item.sweep_waits < kTurnKept;
  return one.by_events >= part_of(one.limit, kEventsPart);
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

// How many fell silent within an hour of the asked one, itself included (brake.h).
std::int64_t fell_silent_together(const BrakeItem& item, const SilenceAsk& ask, sys_seconds since,
                                  sys_seconds now) {
  const std::string_view job = job_of(ask.who);
  const std::string role = role_key(ask.role);
  std::set<std::string_view> comparable{job};
  std::set<std::string_view> roles_of_cheaper;
  for (const auto& [who, seen] : item.seen) {
    const auto apart = seen.at - since;
    if (now - seen.at >= kSeenKept || apart >= kSilentTogether || -apart >= kSilentTogether)
      continue;
    if (seen.usd_per_hour >= ask.usd_per_hour * kComparable)
      comparable.insert(job_of(who));
    else if (job_of(who) != job && seen.role != role)
      roles_of_cheaper.insert(seen.role);
  }
  return std::ssize(comparable) + std::max<std::int64_t>(std::ssize(roles_of_cheaper) - 1, 0);
}

// Room for another silence: the cheapest gives way to one that is dearer.
bool has_room_for(BrakeItem& item, const SeenSilence& dearer) {
  if (item.seen.size() < kMostSeen) return true;
  const auto cheapest = std::ranges::min_element(
      item.seen, {}, [](const auto& seen) { return seen.second.usd_per_hour; });
  if (cheapest->second.usd_per_hour >= dearer.usd_per_hour) return false;
  item.seen.erase(cheapest);
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

// The version before knew one time a stop, and kept those of silent jobs apart.
StopPermits read_permits(ItemReader& in) {
  StopPermits out;
  ItemReader stops = in.object("stops");
  for (const std::string& who : stops.names()) {
    StopPermit& permit = out[who];
    if (stops.has(who, json::Type::kNumber)) {
      permit.at = sys_millis(std::chrono::milliseconds(stops.number(who)));
      continue;
    }
    ItemReader one = stops.object(who);
    permit.at = sys_millis(std::chrono::milliseconds(one.number("at")));
    permit.role = one.text("role");
    const std::string share = one.text("by");
    const auto* const known = std::ranges::find(kShareNames, share);
    if (known == kShareNames.end())
      one.refuse("by", "one of our words", fmt::format("`{}`", share));
    else
      permit.share = static_cast<Share>(known - kShareNames.begin());
    permit.silent = one.has("silent") && one.flag("silent");
    permit.denied = one.has("denied") && one.flag("denied");
    one.expect_no_others();
  }
  if (!in.has("silent")) return out;
  for (const auto& [who, at] : read_slots(in, "silent")) {
    StopPermit& permit = out[who];
    permit.at = std::max(permit.at, at);
    permit.silent = true;
  }
  return out;
}

void write_permits(json::Sink& out, const StopPermits& permits) {
  out.key("stops").begin_object();
  for (const auto& [who, permit] : permits) {
    out.key(who).begin_object().member("at", permit.at.time_since_epoch().count());
    out.member("role", permit.role).member("by", share_name(permit.share));
    if (permit.silent) out.member("silent", true);
    if (permit.denied) out.member("denied", true);
    out.end_object();
  }
  out.end_object();
}

// The version before knew only when a silence was first seen.
SeenSilence read_seen(ItemReader& seen, const std::string& who) {
  if (seen.has(who, json::Type::kNumber)) return {.at = seen.time(who)};
  ItemReader one = seen.object(who);
  SeenSilence out{.at = one.time("at"),
                  .role = one.text("role"),
                  .usd_per_hour = static_cast<double>(one.number("cents")) / kCents};
  one.expect_no_others();
  return out;
}

void write_seen(json::Sink& out, const BrakeItem& item) {
  out.key("seen").begin_object();
  for (const auto& [who, silence] : item.seen) {
    out.key(who).begin_object().member("at", epoch_seconds(silence.at));
    out.member("role", silence.role);
    out.member("cents", static_cast<std::int64_t>(std::llround(silence.usd_per_hour * kCents)));
    out.end_object();
  }
  out.end_object();
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
                        std::int64_t limit, const auto& is_of) {
    const auto mine = slots.find(who);
    return Wanted{.by = by,
                  .asked = asked,
                  .limit = in_force(limit),
                  .has = mine != slots.end() && counts(mine->second, now) && is_of(mine->second),
                  .others = others(slots, who, now, is_of),
                  .by_events = others(slots, who, now, [&](const auto& slot) {
                    return is_of(slot) && is_by_event(slot);
                  })};
  };
  const auto is_silent = [](const StopPermit& permit) { return permit.silent; };
  const std::array<Wanted, 3> wanted = {{
      want(HoldingLimit::kStopsPerHour, ask.stop, item.stops, ask.who, limits.stops, kAny),
      want(HoldingLimit::kSilentPerHour, ask.silent, item.stops, ask.who, limits.silent, is_silent),
      want(HoldingLimit::kRestartsPerHour, ask.copy, item.copies, copy, limits.restarts, kAny),
  }};
  for (const Wanted& one : wanted) {
    if (!one.asked || (one.limit > 0 && one.has && !is_rare(ask, one))) continue;
    BrakeDecision held{.held_by = one.by, .limit = one.limit, .counted = one.others};
    if (one.limit > 0 && (one.has || one.others < one.limit)) {
      if (!waits_its_turn(item, ask, one, now)) continue;
      held.waits_turn = true;
      return {std::move(item), held};
    }
    const bool copies = one.by == HoldingLimit::kRestartsPerHour;
    if (copies && one.limit > 0) queue_role(item, role, second);
    if (!copies && ask.queued && one.limit == 1 && !is_fresh(item.sweep_waits, second))
      item.sweep_waits = second;
    held.tell = claim_notice_of_brake(item, one.by, by, second);
    return {std::move(item), held};
  }
  if (ask.stop || ask.silent) take_permit(item, ask, now);
  if (ask.copy) {
    take_copy_slot(item.copies, copy, ask, now);
    item.queue_by_role.erase(role);
  }
  return {std::move(item), {.passes = true, .until = now + kSlotHolds}};
}

BrakeItem give_back_copy(BrakeItem item, const BrakeAsk& ask) {
  const auto slot = item.copies.find(copy_slot(ask.who, ask.role));
  if (slot == item.copies.end() || slot->second.erase(attempt_key(ask.attempt)) == 0) return item;
  slot->second.erase(std::string(kMadeLater));
  if (std::ranges::all_of(slot->second,
                          [](const auto& attempt) { return attempt.first == kByEvent; }))
    item.copies.erase(slot);
  return item;
}

Share next_share(const BrakeItem& item, sys_millis now) {
  const auto given = [&](Share share) {
    return others(item.stops, {}, now,
                  [share](const StopPermit& permit) { return permit.share == share; });
  };
  const auto dearest = given(Share::kDearest);
  const auto turn = given(Share::kTurn);
  if (dearest != turn) return dearest < turn ? Share::kDearest : Share::kTurn;
  return item.last == Share::kDearest ? Share::kTurn : Share::kDearest;
}

std::map<std::string, std::size_t> stops_by_role(const BrakeItem& item, sys_millis now) {
  std::map<std::string, std::size_t> out;
  for (const auto& [who, permit] : item.stops)
    if (counts(permit, now)) ++out[permit.role];
  return out;
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
  const SeenSilence mine{.at = now, .role = role_key(ask.role), .usd_per_hour = ask.usd_per_hour};
  const auto is_kept = [&](const auto& seen) { return now - seen.second.at < kSeenKept; };
  const auto found = item.seen.find(ask.who);
  const bool known = found != item.seen.end() && is_kept(*found) && found->second.at >= ask.since;
  const sys_seconds since = known ? found->second.at : now;
  const std::int64_t counted = fell_silent_together(item, ask, since, now);
  const auto too_many = [&] {
    const bool tell = claim_notice_of_brake(item, HoldingLimit::kSilentPerHour, ask.by, now);
    return Step<BrakeItem, SilenceDecision>{
        std::move(item), {.kind = Kind::kTooMany, .counted = counted, .tell = tell}};
  };
  if (!known) {
    std::erase_if(item.seen, [&](const auto& seen) { return !is_kept(seen); });
    if (!item.seen.contains(ask.who) && !has_room_for(item, mine)) return too_many();
    item.seen.insert_or_assign(ask.who, mine);
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
    item.stops = read_permits(in);
    item.copies = read_copy_slots(in);
    if (in.has("line")) {
      ItemReader queue = in.object("line");
      for (const std::string& role : queue.names())
        item.queue_by_role.emplace(role, queue.time(role));
    }
    ItemReader seen = in.object("seen");
    for (const std::string& who : seen.names()) item.seen.emplace(who, read_seen(seen, who));
    if (in.has("last"))
      item.last = in.text("last") == share_name(Share::kTurn) ? Share::kTurn : Share::kDearest;
    if (in.has("denied")) item.denied_at = in.time("denied");
    if (in.has("sweep_waits")) item.sweep_waits = in.time("sweep_waits");
    read_told(in, item);
  });
}

json::Document brake_attributes(const BrakeItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    write_permits(out, item.stops);
    out.key("copies").begin_object();
    for (const auto& [copy, attempts] : item.copies) write_slots(out, copy, attempts);
    out.end_object();
    out.key("line").begin_object();
    for (const auto& [role, at] : item.queue_by_role) out.member(role, epoch_seconds(at));
    out.end_object();
    write_seen(out, item);
    if (item.last) out.member("last", share_name(*item.last));
    if (item.denied_at) out.member("denied", epoch_seconds(*item.denied_at));
    if (item.sweep_waits) out.member("sweep_waits", epoch_seconds(*item.sweep_waits));
    write_told(out, item);
  });
}

}  // namespace trainwarden::rules
