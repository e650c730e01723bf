#include "handlers/rules/state/queue_order.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>

#include "handlers/rules/state/brake.h"

namespace trainwarden::rules {

std::vector<std::size_t> queue_order(std::span<const WaitingCopy> waiting,
                                     std::map<std::string, std::size_t> made) {
  std::vector<std::size_t> oldest_first(waiting.size());
  std::iota(oldest_first.begin(), oldest_first.end(), std::size_t{0});
  const auto age = [&](std::size_t i) { return std::tie(waiting[i].ended, waiting[i].job); };
  std::ranges::sort(oldest_first, [&](std::size_t a, std::size_t b) { return age(a) < age(b); });
  std::map<std::string, std::deque<std::size_t>> lines;
  for (const std::size_t i : oldest_first) lines[role_key(waiting[i].role)].push_back(i);
  std::vector<std::size_t> out;
  out.reserve(waiting.size());
  while (!lines.empty()) {
    const auto next = std::ranges::min_element(lines, [&](const auto& a, const auto& b) {
      const std::size_t had_a = made[a.first];
      const std::size_t had_b = made[b.first];
      return had_a != had_b ? had_a < had_b : age(a.second.front()) < age(b.second.front());
    });
    out.push_back(next->second.front());
    ++made[next->first];
    next->second.pop_front();
    if (next->second.empty()) lines.erase(next);
  }
  return out;
}

}  // namespace trainwarden::rules
