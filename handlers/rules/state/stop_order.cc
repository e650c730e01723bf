#include "handlers/rules/state/stop_order.h"

#include <algorithm>
#include <tuple>

namespace trainwarden::rules {

std::ptrdiff_t next_stop(std::span<const WaitingStop> waiting, Share share,
                         const std::map<std::string, std::size_t>& stopped) {
  const auto key = [&](const WaitingStop& one) {
    const auto of_role = stopped.find(one.role);
    const std::size_t had = of_role == stopped.end() ? 0 : of_role->second;
    return std::tuple(one.denied, share == Share::kTurn ? had : 0, -one.usd_per_hour);
  };
  return std::ranges::min_element(waiting, {}, key) - waiting.begin();
}

}  // namespace trainwarden::rules
