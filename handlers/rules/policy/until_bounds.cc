#include "handlers/rules/policy/until_bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trainwarden::rules {
namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();

Reach reach_of_test(const Test& test) {
  switch (test.kind) {
    case Test::Kind::kPresent:
    case Test::Kind::kAnythingBut:
      return {-kEver, kEver};
    case Test::Kind::kNumber:
      return {test.number, test.number};
    case Test::Kind::kNumeric:
      return {test.low, test.high};
    default:
      return {};
  }
}

}  // namespace

Reach reach_of(const Condition& condition) {
  Reach out;
  for (const Test& test : condition.tests) {
    const Reach one = reach_of_test(test);
    out.earliest = std::min(out.earliest, one.earliest);
    out.latest = std::max(out.latest, one.latest);
  }
  return out;
}

std::vector<Extension> extensions_of(const Rule& rule) {
  std::vector<Extension> out;
  for (const FactPattern* const unless : rule.exemptions())
    for (const Conjunction& one : unless->any) {
      if (one.parts.size() != 1 || one.parts[0].group != Group::kUntil) continue;
      const std::vector<Condition>& conditions = one.parts[0].conditions;
      if (conditions.size() != 1 || conditions[0].accepts_absence()) continue;
      const Reach reach = reach_of(conditions[0]);
      // No job lives for years: so much is no bound that is worth telling.
      constexpr double kMost = 1e9;
      if (reach.is_empty() || reach.latest < 1 || reach.latest > kMost) continue;
      const auto seconds = static_cast<std::int64_t>(std::floor(reach.latest));
      out.push_back({conditions[0].path, std::chrono::seconds(seconds)});
    }
  return out;
}

}  // namespace trainwarden::rules
