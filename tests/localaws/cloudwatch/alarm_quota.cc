#include "tests/localaws/cloudwatch/alarm_quota.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace trainwarden::localaws {

bool AlarmQuota::take(std::string_view operation, sys_millis now) {
  constexpr std::array<std::string_view, 3> kCounted{"PutMetricAlarm", "DeleteAlarms",
                                                     "SetAlarmState"};
  if (rate_ == 0 || std::ranges::find(kCounted, operation) == kCounted.end()) return true;
  const double most = rate_;
  auto found = buckets_.find(operation);
  if (found == buckets_.end())
    found = buckets_.emplace(std::string(operation), Bucket{most, now}).first;
  Bucket& bucket = found->second;
  const std::chrono::duration<double> passed = std::max(now, bucket.at) - bucket.at;
  bucket = {std::min(most, bucket.calls + passed.count() * most), std::max(now, bucket.at)};
  if (bucket.calls < 1) return false;
  bucket.calls -= 1;
  return true;
}

}  // namespace trainwarden::localaws
