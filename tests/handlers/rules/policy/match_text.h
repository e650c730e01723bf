// A policy's text with that match.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::match_text {

inline std::string with_match(std::string_view match) {
  return R"({"version": 1, "rules": [{"name": "r", "actions": ["stop"], "match": )" +
         std::string(match) + "}]}";
}

}  // namespace trainwarden::rules::match_text
