// `trainwarden check` (P2).
#include "handlers/cli/check/check_command.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "handlers/cli/check/sample_jobs.h"
#include "handlers/cli/terminal/text.h"
#include "handlers/rules/policy/policy.h"
#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli::check_command_test {
namespace {

// A file of that text while it lives, with a name of its own: each test is a process, and they run
// side by side.
class Written {
 public:
  explicit Written(std::string_view text) : path_(::testing::TempDir() + "check_test_XXXXXX") {
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) throw std::runtime_error("cannot create " + path_);
    const File file(::fdopen(fd, "w"));
    std::fwrite(text.data(), 1, text.size(), file.get());
  }
  ~Written() { std::remove(path_.c_str()); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Printed check(const std::string& path) { return cli::check({.path = path}); }

bool says(const Printed& printed, std::string_view part) { return printed.output.contains(part); }

std::string rule(std::string_view match) {
  return R"({"version": 1, "rules": [{"name": "r", "match": )" + std::string(match) +
         R"(, "actions": ["stop"]}]})";
}

TEST(CheckP2, TheShippedPolicyIsSound) {
  const Printed printed = check("handlers/policy.json");
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(printed.output.starts_with("handlers/policy.json: sound; 12 rules, mode observe"))
      << printed.output;
}

TEST(CheckP2, AllMistakesAtOnce) {
  const Written file(R"({"version": 2, "mode": "on", "rules": []})");
  const Printed printed = check(file.path());
  EXPECT_EQ(printed.status, 1);
  EXPECT_TRUE(says(
      printed,
      ":1:2: error: version: expected 1, found `2`: this policy is made for a newer Trainwarden\n"))
      << printed.output;
  EXPECT_TRUE(says(printed, ":1:16: error: mode: expected `observe`")) << printed.output;
  EXPECT_TRUE(printed.output.ends_with(": 3 errors\n")) << printed.output;
}

TEST(CheckP2, WarnsOfContradictions) {
  const Written file(
      rule(R"({"job": {"TrainingJobStatus": ["Completed"], "SecondaryStatus": ["Training"]}})"));
  const Printed printed = check(file.path());
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(says(printed, " warning: rules[0] (r): never matches: ")) << printed.output;
}

TEST(CheckP2, WarnsOfMachinesWithoutAPrice) {
  const Written file(
      R"({"version": 1, "prices": {"ml.p5.48xlarge": 55.04, "spot_factor": 0.5}, "rules": [
          {"name": "r", "match": {"cost": {"spent_usd": [{"numeric": [">", 100]}]}}, "actions": ["stop"]}]})");
  const Printed printed = check(file.path());
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(says(printed, " warning: prices: no price for ml.g4dn.12xlarge,")) << printed.output;
  EXPECT_NE(printed.output.find("ml.p5e.48xlarge"), std::string::npos) << printed.output;
}

// Issue 41, 8: no region sells all machines.
TEST(CheckP2, MachinesThatThePolicyDoesNotNameFailNoStrictCheck) {
  const std::string rules = R"("rules": [
      {"name": "r", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "cost": {"spent_usd": [{"numeric": [">", 100]}]}}, "actions": ["stop", "notify"]})";
  const Written open(R"({"version": 1, "prices": {"ml.p5.48xlarge": 55.04, "spot_factor": 0.5}, )" +
                     rules + "]}");
  const Printed hint = cli::check({.path = open.path(), .strict = true});
  EXPECT_EQ(hint.status, 0) << hint.output;
  EXPECT_TRUE(says(hint, " warning: prices: no price for ")) << hint.output;
  EXPECT_TRUE(says(hint, ": sound; ")) << hint.output;
  const Printed json = cli::check({.path = open.path(), .json = true, .strict = true});
  EXPECT_EQ(json.status, 0);
  EXPECT_TRUE(says(json, R"("strict": false)")) << json.output;
  const Written allows(
      R"({"version": 1, "prices": {"ml.p5.48xlarge": 55.04, "spot_factor": 0.5}, )" + rules +
      R"(, {"name": "allowed", "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "resources": {"instance_types": [{"anything-but": ["ml.p5.48xlarge", "ml.g5.xlarge"]}]}}, "actions": ["stop"]}]})");
  const Printed asked = cli::check({.path = allows.path(), .strict = true});
  EXPECT_EQ(asked.status, 1);
  EXPECT_TRUE(says(asked, "no price for ml.g5.xlarge, which the policy names or allows"))
      << asked.output;
}

// Issue 41, 2: an error of `check`, which names the operator that was meant.
TEST(CheckP2, AValueThatNoJobCanHaveIsAnError) {
  const Written file(rule(
      R"({"job": {"TrainingJobStatus": ["InProgress"], "TrainingJobName": [{"anything-but": ["prod-*"]}]}})"));
  const Printed printed = check(file.path());
  EXPECT_EQ(printed.status, 1);
  EXPECT_TRUE(
      says(printed,
           R"( error: rules[0].match.job.TrainingJobName[0]: `prod-*` is no job.TrainingJobName)"))
      << printed.output;
  EXPECT_TRUE(says(printed, R"(did you mean `{"anything-but": {"wildcard": "prod-*"}}`?)"));
  EXPECT_TRUE(printed.output.ends_with(": 1 error\n")) << printed.output;
}

// Issue 41, 3: tenants write names and tags.
TEST(CheckP4, AnExemptionByANameOrTagAloneIsWarnedOf) {
  const auto output = [](const std::string& unless) {
    const Written file(R"({"version": 1, "unless": )" + unless + R"(, "rules": [{"name": "r",
      "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "runtime": {"training_seconds": [{"numeric": [">", 9]}]}}, "actions": ["stop"]}]})");
    return check(file.path()).output;
  };
  constexpr std::string_view kSays =
      " warning: unless: exempts jobs from every rule by a name or tag";
  for (const char* const unless :
       {R"({"job": {"TrainingJobName": [{"prefix": "prod-"}]}})",
        R"({"tags": {"stage": ["prod"]}})",
        R"({"until": {"keep": [{"numeric": [">", 0, "<", 9]}]}})",
        R"({"tags": {"stage": ["prod"]}, "job": {"TrainingJobName": [{"prefix": "prod-"}]}})",
        R"([{"job": {"RoleArn": [{"suffix": "/p"}]}}, {"tags": {"stage": ["prod"]}}])"})
    EXPECT_TRUE(output(unless).contains(kSays)) << output(unless);
  for (const char* const unless :
       {R"({"job": {"TrainingJobName": [{"prefix": "prod-"}], "RoleArn": [{"suffix": "/p"}]}})",
        R"({"event": {"account": ["111122223333"]}})", R"({"lineage": {"child_of": ["automl"]}})",
        R"({"tags": {"stage": ["prod"]}, "job": {"RoleArn": [{"suffix": "/p"}]}})"})
    EXPECT_FALSE(output(unless).contains(kSays)) << output(unless);
}

// Issue 41, 17: what a text that is not JSON looks like.
TEST(CheckP2, SaysWhatATextLooksLike) {
  const auto output = [](std::string_view text) { return check(Written(text).path()).output; };
  EXPECT_TRUE(output("version: 1\nrules:\n  - name: r\n").contains("this looks like YAML"));
  EXPECT_TRUE(output("---\nversion: 1\n").contains("this looks like YAML"));
  EXPECT_TRUE(output("{'version': 1, 'rules': []}").contains("this looks like Python"));
  EXPECT_FALSE(output("{\"version\": 1,, \"rules\": []}").contains("looks like"));
  EXPECT_TRUE(output(rule(R"({"tags": {"model_name": {"exists": false}}})"))
                  .contains(R"(`"model_name": [{"exists": false}]`)"));
  EXPECT_TRUE(output(rule(R"({"resources": {"gpus": {"numeric": [">", 1]}}})"))
                  .contains(R"(`"gpus": [{"numeric": [">",1]}]`)"));
  EXPECT_TRUE(output(rule(R"({"tags": {"team": "vision"}})")).contains("write `[\"vision\"]`"));
  // Tags and hyperparameters may have such names.
  EXPECT_TRUE(
      output(rule(R"({"tags": {"prefix": ["x"]}, "job": {"HyperParameters": {"exists": ["1"]}}})"))
          .contains(": sound"));
  EXPECT_TRUE(output(R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}},
                         "actions": [{"stop": {"grace": 900}}]}]})")
                  .contains("did you mean `grace_seconds`?"));
}

TEST(CheckP2, WarnsOfAlarmsThatNobodyHears) {
  const Written file(rule(R"({"alarm": {"state": ["OK"]}})"));
  const Printed printed = check(file.path());
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(says(printed, " warning: rules[0] (r): never acts: ")) << printed.output;
}

TEST(CheckA1, SaysThatTheStopOfATuningJobEndsAllOfItsJobs) {
  const std::string match = R"({"tags": {"team": [{"exists": false}]}})";
  const Written whole(R"({"version": 1, "rules": [{"name": "r", "match": )" + match +
                      R"(, "actions": [{"stop": {"tuning_job": true}}]}]})");
  const Printed printed = check(whole.path());
  EXPECT_EQ(printed.status, 0);
  EXPECT_NE(printed.output.find("note: rules[0] (r): "), std::string::npos) << printed.output;
  EXPECT_NE(printed.output.find("every training job"), std::string::npos) << printed.output;
  for (const char* actions : {R"(["stop"])", R"([{"stop": {"tuning_job": false}}])"}) {
    const Written one(R"({"version": 1, "rules": [{"name": "r", "match": )" + match +
                      R"(, "actions": )" + actions + "}]}");
    EXPECT_EQ(check(one.path()).output.find("note: "), std::string::npos) << actions;
  }
}

// S1: what a sweep does not run again.
TEST(CheckS1, SaysThatSweepsRestartOnlyWhatFailedSinceTheRuleWasEnforced) {
  const auto output = [](const std::string& match, const char* action) {
    const Written file(R"({"version": 1, "rules": [{"name": "r", "match": )" + match +
                       R"(, "actions": [)" + action + "]}]}");
    return check(file.path()).output;
  };
  const std::string failed = R"({"job": {"TrainingJobStatus": ["Failed"]}})";
  EXPECT_NE(output(failed, "\"restart\"").find("note: rules[0] (r): sweeps restart no job that "),
            std::string::npos);
  EXPECT_EQ(output(failed, "\"notify\"").find("note: "), std::string::npos);
  const std::string running = R"({"job": {"SecondaryStatus": ["Interrupted"]}})";
  EXPECT_EQ(output(running, "\"restart\"").find("note: "), std::string::npos);
}

TEST(CheckP2, AFileThatIsNotThere) {
  const Printed printed = check("/nonexistent/policy.json");
  EXPECT_EQ(printed.status, 2);
  EXPECT_FALSE(printed.error.empty());
}

struct Stop {
  std::string_view match;
  bool everything;
};

constexpr Stop kStops[] = {
    {R"({"job": {"TrainingJobStatus": ["InProgress"]}})", true},
    {R"({"job": {"TrainingJobStatus": [{"anything-but": "Completed"}]}})", true},
    {R"({"job": {"FailureReason": [{"exists": false}]}})", true},
    {R"({"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": [{"exists": false}]}})",
     false},
    {R"({"resources": {"instance_count": [{"numeric": [">=", 1]}]}})", true},
    {R"({"resources": {"gpus": [{"numeric": [">", 0]}]}})", false},
    {R"({"resources": {"spot": [true]}})", false},
    {R"({"alarm": {"state": ["ALARM"]}})", false},
    {R"([{"tags": {"a": [{"exists": true}]}}, {"tags": {"a": [{"exists": false}]}}])", true},
    {R"({"resources": {"instance_types": [{"anything-but": ["ml.m5.large", "ml.c5.large"]}]}})",
     false},
    {R"({"resources": {"instance_types": [{"anything-but": {"prefix": "ml.x"}}]}})", false},
    {R"({"job": {"AlgorithmSpecification": {"TrainingImage": [{"anything-but": {"wildcard":
        ["444455556666.dkr.ecr.*.amazonaws.com/*"]}}]}}})",
     false},
    {R"({"job": {"RoleArn": [{"anything-but": ["arn:aws:iam::111122223333:role/ml"]}]}})", false},
    {R"({"job": {"Environment": {"OWNER": [{"exists": false}]}}})", false},
    {R"({"job": {"OutputDataConfig": {"KmsKeyId": [{"exists": false}]}}})", false},
    {R"({"tags": {"team": [{"exists": false}, {"anything-but": ["a", "b"]}]}})", false},
    {R"({"resources": {"instance_count": [{"anything-but": [3]}]}})", false},
    // What one element leaves out, another takes.
    {R"({"resources": {"instance_types": [{"anything-but": ["a"]}, {"anything-but": ["b"]}]}})",
     true},
    {R"({"resources": {"instance_types": [{"anything-but": ["ml.x"]}, {"exists": true}]}})", true},
    // One alternative allows, the other stops everything.
    {R"([{"job": {"RoleArn": [{"anything-but": ["x"]}]}}, {"job": {"TrainingJobStatus": ["InProgress"]}}])",
     true},
    // Every job goes through statuses and triggers; no job that runs has failed.
    {R"({"job": {"SecondaryStatus": [{"anything-but": ["Stopping"]}]}})", true},
    {R"({"event": {"trigger": [{"anything-but": "alarm"}]}})", true},
    {R"({"failure": {"kind": [{"exists": false}]}, "job": {"TrainingJobStatus": ["InProgress"]}})",
     true},
};

struct Exempt {
  std::string_view unless;
  bool everything;
};

constexpr Exempt kExempts[] = {
    {R"({"tags": {"team": ["a", "b"]}})", false},
    {R"({"tags": {"team": [{"prefix": "ml-"}]}})", false},
    {R"({"resources": {"instance_types": ["ml.m5.large", "ml.c5.large"]}})", false},
    {R"({"resources": {"instance_count": [{"numeric": [">", 100, "<", 200]}]}})", false},
    {R"({"job": {"RoleArn": ["arn:aws:iam::111122223333:role/ml"]}})", false},
    {R"({"lineage": {"child_of": ["automl"]}})", false},
    {R"({"event": {"account": ["444455556666"]}})", false},
    {R"({"time": {"hour": [2, 3]}})", false},
    {R"([{"job": {"TrainingJobStatus": ["Failed"]}}, {"tags": {"team": ["a"]}}])", false},
    {R"({"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"team": ["a"]}})", false},
    // No job that runs is exempt by these, or not for good.
    {R"({"job": {"TrainingJobStatus": ["Completed", "Failed"]}})", true},
    {R"({"job": {"TrainingJobStatus": ["Completed"]}, "tags": {"team": ["a"]}})", true},
    {R"({"job": {"SecondaryStatus": ["Completed"]}})", true},
    {R"({"job": {"TrainingEndTime": [{"exists": true}]}})", true},
    {R"({"failure": {"kind": ["AlgorithmError"]}})", true},
    {R"({"warm_pool": {"idle_seconds": [{"numeric": [">", 60]}]}})", true},
    {R"({"alarm": {"state": ["ALARM"]}})", true},
    {R"({"event": {"trigger": ["sweep"]}})", true},
};

TEST(CheckP2, WhatARuleAllowsByNameIsNotEverything) {
  for (const Exempt& c : kExempts) {
    const auto policy = rules::parse_policy(
        R"({"version": 1, "rules": [{"name": "r", "match": {"job": {"TrainingJobStatus":
            ["InProgress"]}}, "actions": ["stop"], "unless": )" +
        std::string(c.unless) + "}]}");
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(stops_of_everything(*policy).size(), c.everything ? 1U : 0U) << c.unless;
  }
}

TEST(CheckP2, WarnsOfAStopThatSaysNothingOfTheStatus) {
  const Written file(rule(R"({"tags": {"team": [{"exists": false}]}})"));
  EXPECT_TRUE(says(check(file.path()), ":1:26: warning: rules[0] (r): holds for jobs that have "));
  const Written running(
      rule(R"({"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"a": ["b"]}})"));
  EXPECT_FALSE(says(check(running.path()), "warning: "));
}

TEST(CheckP2, WarnsOfAStopThatHitsEverySampleJob) {
  for (const Stop& c : kStops) {
    const auto policy = rules::parse_policy(rule(c.match));
    ASSERT_TRUE(policy) << c.match;
    EXPECT_EQ(stops_of_everything(*policy).size(), c.everything ? 1U : 0U) << c.match;
  }
  const auto notice = rules::parse_policy(
      R"({"version": 1, "rules": [{"name": "r", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
          "actions": ["notify"]}]})");
  EXPECT_TRUE(stops_of_everything(*notice).empty());
}

TEST(Text, Wraps) {
  EXPECT_EQ(wrapped("aa bb cc", 5, 2), "aa bb\n  cc");
  EXPECT_EQ(wrapped("  aa bb", 5, 2), "  aa\n  bb");
  EXPECT_EQ(wrapped("aaaaaaaa b", 5, 0), "aaaaaaaa\nb");
  EXPECT_EQ(wrapped("éé éé", 5, 0), "éé éé");
  EXPECT_EQ(wrapped("", 5, 0), "");
}

TEST(CheckA5, WarnsOfARuleThatTellsOfEndsAsWell) {
  const Written file(R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}},)"
                     R"("actions": ["notify"]}]})");
  const Printed printed = check(file.path());
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(says(printed, " warning: rules[0] (r): tells of jobs that have ended, too"))
      << printed.output;
}

TEST(CheckA5, AContactIsShortAndNotEmpty) {
  const auto with = [](const std::string& contact) {
    const Written file(R"({"version": 1, "notify": {"contact": ")" + contact +
                       R"("}, "rules": [{"name": "r", "match": {"alarm": {"state": ["ALARM"]}},)"
                       R"("actions": ["stop"]}]})");
    return check(file.path());
  };
  EXPECT_EQ(with("#ml-platform").status, 0);
  EXPECT_TRUE(says(with(""), " error: notify.contact: expected 1 to 200 bytes"));
  EXPECT_EQ(with(std::string(200, 'a')).status, 0);
  EXPECT_EQ(with(std::string(201, 'a')).status, 1);
}

}  // namespace
}  // namespace trainwarden::cli::check_command_test
