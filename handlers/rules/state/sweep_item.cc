#include "handlers/rules/state/sweep_item.h"

#include <utility>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kRunning = "running";
constexpr std::string_view kEnded = "ended";
constexpr std::string_view kEnforced = "enforced";
constexpr std::string_view kConfirmed = "confirmed";
constexpr std::string_view kDenied = "denied";

// Rarely enough to cost nothing, and twice within kEnforcedKept.
constexpr std::chrono::hours kConfirmedEach{12};

}  // namespace

SweepItem confirm_enforced(SweepItem item, std::span<const std::string> rules, sys_seconds now) {
  const bool lapsed = now - item.confirmed >= kEnforcedKept;
  std::map<std::string, sys_seconds, std::less<>> enforced;
  for (const std::string& rule : rules) {
    const auto before = item.enforced.find(rule);
    enforced.emplace(rule, lapsed || before == item.enforced.end() ? now : before->second);
  }
  if (enforced == item.enforced && (rules.empty() || now - item.confirmed < kConfirmedEach))
    return item;
  item.enforced = std::move(enforced);
  item.confirmed = now;
  return item;
}

bool is_mature(const SweepItem& item, std::string_view rule, sys_seconds now) {
  const auto found = item.enforced.find(rule);
  return found != item.enforced.end() && now - item.confirmed < kEnforcedKept &&
         now - found->second >= kMature;
}

Result<Stored<SweepItem>> parse_sweep_item(std::optional<json::Value> attributes) {
  return parse_stored<SweepItem>(kSweepId, attributes, [](ItemReader& in, SweepItem& item) {
    if (in.has(kRunning)) item.running = in.time(kRunning);
    if (in.has(kEnded)) item.ended = in.time(kEnded);
    if (in.has(kEnforced)) {
      ItemReader enforced = in.object(kEnforced);
      for (const std::string& rule : enforced.names())
        item.enforced.emplace(rule, enforced.time(rule));
    }
    if (in.has(kConfirmed)) item.confirmed = in.time(kConfirmed);
    if (in.has(kDenied))
      for (std::string& name : in.texts(kDenied)) item.denied.insert(std::move(name));
  });
}

json::Document sweep_attributes(const SweepItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    if (item.running) out.member(kRunning, epoch_seconds(*item.running));
    if (item.ended) out.member(kEnded, epoch_seconds(*item.ended));
    if (!item.enforced.empty()) {
      out.key(kEnforced).begin_object();
      for (const auto& [rule, since] : item.enforced) out.member(rule, epoch_seconds(since));
      out.end_object().member(kConfirmed, epoch_seconds(item.confirmed));
    }
    if (item.denied.empty()) return;
    out.key(kDenied).begin_array();
    for (const std::string& name : item.denied) out.string(name);
    out.end_array();
  });
}

}  // namespace trainwarden::rules
