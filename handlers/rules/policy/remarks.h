// `check`'s warnings on whole rules.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/patterns/diagnostics.h"
#include "handlers/rules/policy/policy.h"

namespace trainwarden::rules {

// "rules[2] (name): <what>"
inline Remark remark(const Policy& policy, std::size_t rule, std::string_view what) {
  return {fmt::format("rules[{}] ({})", rule, policy.rules()[rule].name),
          fmt::format("/rules/{}", rule), std::string(what)};
}

// The same remark on each rule that holds(rule).
template <class Holds>
std::vector<Remark> remarks(const Policy& policy, const Holds& holds, std::string_view what) {
  std::vector<Remark> out;
  for (std::size_t i = 0; i < policy.rules().size(); ++i)
    if (holds(policy.rules()[i])) out.push_back(remark(policy, i, what));
  return out;
}

}  // namespace trainwarden::rules
