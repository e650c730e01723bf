#include "handlers/rules/state/notice_claims.h"

#include <utility>

namespace trainwarden::rules {
Step<JobItem, NoticeDecision> claim_notice(JobItem item, std::string_view key,
                                           std::string_view what, std::string_view by,
                                           sys_seconds now) {
  using Kind = NoticeDecision::Kind;
  auto found = item.notices.find(key);
  if (found == item.notices.end()) {
    found = item.notices.emplace(key, NoticeRecord()).first;
    if (what.size() <= kLongestWhat) found->second.what = what;
  } else {
    const Claim& claim = found->second.claim;
    switch (answer_to(claim, by, now)) {
      case ClaimAnswer::kDone:
        return {std::move(item), {.kind = Kind::kNotifiedBefore}};
      case ClaimAnswer::kOthers: {
        const sys_seconds until = claim.at + kClaimHolds;
        return {std::move(item), {.kind = Kind::kUnavailable, .until = until}};
      }
      case ClaimAnswer::kMine:
        // Claimed by this invocation just now, with what it tells of: that is not written again.
        if (claim.by == by && now - claim.at < kClaimHolds / 2) {
          NoticeDecision decision{.what = found->second.what, .until = claim.at + kClaimHolds};
          return {std::move(item), std::move(decision)};
        }
        break;
    }
  }
  found->second.claim = {.at = now, .by = std::string(by)};
  NoticeDecision decision{.what = found->second.what, .until = now + kClaimHolds};
  return {std::move(item), std::move(decision)};
}

bool is_news(const NoticeRecord& last, sys_seconds since, sys_seconds now) {
  return last.claim.done && since > last.since && now - last.claim.at >= kTellAgainAfter;
}

Step<JobItem, NoticeDecision> claim_alarm_notice(JobItem item, std::string_view key,
                                                 std::string_view what, std::string_view by,
                                                 sys_seconds since, sys_seconds now) {
  const auto before = item.notices.find(key);
  const bool again = before != item.notices.end() && is_news(before->second, since, now);
  if (again) item.notices.erase(before);
  auto step = claim_notice(std::move(item), key, what, by, now);
  if (step.decision.kind == NoticeDecision::Kind::kPublish)
    step.next.notices.find(key)->second.since = since;
  step.decision.again = again;
  return step;
}

JobItem notice_done(JobItem item, std::string_view key) {
  const auto found = item.notices.find(key);
  if (found == item.notices.end()) return item;
  found->second.claim.done = true;
  found->second.what.clear();
  return item;
}

std::vector<std::string> pending_notices(const JobItem& item, std::string_view by,
                                         sys_seconds now) {
  std::vector<std::string> out;
  for (const auto& [key, notice] : item.notices)
    if (answer_to(notice.claim, by, now) == ClaimAnswer::kMine) out.push_back(key);
  return out;
}

}  // namespace trainwarden::rules
