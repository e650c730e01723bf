// Shorthands of the rule core's tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/decide/decide.h"
#include "handlers/rules/job/members.h"
#include "runtime/json/json.h"

namespace trainwarden::rules::test {

// For texts that the test itself made: a mistake in one fails the case.
inline json::Document doc(std::string_view text) {
  auto document = json::Document::parse(text, json::Syntax::kRelaxed);
  if (!document) throw std::runtime_error(document.error().message + " in " + std::string(text));
  return std::move(*document);
}

inline Policy policy(std::string_view text) {
  auto parsed = parse_policy(text);
  if (!parsed) throw std::runtime_error(parsed.error().message + " in " + std::string(text));
  return std::move(*parsed);
}

// An enforcing policy of one rule that stops, with these further members.
inline std::string stop_rule(std::string_view members) {
  return R"({"version": 1, "mode": "enforce", "rules": [{"name": "r", "actions": ["stop"], )" +
         std::string(members) + "}]}";
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::vector<std::string> texts(std::span<const Remark> remarks) {
  std::vector<std::string> out;
  for (const Remark& remark : remarks) out.push_back(remark.text());
  return out;
}

inline std::vector<ActionKind> kinds(const std::vector<Action>& actions) {
  std::vector<ActionKind> out;
  for (const Action& action : actions) out.push_back(action.kind);
  return out;
}

// With TRAINWARDEN_ALARM_REQUESTS set, added to that file, for alarm_requests_test.py.
inline void record_alarm_requests(const std::vector<std::string>& bodies) {
  const char* const path = std::getenv("TRAINWARDEN_ALARM_REQUESTS");
  if (path == nullptr) return;
  std::ofstream out(path, std::ios::app);
  for (const std::string& body : bodies) out << body << "\n";
}

inline constexpr sys_seconds kNow{std::chrono::seconds(1'783'000'600)};

// A state event of a job that runs.
inline JobEvent running() {
  return {Trigger::kState, "train-1", "InProgress", "Training", std::nullopt};
}

}  // namespace trainwarden::rules::test
