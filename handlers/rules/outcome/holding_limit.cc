#include "handlers/rules/outcome/holding_limit.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

namespace trainwarden::rules {
namespace {

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kHoldingLimits.size(); ++i)
    if (std::to_underlying(kHoldingLimits[i].limit) != i) return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

Why why_of(HoldingLimit limit) { return kHoldingLimits[std::to_underlying(limit)].why; }

std::string_view limit_name(Why why) {
  const auto* const found = std::ranges::find(kHoldingLimits, why, &LimitName::why);
  assert(found != kHoldingLimits.end());
  return found == kHoldingLimits.end() ? std::string_view() : found->member;
}

}  // namespace trainwarden::rules
