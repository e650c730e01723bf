#include "handlers/rules/state/begin_steps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/json/utf8.h"

namespace trainwarden::rules {
std::string shortened(std::string_view why) {
  return std::string(why.substr(0, json::utf8_boundary(why, kLongestWhy)));
}

namespace {

StopRecord stop_of(const StopOrder& order, sys_seconds now) {
  return {.rule = order.rule, .why = shortened(order.why), .at = now};
}

RestartRecord restart_of(const RestartOrder& order, sys_seconds now) {
  return {.rule = order.rule,
          .why = shortened(order.why),
          .at = now,
          .spot = order.spot,
          .types = order.types,
          .settings = order.settings};
}

// More at once are odd, and one that is not kept closes nothing.
constexpr std::size_t kMostAttempts = 8;

void join(std::vector<std::string>& attempts, std::string_view attempt) {
  if (attempts.size() < kMostAttempts && std::ranges::find(attempts, attempt) == attempts.end())
    attempts.emplace_back(attempt);
}

// After the first denial, the second, and so on; the last stays.
constexpr std::array<std::chrono::minutes, 4> kTriedAgainAfter = {
    std::chrono::minutes(5), std::chrono::minutes(30), std::chrono::hours(4),
    std::chrono::hours(24)};

// Attempts that began before anybody knew of the denial are denied together with it.
void note_refusal(JobItem& item, std::string_view error, sys_seconds now) {
  const std::int64_t before = item.refused ? item.refused->times : 0;
  const bool together = item.refused && now < refused_until(*item.refused);
  item.refused =
      RefusedRecord{.at = now, .error = shortened(error), .times = together ? before : before + 1};
}

bool is_closed_for_good(const JobItem& item) { return item.closed && is_final(item.closed->why); }

}  // namespace

sys_seconds refused_until(const RefusedRecord& refused) {
  const std::int64_t last = std::ssize(kTriedAgainAfter) - 1;
  const auto after = std::clamp<std::int64_t>(refused.times - 1, 0, last);
  return refused.at + kTriedAgainAfter[static_cast<std::size_t>(after)];
}

bool is_refused_now(const JobItem& item, sys_seconds now) {
  return item.refused && now < refused_until(*item.refused);
}

Reason denial_of(const JobItem& item, Why why) {
  if (!item.refused) return {.why = why};
  return {.why = why, .name = item.refused->error, .at = refused_until(*item.refused)};
}

bool stop_counts(const JobItem& item, const ObservedJob& job, sys_seconds now) {
  if (!item.stop) return false;
  if (item.stop->accepted) return true;
  if (job.stopping) {
    // Where a restart was begun too, a Stopping before the stop is that restart's.
    const auto error = item.restart ? std::chrono::seconds(0) : kClockError;
    return *job.stopping + error >= item.stop->at && *job.stopping <= item.stop->at + kStopExplains;
  }
  // A job that ended otherwise cannot be stopped any more.
  return !job.has_ended() && now - item.stop->at <= kStopExplains;
}

bool is_same(const RestartRecord& begun, const RestartOrder& order) {
  return begun.rule == order.rule && begun.spot == order.spot && begun.types == order.types &&
         begun.settings == order.settings;
}

Step<JobItem, StopDecision> begin_stop(JobItem item, const StopOrder& order, sys_seconds now) {
  if (item.copy) return {std::move(item), StopDecision::kCopyUnderWay};
  if (is_refused_now(item, now)) return {std::move(item), StopDecision::kRefusedNow};
  // One that nobody accepted would soon explain no Stopping any more: it is begun anew.
  const bool stays = item.stop && (item.stop->accepted || now - item.stop->at < kStillUnderWay);
  if (!stays) item.stop = stop_of(order, now);
  return {std::move(item), StopDecision::kStop};
}

JobItem stop_accepted(JobItem item, const StopOrder& order, sys_seconds now) {
  if (!item.stop) item.stop = stop_of(order, now);
  item.stop->accepted = true;
  item.graces.clear();
  return item;
}

JobItem stop_refused(JobItem item, std::string_view error, sys_seconds now) {
  if (item.stop && !item.stop->accepted) item.stop.reset();
  note_refusal(item, error, now);
  return item;
}

Step<JobItem, RestartDecision> begin_restart(JobItem item, const RestartOrder& order,
                                             std::string_view attempt, const ObservedJob& job,
                                             sys_seconds now) {
  // Who finds out when it writes again that it is not to stop the job takes its attempt back.
  const auto take_back = [&](RestartDecision decision, Closed why = Closed::kNoLongerAsked) {
    return Step<JobItem, RestartDecision>{restart_not_done(std::move(item), attempt, why, now),
                                          decision};
  };
  if (item.copy) return take_back(RestartDecision::kCopied);
  if (is_closed_for_good(item)) return take_back(RestartDecision::kClosedForGood);
  if (stop_counts(item, job, now)) return take_back(RestartDecision::kStoppedForGood);
  if (is_refused_now(item, now)) return take_back(RestartDecision::kRefusedNow, Closed::kDenied);
  const bool open = item.restart && !item.closed;
  if (open && item.restart->accepted) return take_back(RestartDecision::kAcceptedBefore);
  const bool recent = open && now - item.restart->at < kStillUnderWay;
  if (recent && !is_same(*item.restart, order)) return take_back(RestartDecision::kAnotherBegun);
  if (recent)
    item.restart->again = now;
  else
    item.restart = restart_of(order, now);
  join(item.restart->attempts, attempt);
  item.closed.reset();
  // A stop that came to nothing, or this would not have been reached.
  item.stop.reset();
  return {std::move(item), RestartDecision::kStop};
}

JobItem restart_accepted(JobItem item, const RestartOrder& order, sys_seconds now) {
  if (item.copy || is_closed_for_good(item)) return item;
  if (!item.restart || (!is_same(*item.restart, order) && !item.restart->accepted))
    item.restart = restart_of(order, now);
  item.restart->accepted = true;
  item.closed.reset();
  return item;
}

JobItem restart_not_done(JobItem item, std::string_view attempt, Closed why, sys_seconds now) {
  if (!item.restart || std::erase(item.restart->attempts, attempt) == 0) return item;
  const bool is_open = !item.closed && !item.copy && !item.restart->accepted;
  if (is_open && item.restart->attempts.empty()) item.closed = ClosedRecord{now, why};
  return item;
}

JobItem restart_denied(JobItem item, std::string_view attempt, std::string_view error,
                       sys_seconds now) {
  note_refusal(item, error, now);
  return restart_not_done(std::move(item), attempt, Closed::kDenied, now);
}

}  // namespace trainwarden::rules
