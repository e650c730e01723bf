// The cases that diagnosis is tried on: of the corpora in ../shared/vectors, and of this folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/support.h"
#include "tests/support/files.h"

namespace trainwarden::rules::failure_cases {

struct Case {
  std::string reason;
  std::vector<std::string> log;
  std::string label;
  std::string resume;
  bool ok = false;
};

inline Diagnosis of(const std::string& reason, const std::vector<std::string>& log) {
  const std::vector<std::string_view> lines(log.begin(), log.end());
  return diagnose_texts(reason, lines);
}
inline Diagnosis of(const Case& c) { return of(c.reason, c.log); }

inline std::string verdict(const Diagnosis& d) {
  return std::string(name(d.label)) + "/" + std::string(name(d.resume));
}

// A link between machines that broke.
inline constexpr const char* kBrokenLink =
    "n2:221:455 [2] NCCL WARN NET/IB : Got completion from peer 10.0.2.7<43021> with error 12, "
    "opcode 0, len 0, vendor err 129";

// Of a log without a FailureReason.
inline std::string of_log(const std::vector<std::string_view>& log) {
  return verdict(diagnose_texts("", log));
}

inline std::vector<std::string_view> lines_of(json::Value list) {
  std::vector<std::string_view> out;
  for (const json::Value line : list.elements()) out.push_back(line.as_string());
  return out;
}

// Text that is there, or empty: FailureReason may be null.
inline std::string text_of(json::Value object, std::string_view name) {
  return std::string(string_of(object, name).value_or(""));
}

inline std::vector<Case> cases_of(const std::filesystem::path& path, std::string_view reason,
                                  std::string_view log) {
  std::vector<Case> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto document = json::Document::parse(line);
    if (!document) {
      ADD_FAILURE() << path << ": " << line.substr(0, 80);
      continue;
    }
    const json::Value c = document->root();
    Case one{text_of(c, reason),
             {},
             text_of(c, "label"),
             text_of(c, "resume"),
             text_of(c, "kind") == "ok"};
    if (const auto lines = c.find_present(log))
      for (const json::Value each : lines->elements()) one.log.emplace_back(each.as_string());
    out.push_back(std::move(one));
  }
  return out;
}

inline const std::filesystem::path kFailures =
    trainwarden::testing::kShared / "vectors/failures.jsonl";
inline const std::filesystem::path kLogs = trainwarden::testing::kShared / "vectors/logs.jsonl";

#define REQUIRE_SHARED(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing: 0 cases ran"

inline std::vector<Case> failures() { return cases_of(kFailures, "failure_reason", "log_tail"); }
inline std::vector<Case> logs(bool ok) {
  std::vector<Case> out = cases_of(kLogs, "failure_reason", "log");
  std::erase_if(out, [ok](const Case& c) { return c.ok != ok; });
  return out;
}

inline std::vector<Case> own_failures() {
  return cases_of("tests/handlers/rules/failure/failure_cases.jsonl", "reason", "log");
}
// Made up, each like a kind of container.
inline std::vector<Case> own_logs() {
  return cases_of("tests/handlers/rules/failure/success_logs.jsonl", "reason", "log");
}

}  // namespace trainwarden::rules::failure_cases
