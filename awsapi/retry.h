// The AWS SDKs' standard retry mode as pure parts: how long to wait, and a budget that keeps a
// failing service from being asked three times as often. Source:
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"

namespace trainwarden::aws {

// AWS_MAX_ATTEMPTS, nullopt where it is unset; kInvalidConfig unless it is a number from 1 on. More
// than 10 are as good as 10: with their pauses, those take minutes.
Result<std::optional<int>> max_attempts_from(const Environment& environment);

// The wait before retry number `retry` (from 0), with jitter from [0, 1). `asked` is the service's
// x-amz-retry-after, which is honoured up to 5 s beyond the computed delay. transient_delay: the
// service's own.
std::chrono::milliseconds backoff(
    ErrorCode code, int retry, double jitter, std::optional<std::chrono::milliseconds> asked,
    std::chrono::milliseconds transient_delay = std::chrono::milliseconds(50));

// A source of jitter that differs from process to process.
std::function<double()> random_jitter();

// Tokens are taken for retries and given back by success. One per process.
class RetryBudget {
 public:
  // False where the budget is used up: then do not retry.
  bool take(ErrorCode code);
  // A call that succeeded gives back what its last retry took, or 1 if there was none.
  void give_back(std::optional<ErrorCode> last_retry);

 private:
  static constexpr int kCapacity = 500;
  int tokens_ = kCapacity;
};

}  // namespace trainwarden::aws
