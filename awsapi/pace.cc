#include "awsapi/pace.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trainwarden::aws {
namespace {

// A bit more: on its way a call may be late, and the one that follows it a second later is not.
constexpr std::chrono::milliseconds kSecond{1025};

std::size_t index_of(ServiceId service) {
  return static_cast<std::size_t>(static_cast<std::uint8_t>(service));
}

}  // namespace

Pace::Pace() {
  for (auto& service : begun_) service.fill(Instant::min());
}

Pace::Instant Pace::ready(ServiceId service, std::size_t calls) const {
  if (calls == 0) return Instant::min();
  const Instant last = begun_[index_of(service)][std::min(calls, kCalls) - 1];
  return last == Instant::min() ? last : last + kSecond;
}

void Pace::took(ServiceId service, std::size_t calls, Instant at) {
  auto& begun = begun_[index_of(service)];
  const auto count = static_cast<std::ptrdiff_t>(std::min(calls, kCalls));
  std::shift_left(begun.begin(), begun.end(), count);
  std::fill(begun.end() - count, begun.end(), at);
}

}  // namespace trainwarden::aws
