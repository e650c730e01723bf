// What tests of the fact groups share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/facts/facts.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::facts_support {

// 2026-07-02T13:56:40Z, a Thursday
inline constexpr sys_seconds kNow = test::kNow;

// "path = value" of every leaf, joined with "; ".
inline std::string leaves(const Facts& facts, Group group) {
  std::string out;
  for (const Fields::Field& field : facts.fields(group).all()) {
    out += out.empty() ? "" : "; ";
    out += std::string(facts.fields(group).path(field)) + " = " + field.value.excerpt();
  }
  return out;
}

// Of all groups by that name that are known, sorted.
inline std::string leaves_by_name(const Facts& facts, std::string_view group_name) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kGroupCount; ++i) {
    const auto group = static_cast<Group>(i);
    if (name(group) != group_name || !facts.knows(group)) continue;
    for (const Fields::Field& field : facts.fields(group).all())
      all.push_back(std::string(facts.fields(group).path(field)) + " = " + field.value.excerpt());
  }
  std::ranges::stable_sort(all, {},
                           [](const std::string& one) { return one.substr(0, one.find(' ')); });
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : "; ") + one;
  return out;
}

}  // namespace trainwarden::rules::facts_support
