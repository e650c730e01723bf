#include "handlers/rules/state/brake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "handlers/rules/job/fnv1a.h"

namespace trainwarden::rules {
namespace {

// Nobody is silent for longer without being looked at again.
constexpr std::chrono::hours kSeenKept{24};
// More need not be seen to know that it is too many.
constexpr std::size_t kMostSeen = kLargestLimit + 1;
constexpr std::chrono::hours kToldEach{1};
constexpr std::string_view kLogsOf = "/logs";

struct Wanted {
  Slot slot;
  bool asked;
  Slots* slots;
  std::int64_t limit;
};

std::int64_t in_force(std::int64_t limit) {
  return std::clamp<std::int64_t>(limit, 0, kLargestLimit);
}

std::int64_t others(const Slots& slots, std::string_view who, sys_millis now) {
  return std::ranges::count_if(slots, [&](const auto& slot) {
    return slot.first != who && now - slot.second < kSlotCounts;
  });
}

// Whose silence it is: job/<name>/<epoch ms>, and what fell silent.
std::string_view job_of(std::string_view who) {
  const std::size_t name = who.find('/');
  const std::size_t created = name == who.npos ? name : who.find('/', name + 1);
  return created == who.npos ? who : who.substr(0, who.find('/', created + 1));
}

bool has_slot(const Slots& slots, std::string_view who, sys_millis now) {
  const auto found = slots.find(who);
  return found != slots.end() && now - found->second < kSlotCounts;
}

void take_slot(Slots& slots, const std::string& who, sys_millis now) {
  std::erase_if(slots, [&](const auto& slot) { return now - slot.second >= kSlotCounts; });
  slots.insert_or_assign(who, now);
}

// Whether operators hear of it from us, now.
bool claim_telling(std::optional<Claim>& told, std::string_view by, sys_seconds now) {
  if (told) {
    const bool is_recent = now - told->at < kToldEach;
    if (is_recent && answer_to(*told, by, now) != ClaimAnswer::kMine) return false;
  }
  told = Claim{.at = now, .by = std::string(by)};
  return true;
}

Slots read_slots(ItemReader& in, std::string_view name) {
  Slots out;
  ItemReader slots = in.object(name);
  for (const std::string& who : slots.names())
    out.emplace(who, sys_millis(std::chrono::milliseconds(slots.number(who))));
  return out;
}

void write_slots(json::Sink& out, std::string_view name, const Slots& slots) {
  out.key(name).begin_object();
  for (const auto& [who, at] : slots) out.member(who, at.time_since_epoch().count());
  out.end_object();
}

std::optional<Claim> read_told(ItemReader& in, std::string_view name) {
  if (!in.has(name)) return std::nullopt;
  ItemReader told = in.object(name);
  Claim out = read_claim(told);
  told.expect_no_others();
  return out;
}

void write_told(json::Sink& out, std::string_view name, const std::optional<Claim>& told) {
  if (!told) return;
  out.key(name).begin_object();
  write_claim(out, *told);
  out.end_object();
}

}  // namespace

std::string tuner_slot(std::string_view tuner, sys_millis created) {
  return fmt::format("tuner/{}/{}", tuner, created.time_since_epoch().count());
}

// The item has room for no longer names.
std::string silent_metric(std::string_view job, std::string_view watch) {
  return fmt::format("{}/{:08x}", job, fnv1a_32(watch));
}

std::string silent_logs(std::string_view job) { return std::string(job).append(kLogsOf); }

Step<BrakeItem, BrakeDecision> take_slots(BrakeItem item, const BrakeAsk& ask,
                                          const BrakeLimits& limits, sys_millis now,
                                          std::string_view by) {
  const std::array<Wanted, 3> wanted = {{
      {Slot::kStop, ask.stop, &item.stops, in_force(limits.stops)},
      {Slot::kSilentStop, ask.silent, &item.silent, in_force(limits.silent)},
      {Slot::kCopy, ask.copy, &item.copies, in_force(limits.restarts)},
  }};
  for (const Wanted& one : wanted) {
    if (!one.asked || (one.limit > 0 && has_slot(*one.slots, ask.who, now))) continue;
    const std::int64_t counted = others(*one.slots, ask.who, now);
    if (counted < one.limit) continue;
    BrakeDecision held{.held_by = one.slot, .limit = one.limit, .counted = counted};
    held.tell = claim_telling(item.told, by, std::chrono::floor<std::chrono::seconds>(now));
    return {std::move(item), held};
  }
  for (const Wanted& one : wanted)
    if (one.asked) take_slot(*one.slots, ask.who, now);
  return {std::move(item), {.passes = true, .until = now + kSlotHolds}};
}

BrakeItem brake_told(BrakeItem item) {
  if (item.told) item.told->done = true;
  return item;
}

Step<BrakeItem, bool> tell_of_sweep(BrakeItem item, sys_seconds now, std::string_view by) {
  const bool is_ours = claim_telling(item.told_sweep, by, now);
  return {std::move(item), is_ours};
}

BrakeItem sweep_told(BrakeItem item) {
  if (item.told_sweep) item.told_sweep->done = true;
  return item;
}

Step<BrakeItem, SilenceDecision> look_at_silent(BrakeItem item, const SilentLook& look,
                                                std::int64_t limit, sys_seconds now) {
  using Kind = SilenceDecision::Kind;
  const auto is_kept = [&](const auto& seen) { return now - seen.second < kSeenKept; };
  const auto found = item.seen.find(look.who);
  const bool known = found != item.seen.end() && is_kept(*found) && found->second >= look.since;
  const sys_seconds since = known ? found->second : now;
  std::set<std::string_view> together{job_of(look.who)};
  for (const auto& seen : item.seen) {
    const auto apart = seen.second - since;
    if (is_kept(seen) && apart < kSilentTogether && -apart < kSilentTogether)
      together.insert(job_of(seen.first));
  }
  const auto counted = std::ssize(together);
  const auto too_many = [&] {
    const bool tell = claim_telling(item.told, look.by, now);
    return Step<BrakeItem, SilenceDecision>{
        std::move(item), {.kind = Kind::kTooMany, .counted = counted, .tell = tell}};
  };
  if (!known) {
    std::erase_if(item.seen, [&](const auto& seen) { return !is_kept(seen); });
    if (item.seen.size() >= kMostSeen && !item.seen.contains(look.who)) return too_many();
    item.seen.insert_or_assign(look.who, now);
    return {std::move(item), {.until = now + kSilentFor, .counted = counted}};
  }
  if (now - since < kSilentFor)
    return {std::move(item), {.until = since + kSilentFor, .counted = counted}};
  if (counted > in_force(limit)) return too_many();
  return {std::move(item), {.kind = Kind::kMayStop, .counted = counted}};
}

BrakeItem speaks_again(BrakeItem item, std::string_view who) {
  if (const auto found = item.seen.find(who); found != item.seen.end()) item.seen.erase(found);
  return item;
}

Result<Stored<BrakeItem>> parse_brake_item(std::optional<json::Value> attributes) {
  Stored<BrakeItem> out;
  if (!attributes) return out;
  std::optional<Error> mistake;
  ItemReader in(*attributes, fmt::format("item `{}`", kBrakeId), mistake);
  const StoredHeader header = read_header(in, kBrakeId);
  out.v = header.v;
  out.expires = header.expires;
  out.item.stops = read_slots(in, "stops");
  out.item.silent = read_slots(in, "silent");
  out.item.copies = read_slots(in, "copies");
  ItemReader seen = in.object("seen");
  for (const std::string& who : seen.names()) out.item.seen.emplace(who, seen.time(who));
  out.item.told = read_told(in, "told");
  out.item.told_sweep = read_told(in, "told_sweep");
  in.expect_no_others();
  if (mistake) return fail(*std::move(mistake));
  return out;
}

json::Document brake_attributes(const BrakeItem& item, sys_seconds now) {
  return json::Document::build([&](json::Sink& out) {
    out.begin_object();
    write_header(out, now);
    write_slots(out, "stops", item.stops);
    write_slots(out, "silent", item.silent);
    write_slots(out, "copies", item.copies);
    out.key("seen").begin_object();
    for (const auto& [who, at] : item.seen) out.member(who, epoch_seconds(at));
    out.end_object();
    write_told(out, "told", item.told);
    write_told(out, "told_sweep", item.told_sweep);
    out.end_object();
  });
}

}  // namespace trainwarden::rules
