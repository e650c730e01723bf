// What tests of the fact groups share.
#pragma once

#include <string>

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

}  // namespace trainwarden::rules::facts_support
