#include "awsapi/retry.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "runtime/base/digits.h"

namespace trainwarden::aws {
namespace {

constexpr int kThrottlingCost = 5;
constexpr int kTransientCost = 14;

int cost(ErrorCode code) {
  return code == ErrorCode::kThrottled ? kThrottlingCost : kTransientCost;
}

}  // namespace

Result<std::optional<int>> max_attempts_from(const Environment& environment) {
  constexpr int kMost = 10;
  const auto text = environment.get("AWS_MAX_ATTEMPTS");
  if (!text) return std::nullopt;
  const auto attempts = whole_number(*text, 1);
  if (attempts) return static_cast<int>(std::min<std::int64_t>(*attempts, kMost));
  return malformed_variable("AWS_MAX_ATTEMPTS", "a whole number from 1 on", *text);
}

std::chrono::milliseconds backoff(ErrorCode code, int retry, double jitter,
                                  std::optional<std::chrono::milliseconds> asked,
                                  std::chrono::milliseconds transient_delay) {
  using std::chrono::milliseconds;
  constexpr double kThrottlingBaseMs = 1000;
  constexpr double kMaxMs = 20'000;
  constexpr milliseconds kPatience{5000};
  const double base = code == ErrorCode::kThrottled ? kThrottlingBaseMs
                                                    : static_cast<double>(transient_delay.count());
  const milliseconds delay(static_cast<long>(jitter * std::min(std::ldexp(base, retry), kMaxMs)));
  return asked ? std::clamp(*asked, delay, delay + kPatience) : delay;
}

std::function<double()> random_jitter() {
  constexpr double kRange = 4294967296.0;
  return [] { return std::random_device{}() / kRange; };
}

bool RetryBudget::take(ErrorCode code) {
  if (tokens_ < cost(code)) return false;
  tokens_ -= cost(code);
  return true;
}

void RetryBudget::give_back(std::optional<ErrorCode> last_retry) {
  tokens_ = std::min(kCapacity, tokens_ + (last_retry ? cost(*last_retry) : 1));
}

}  // namespace trainwarden::aws
