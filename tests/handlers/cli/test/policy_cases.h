// Cases for `trainwarden test`, and what it says of them.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "handlers/cli/test/test_command.h"

namespace trainwarden::cli::policy_cases {

inline constexpr std::string_view kPolicy = R"({
  "version": 1, "mode": "observe",
  "watches": {"gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300, "periods": 3,
    "at_most": 1, "per_gpu": true, "hosts": "every", "missing": "notBreaching", "warmup_seconds": 1800}},
  "rules": [
    {"name": "required-tags", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
      "tags": {"team": [{"exists": false}]}}, "actions": ["stop", "notify"]},
    {"name": "watch-gpus", "match": {"job": {"SecondaryStatus": ["Training"]},
      "resources": {"gpus": [{"numeric": [">", 0]}]}}, "actions": [{"watch": ["gpu-idle"]}]},
    {"name": "stop-idle", "match": {"alarm": {"watch": ["gpu-idle"], "state": ["ALARM"]}},
      "actions": ["stop", "notify"]},
    {"name": "too-long", "match": {"job": {"TrainingJobStatus": ["InProgress"]},
      "runtime": {"elapsed_seconds": [{"numeric": [">", 259200]}]}}, "actions": ["notify"]}
  ]})";

// A job that starts, and breaks no rule but by its tags.
inline constexpr std::string_view kStarting =
    R"("job": {"TrainingJobName": "j", "TrainingJobStatus": "InProgress", "SecondaryStatus": "Starting",
       "CreationTime": "2026-11-20T08:00:00Z"}, "now": "2026-11-20T09:00:00Z")";

inline std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

inline Printed run(std::string_view lines, std::string_view policy = kPolicy) {
  std::stringstream in{std::string(lines)};
  return test_policy({.policy_name = "p.json", .policy = std::string(policy), .file = "c.jsonl"},
                     in);
}

// One case, without its braces.
inline Printed run_one(const std::string& members, std::string_view policy = kPolicy) {
  return run("{" + one_line(members) + "}\n", policy);
}

// A case about the job that starts, with these tags.
inline std::string starting(std::string_view name, std::string_view tags, std::string_view expect) {
  return one_line("{\"name\": \"" + std::string(name) + "\", " + std::string(kStarting) +
                  ", \"tags\": " + std::string(tags) + ", \"expect\": " + std::string(expect) +
                  "}") +
         '\n';
}

inline Printed run_expect(std::string_view expect, std::string_view tags = "{}") {
  return run(starting("a", tags, expect));
}

// A sentence may be broken at a space.
inline bool says(const Printed& printed, std::string_view text) {
  std::string flat;
  for (const char c : printed.output + printed.error) {
    if (c != ' ' && c != '\n')
      flat += c;
    else if (!flat.ends_with(' '))
      flat += ' ';
  }
  return flat.find(text) != std::string::npos;
}

#define EXPECT_SAYS(printed, text) \
  EXPECT_TRUE(says(printed, text)) << (printed).output << (printed).error
#define EXPECT_SILENT_ON(printed, text) EXPECT_FALSE(says(printed, text)) << (printed).output

}  // namespace trainwarden::cli::policy_cases
