#include "handlers/rules/backtest/replay_limits.h"

#include "handlers/rules/state/brake.h"

namespace trainwarden::rules {
namespace {

std::int64_t within_the_hour(std::deque<sys_seconds>& times, sys_seconds now,
                             std::chrono::seconds window) {
  while (!times.empty() && times.front() + window <= now) times.pop_front();
  return static_cast<std::int64_t>(times.size());
}

}  // namespace

std::optional<Reason> ReplayLimits::stop(sys_seconds at, bool silent) {
  const std::int64_t stops = within_the_hour(stops_, at, kSlotCounts);
  if (stops >= limits_.stops_per_hour)
    return Reason{.why = Why::kStopsPerHour, .number = stops, .limit = limits_.stops_per_hour};
  const std::int64_t of_silent = within_the_hour(silent_stops_, at, kSlotCounts);
  if (silent && of_silent >= limits_.silent_stops_per_hour)
    return Reason{
        .why = Why::kSilentPerHour, .number = of_silent, .limit = limits_.silent_stops_per_hour};
  stops_.push_back(at);
  if (silent) silent_stops_.push_back(at);
  return std::nullopt;
}

std::optional<Reason> ReplayLimits::copy(sys_seconds at) {
  const std::int64_t copies = within_the_hour(copies_, at, kSlotCounts);
  if (copies >= limits_.restarts_per_hour)
    return Reason{
        .why = Why::kRestartsPerHour, .number = copies, .limit = limits_.restarts_per_hour};
  copies_.push_back(at);
  return std::nullopt;
}

std::optional<Reason> ReplayLimits::silent_together(sys_seconds now) {
  const std::int64_t many = within_the_hour(silent_, now, kSilentTogether);
  if (many <= limits_.silent_stops_per_hour) return std::nullopt;
  return Reason{.why = Why::kSilentPerHour, .number = many, .limit = limits_.silent_stops_per_hour};
}

}  // namespace trainwarden::rules
