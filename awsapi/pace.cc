#include "awsapi/pace.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trainwarden::aws {
namespace {

// A little more than a second, since even the quickest call takes a moment to arrive.
constexpr std::chrono::milliseconds kSecond{1010};

std::size_t index_of(ServiceId service) {
  return static_cast<std::size_t>(static_cast<std::uint8_t>(service));
}

}  // namespace

Pace::Pace() {
  for (auto& service : begun_) service.fill(Instant::min());
  quickest_.fill(Instant::duration::max());
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

void Pace::answered(ServiceId service, std::size_t calls, Instant sent, Instant::duration after) {
  if (calls == 0) return;
  auto& quickest = quickest_[index_of(service)];
  // The first call opens a connection, so its duration says nothing about the others.
  const bool is_first = quickest == Instant::duration::max();
  const auto late = is_first ? after : after - std::min(after, quickest);
  quickest = std::min(quickest, after);
  reached_by(service, calls, sent + late);
}

void Pace::reached_by(ServiceId service, std::size_t calls, Instant at) {
  auto& begun = begun_[index_of(service)];
  const auto count = static_cast<std::ptrdiff_t>(std::min(calls, kCalls));
  std::for_each(begun.end() - count, begun.end(), [&](Instant& one) { one = std::max(one, at); });
}

}  // namespace trainwarden::aws
