// How many calls a second CloudWatch takes that change alarms: so many of each operation in an
// account and region, in a bucket that holds one second's.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/base/time.h"

namespace trainwarden::localaws {

class AlarmQuota {
 public:
  explicit AlarmQuota(int calls_a_second = 0) : rate_(calls_a_second) {}  // 0: any number

  // False where the call is one too many, which takes nothing from the bucket.
  bool take(std::string_view operation, sys_millis now);

 private:
  struct Bucket {
    double calls;
    sys_millis at;
  };
  int rate_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace trainwarden::localaws
