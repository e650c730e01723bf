#include "handlers/cli/check/grace_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "handlers/rules/policy/remarks.h"

namespace trainwarden::cli {
namespace {

constexpr std::chrono::minutes kTimeToAct{5};
// The time limit of a job that sets no StoppingCondition:
// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_StoppingCondition.html
constexpr std::chrono::hours kUsualLimit{24};

template <class Holds>
auto announces(Holds holds) {
  return [holds](const rules::Rule& rule) {
    return std::ranges::any_of(rule.actions, [&](const rules::Action& action) {
      return rules::is_announced(action) && holds(action.stop.grace);
    });
  };
}

}  // namespace

std::vector<rules::Remark> grace_warnings(const rules::Policy& policy) {
  auto out = rules::remarks(
      policy, announces([](std::chrono::seconds grace) { return grace < kTimeToAct; }),
      "grace_seconds is less than five minutes: people read of the stop when it is over");
  const auto long_ones = rules::remarks(
      policy, announces([](std::chrono::seconds grace) { return grace > kUsualLimit; }),
      "grace_seconds is more than a day, which is the limit of a job that sets no "
      "MaxRuntimeInSeconds: most jobs end before they are stopped");
  out.insert(out.end(), long_ones.begin(), long_ones.end());
  return out;
}

}  // namespace trainwarden::cli
