// A policy's text with some members.
#pragma once

#include <string>
#include <string_view>

#include "handlers/rules/policy/policy.h"
#include "handlers/rules/state/brake.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::policy_file_texts {

inline constexpr std::string_view kRule =
    R"({"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]})";
inline constexpr std::string_view kWatch =
    R"("metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300, "periods": 3)";

inline std::string with(std::string_view members) {
  return R"({"version": 1, "rules": [)" + std::string(kRule) + "], " + std::string(members) + "}";
}

inline std::string with_actions(std::string_view actions) {
  return R"({"version": 1, "watches": {"gpu-idle": {)" + std::string(kWatch) +
         R"(, "at_most": 1}}, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": )" +
         std::string(actions) + "}]}";
}

inline std::string with_watch(std::string_view members) {
  return with(R"("watches": {"w": {)" + std::string(members) + "}}");
}

}  // namespace trainwarden::rules::policy_file_texts
