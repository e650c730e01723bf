#include "handlers/rules/state/grace_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace trainwarden::rules {
namespace {

enum class Sent : std::uint8_t { kAll, kUnderWay, kNot };

Sent sent(const JobItem& item, const GraceRecord& grace, sys_seconds now) {
  Sent out = Sent::kAll;
  for (const std::string& key : grace.notices) {
    const auto notice = item.notices.find(key);
    if (notice == item.notices.end()) return Sent::kNot;
    const Claim& claim = notice->second.claim;
    if (claim.done) continue;
    if (now - claim.at >= kClaimHolds) return Sent::kNot;
    out = Sent::kUnderWay;
  }
  return out;
}

std::chrono::seconds unconfirmed(const GraceRecord& grace, sys_seconds now) {
  return now - std::max(grace.at, grace.confirmed);
}

void forget(JobItem& item, const std::vector<std::string>& notices) {
  for (const std::string& key : notices) item.notices.erase(key);
}

}  // namespace

std::chrono::seconds lapses_after(std::chrono::seconds sweep_interval) {
  constexpr std::chrono::minutes kLongestInvocation{15};
  return std::max<std::chrono::seconds>(2 * sweep_interval, kLongestInvocation);
}

Step<JobItem, GraceDecision> decide_grace(JobItem item, const GraceOrder& order, sys_seconds now) {
  using Kind = GraceDecision::Kind;
  // A look that is behind sees the job run, which is being stopped: nothing is left to announce.
  if (item.stop && item.stop->accepted) return {std::move(item), {.kind = Kind::kOver}};
  const auto found = item.graces.find(order.rule);
  std::optional<sys_seconds> in_vain_since;
  if (found != item.graces.end()) {
    const sys_seconds until = found->second.until;
    const Sent announced = sent(item, found->second, now);
    const bool lapsed = unconfirmed(found->second, now) > lapses_after(order.sweep_interval);
    if (announced == Sent::kUnderWay || (announced == Sent::kAll && !lapsed && now < until))
      return {std::move(item), {Kind::kWait, until}};
    if (announced == Sent::kAll && !lapsed) return {std::move(item), {Kind::kOver, until}};
    if (announced == Sent::kNot && !lapsed) {
      in_vain_since = found->second.in_vain_since.value_or(found->second.at);
      if (now - *in_vain_since >=
          std::max<std::chrono::seconds>(kAnnouncedInVain, order.until - now))
        return {std::move(item), {Kind::kOver, until}};
    }
    forget(item, found->second.notices);
  }
  forget(item, order.notices);
  item.graces.insert_or_assign(order.rule, GraceRecord{.at = now,
                                                       .until = order.until,
                                                       .notices = order.notices,
                                                       .rule = order.fingerprint,
                                                       .in_vain_since = in_vain_since});
  return {std::move(item), {Kind::kAnnounce, order.until}};
}

bool was_counted(const JobItem& item, const GraceOrder& order, sys_seconds now) {
  const auto found = item.graces.find(order.rule);
  return found != item.graces.end() && found->second.rule == order.fingerprint &&
         !order.fingerprint.empty() &&
         decide_grace(item, order, now).decision.kind == GraceDecision::Kind::kOver;
}

bool needs_confirming(const JobItem& item, std::string_view rule,
                      std::chrono::seconds sweep_interval, sys_seconds now) {
  const auto found = item.graces.find(rule);
  if (found == item.graces.end()) return false;
  const std::chrono::seconds since = unconfirmed(found->second, now);
  const std::chrono::seconds lapses = lapses_after(sweep_interval);
  return since >= lapses * 3 / 8 && since <= lapses;
}

JobItem confirm_grace(JobItem item, std::string_view rule, std::chrono::seconds sweep_interval,
                      sys_seconds now) {
  if (needs_confirming(item, rule, sweep_interval, now))
    item.graces.find(rule)->second.confirmed = now;
  return item;
}

JobItem end_grace(JobItem item, std::string_view rule) {
  const auto found = item.graces.find(rule);
  if (found == item.graces.end()) return item;
  forget(item, found->second.notices);
  item.graces.erase(found);
  return item;
}

bool is_timely(const JobItem& item, std::string_view rule, sys_seconds now) {
  const auto found = item.graces.find(rule);
  return found != item.graces.end() &&
         now - found->second.at <= (found->second.until - found->second.at) / 2;
}

}  // namespace trainwarden::rules
