// `trainwarden explain`: what would be decided, needed, and why.
#include "handlers/cli/explain/explain_command.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "handlers/cli/files/inputs.h"
#include "runtime/json/json.h"

namespace trainwarden::cli::explain_command_test {
namespace {

constexpr std::string_view kPolicy = R"({"version": 1, "mode": "enforce",
  "watches": {"gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum",
              "period_seconds": 300, "periods": 3, "at_most": 1}},
  "rules": [
  {"name": "required-tags", "message": "Say which model.",
   "match": {"job": {"TrainingJobStatus": ["InProgress"]}, "tags": {"model": [{"exists": false}]}},
   "actions": ["stop", "notify"]},
  {"name": "no-secrets", "mode": "notify",
   "match": {"job": {"Environment": {"TOKEN": [{"exists": true}]}}}, "actions": ["notify"]},
  {"name": "again", "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": ["restart"]},
  {"name": "stop-idle", "match": {"alarm": {"watch": ["gpu-idle"], "state": ["ALARM"]}},
   "actions": ["stop"]}]})";
constexpr std::string_view kState = R"({"detail": {"TrainingJobName": "train-1",
  "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "CreationTime": 1783000000000}})";
constexpr std::string_view kAlarm = R"({"Records": [{"Sns": {"Message":
  "{\"AlarmName\": \"trainwarden/train-1/gpu-idle/2\", \"NewStateValue\": \"ALARM\"}"}}]})";

ExplainInputs inputs() {
  ExplainInputs out;
  out.policy = kPolicy;
  out.event = kState;
  out.now = sys_seconds(std::chrono::seconds(1'783'000'600));
  return out;
}

ExplainInputs complete() {
  ExplainInputs out = inputs();
  out.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
                "SecondaryStatus": "Training", "Environment": {"TOKEN": "s3cret"}})";
  out.tags = R"({"Tags": [{"Key": "team", "Value": "vision"}]})";
  return out;
}

TEST(Explain, F5_ANamesakeIsToldAndNotDecidedOn) {
  ExplainInputs later = complete();
  later.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
                  "SecondaryStatus": "Training", "CreationTime": 1783000400})";
  const Printed printed = explain(later);
  EXPECT_EQ(printed.status, 0);
  EXPECT_NE(printed.output.find("nothing would be done"), std::string::npos);
  EXPECT_EQ(printed.output.find("stop"), std::string::npos);
}

TEST(Explain, F5_TheEventTellsItsAccountAndRegionOrTheRuleIsSkipped) {
  ExplainInputs given = inputs();
  given.policy = R"({"version": 1, "mode": "enforce",
    "watches": {"gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum",
                "period_seconds": 300, "periods": 3, "at_most": 1}},
    "rules": [{"name": "ours", "actions": ["notify"], "match": {"event": {
      "account": ["111122223333"], "region": ["eu-central-1"]}}}]})";
  EXPECT_NE(explain(given).output.find("ours: skipped: event: the event does not tell its account"),
            std::string::npos);
  const std::string rest = std::string(kState).substr(1);
  given.event = R"({"account": "111122223333", "region": "eu-central-1", )" + rest;
  EXPECT_NE(explain(given).output.find("event.account = 111122223333"), std::string::npos);
  given.event = R"({"account": "444455556666", "region": "eu-central-1", )" + rest;
  EXPECT_NE(explain(given).output.find("0 of 1 rules hold"), std::string::npos);
  given.event = R"({"Records": [{"Sns": {"Message":
    "{\"AlarmName\": \"trainwarden/train-1/gpu-idle\", \"NewStateValue\": \"ALARM\", \"Region\": \"Europe (Frankfurt)\", \"AWSAccountId\": \"111122223333\", \"AlarmArn\": \"arn:aws:cloudwatch:eu-central-1:111122223333:alarm:trainwarden/train-1/gpu-idle\"}"}}]})";
  EXPECT_NE(explain(given).output.find("event.region = eu-central-1"), std::string::npos)
      << explain(given).output;
}

// Values of hyperparameters and of the environment may be secret.
TEST(Explain, A2_WhatARestartChangesIsToldByName) {
  ExplainInputs asked = complete();
  asked.policy = R"({"version": 1, "mode": "enforce", "rules": [{"name": "again",
      "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": [{"restart": {
        "max_runtime_seconds": 172800, "hyperparameters": {"batch_size": "4711", "old": null},
        "environment": {"TOKEN": "hunter2"}}}]}]})";
  const Printed page = explain(asked);
  EXPECT_NE(
      page.output.find("restart (with other max_runtime_seconds, hyperparameters.batch_size,"),
      std::string::npos)
      << page.output;
  asked.json = true;
  const Printed object = explain(asked);
  EXPECT_NE(
      object.output.find(R"("max_runtime_seconds":172800,"hyperparameters":{"set":["batch_size"],)"
                         R"("removed":["old"]},"environment":{"set":["TOKEN"],"removed":[]})"),
      std::string::npos)
      << object.output;
  for (const Printed& printed : {page, object}) {
    EXPECT_EQ(printed.output.find("4711"), std::string::npos);
    EXPECT_EQ(printed.output.find("hunter2"), std::string::npos);
  }
}

TEST(Explain, WhatIsNotTheJobOrNotItsTagsIsAnError) {
  for (const std::string& wrong :
       {std::string("{}"), std::string(kState), std::string(R"({"Tags": []})"),
        std::string(R"({"TrainingJobName": "other", "TrainingJobStatus": "InProgress",
                                                   "SecondaryStatus": "Training"})")}) {
    ExplainInputs given = complete();
    given.job = wrong;
    EXPECT_EQ(explain(given).status, 2) << wrong;
  }
  for (const std::string& wrong :
       {std::string(R"({"Tags": {"a": 1}})"), std::string(R"({"a": {}})"),
        std::string(R"({"Tags": [], "NextToken": "n"})"), std::string(R"({"Tags": 7})")}) {
    ExplainInputs given = complete();
    given.tags = wrong;
    EXPECT_EQ(explain(given).status, 2) << wrong;
  }
  ExplainInputs given = complete();
  given.tags = R"({"Tags": {"model": "x"}})";
  EXPECT_EQ(explain(given).output.find("tags.model is absent"), std::string::npos);
}

TEST(Explain, ControlCharactersOfOthersDoNotReachTheTerminal) {
  ExplainInputs given = complete();
  given.policy = R"({"version": 1, "rules": [{"name": "a\u001b[31mb", "message": "x\u0007",
    "match": {"tags": {"team": [{"exists": true}]}}, "actions": ["stop"]}]})";
  given.tags = R"({"team": "v\u001b[2J\u009b"})";
  const std::string output = explain(given).output;
  EXPECT_EQ(output.find('\x1b'), std::string::npos);
  EXPECT_EQ(output.find('\x07'), std::string::npos);
  EXPECT_NE(output.find("a\\u001B[31mb"), std::string::npos) << output;
  EXPECT_NE(output.find("v\\u001B[2J\\u009B"), std::string::npos) << output;
}

TEST(Explain, TellsWhatIsDecidedAndWhy) {
  const Printed printed = explain(complete());
  EXPECT_EQ(printed.status, 0);
  EXPECT_EQ(printed.error, "");
  const std::string_view expected =
      "required-tags: stop, notify (enforce)\n"
      "  because job.TrainingJobStatus = InProgress\n"
      "      and tags.model is absent\n"
      "  Say which model.\n"
      "\n"
      "no-secrets: notify (notify: people are told, nothing else is done)\n"
      "  because job.Environment.TOKEN (not shown)\n"
      "\n"
      "again: restart dropped: rule required-tags stops the job\n";
  EXPECT_TRUE(printed.output.ends_with(expected)) << printed.output;
  EXPECT_TRUE(printed.output.starts_with(
      "job train-1, InProgress/Training, by state, at 2026-07-02T13:56:40Z\n"))
      << printed.output;
  EXPECT_NE(printed.output.find(": 3 of 4 rules hold\n"), std::string::npos) << printed.output;
}

// Whose tags say nothing of its generation is no original: the guards say so too.
TEST(Explain, F1_ACopyThatLostItsGenerationIsNotGenerationZero) {
  ExplainInputs given = inputs();
  given.policy = R"({"version": 1, "mode": "enforce", "rules": [{"name": "first",
      "match": {"lineage": {"generation": [0]}}, "actions": ["stop"]}]})";
  given.json = true;
  const auto stops = [&](const char* name, std::string_view tags) {
    const std::string job = fmt::format(
        R"({{"TrainingJobName": "{}", "TrainingJobStatus": "InProgress",
             "SecondaryStatus": "Training"}})",
        name);
    given.event = R"({"detail": )" + job + "}";
    given.job = job;
    given.tags = tags;
    return explain(given).output.find("\"first\"") != std::string::npos;
  };
  constexpr const char* kCopy = "train-r1-0123abcd";
  EXPECT_FALSE(stops(kCopy, R"({"trainwarden:parent": "train"})"));
  EXPECT_FALSE(stops(kCopy, R"({"trainwarden:parent": "train", "trainwarden:generation": "0x"})"));
  EXPECT_FALSE(stops(kCopy, R"({"trainwarden:generation": "0"})"));  // its name tells more
  EXPECT_TRUE(stops("train", R"({"trainwarden:generation": "0"})"));
  EXPECT_TRUE(stops("train", "{}"));
}

TEST(Explain, TellsWhatIsNeeded) {
  const Printed printed = explain(inputs());
  EXPECT_NE(printed.output.find("required-tags: undecided, needs tags\n"), std::string::npos)
      << printed.output;
  EXPECT_NE(printed.output.find("no-secrets: undecided, needs describe\n"), std::string::npos);
}

// Issue 41, 4: part of a job is no job that lacks the rest, as in a case of `test` (T3).
TEST(Explain, T3_AMemberThatIsNotGivenIsNotAbsent) {
  ExplainInputs given = inputs();
  given.policy = R"({"version": 1, "mode": "enforce", "rules": [
    {"name": "large", "match": {"resources": {"instance_types": [{"prefix": "ml.p"}]}}, "actions": ["stop"]},
    {"name": "no-role", "match": {"job": {"RoleArn": [{"exists": false}]}}, "actions": ["stop"]},
    {"name": "long", "match": {"runtime": {"elapsed_seconds": [{"numeric": [">", 1]}]}}, "actions": ["stop"]},
    {"name": "runs", "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": ["notify"]}]})";
  given.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
                  "SecondaryStatus": "Starting"})";
  const std::string told = explain(given).output;
  EXPECT_NE(told.find("1 of 4 rules hold, 3 not decided"), std::string::npos) << told;
  EXPECT_NE(told.find("large: not decided: job.ResourceConfig is not given\n"), std::string::npos)
      << told;
  EXPECT_NE(told.find("no-role: not decided: job.RoleArn is not given\n"), std::string::npos);
  EXPECT_NE(told.find("long: not decided: job.CreationTime is not given\n"), std::string::npos);
  EXPECT_EQ(told.find("no-role: stop"), std::string::npos);
  given.json = true;
  EXPECT_NE(explain(given).output.find(R"("missing":["job.ResourceConfig is not given"])"),
            std::string::npos);
  // Where it cannot matter, nothing is missing.
  given.json = false;
  given.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
                  "SecondaryStatus": "Starting", "CreationTime": 1783000000, "RoleArn": "r",
                  "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}})";
  EXPECT_EQ(explain(given).output.find("not decided"), std::string::npos) << explain(given).output;
}

// Issue 41, 3.
TEST(Explain, P4_WhatThePolicyExemptsIsSaid) {
  ExplainInputs given = complete();
  given.policy = R"({"version": 1, "unless": {"job": {"TrainingJobName": [{"prefix": "train-"}]}},
    "rules": [{"name": "runs", "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": ["stop"]}]})";
  const std::string told = explain(given).output;
  EXPECT_NE(told.find("exempted: the policy's own `unless` exempts the job from runs\n"
                      "  because job.TrainingJobName = train-1\n"),
            std::string::npos)
      << told;
  given.json = true;
  EXPECT_NE(explain(given).output.find(
                R"("exempted":{"rules":["runs"],"because":[{"path":"job.TrainingJobName")"),
            std::string::npos)
      << explain(given).output;
}

// No file tells what the functions ask S3 and the logs for.
TEST(Explain, SilenceAndCheckpointsAreNotAskedOfPeople) {
  ExplainInputs given = complete();
  given.policy = R"({"version": 1, "rules": [
    {"name": "hang", "match": {"logs": {"silent_seconds": [{"numeric": [">=", 600]}]}},
     "actions": ["stop"]},
    {"name": "late", "match": {"checkpoint": {"exists": [false]}}, "actions": ["notify"]}]})";
  given.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Training", "CheckpointConfig": {"S3Uri": "s3://bucket/x"},
    "SecondaryStatusTransitions": [{"Status": "Training", "StartTime": 1782990000}]})";
  const std::string told = explain(given).output;
  EXPECT_NE(told.find("hang: undecided, needs silence\n"), std::string::npos) << told;
  EXPECT_NE(told.find("late: undecided, needs checkpoint\n"), std::string::npos) << told;
  EXPECT_EQ(told.find("--job"), std::string::npos) << told;
  EXPECT_NE(told.find("whether the logs are silent is for the functions to look up\n"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("what lies at the job's checkpoint is for the functions to look up\n"),
            std::string::npos)
      << told;
}

TEST(Explain, AStopOfWhatLaunchedTheJobIsSaid) {
  ExplainInputs given = complete();
  given.policy = R"({"version": 1, "mode": "enforce", "rules": [
    {"name": "all", "match": {"job": {"TrainingJobStatus": ["InProgress"]}},
     "actions": [{"stop": {"tuning_job": true}}, "notify"]},
    {"name": "one", "match": {"job": {"TrainingJobStatus": ["InProgress"]}}, "actions": ["stop"]}]})";
  const std::string told = explain(given).output;
  EXPECT_NE(told.find("all: stop with tuning_job, notify (enforce)\n"), std::string::npos) << told;
  EXPECT_NE(told.find("one: stop (enforce)\n"), std::string::npos) << told;
}

// With the shipped policy: a failed job whose reason does not tell is decided by its log.
TEST(Explain, LogsAndFleetDecideWhatRestsOnThem) {
  ExplainInputs given = inputs();
  given.policy = R"({"version": 1, "rules": [
    {"name": "own-fault", "match": {"failure": {"resume": ["no"]}}, "actions": ["notify"]},
    {"name": "no-spot-today", "match": {"fleet": {"spot_timeouts_24h": [{"numeric": [">=", 3]}]}},
     "actions": ["notify"]},
    {"name": "no-machines", "match": {"fleet": {"capacity_errors_24h": [{"numeric": [">", 0]}]}},
     "actions": ["notify"]}]})";
  given.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "Failed",
    "SecondaryStatus": "Failed", "FailureReason": "AlgorithmError: exit code 1",
    "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}})";
  const std::string undecided = explain(given).output;
  EXPECT_NE(undecided.find("own-fault: undecided, needs logs\n"), std::string::npos) << undecided;
  EXPECT_NE(undecided.find("no-spot-today: undecided, needs fleet\n"), std::string::npos);
  given.fleet = R"({"spot_timeouts_24h": 3})";
  for (const char* const logs :
       {"Traceback (most recent call last):\r\n\nKeyError: 'ndcg'\r\n",
        R"({"events": [{"message": "epoch 1"}, {"message": "KeyError: 'ndcg'"}]})"}) {
    given.logs = logs;
    const Printed printed = explain(given);
    EXPECT_EQ(printed.status, 0) << printed.error;
    EXPECT_NE(printed.output.find("own-fault: notify"), std::string::npos) << printed.output;
    EXPECT_NE(printed.output.find("KeyError: 'ndcg'"), std::string::npos) << printed.output;
    EXPECT_NE(printed.output.find("no-spot-today: notify"), std::string::npos) << printed.output;
    EXPECT_EQ(printed.output.find("no-machines"), std::string::npos) << printed.output;
  }
  for (const char* const logs : {"", R"({"loss": 1})"}) {  // a line of JSON is a line
    given.logs = logs;
    EXPECT_EQ(explain(given).status, 0);
  }
  for (const char* const fleet :
       {"[]", "3", R"({"spot_timeouts": 3})", R"({"spot_timeouts_24h": "3"})"}) {
    given.fleet = fleet;
    EXPECT_TRUE(explain(given).error.starts_with("trainwarden: fleet: expected counts")) << fleet;
  }
}

// What an alarm asks for is not done on its word.
TEST(Explain, W4_WhatAnAlarmAsksForIsSubjectToItsConfirmation) {
  ExplainInputs given = inputs();
  given.event = kAlarm;
  EXPECT_NE(explain(given).output.find("if CloudWatch confirms the breach"), std::string::npos);
  given.json = true;
  EXPECT_NE(explain(given).output.find(R"("to_confirm":true)"), std::string::npos);
  // Downloading, so whatever CloudWatch says.
  given = complete();
  given.event = kAlarm;
  given.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
                  "SecondaryStatus": "Downloading"})";
  const Printed printed = explain(given);
  EXPECT_NE(printed.output.find("nothing would be done: the alarm is not confirmed: the job is not "
                                "training: it\n  is InProgress/Downloading"),
            std::string::npos)
      << printed.output;
  EXPECT_EQ(printed.output.find("stop-idle: stop"), std::string::npos) << printed.output;
  given.json = true;
  EXPECT_NE(explain(given).output.find(R"("not_confirmed":"the job is not training)"),
            std::string::npos);
}

TEST(Explain, ReadsAlarmMessages) {
  ExplainInputs given = complete();
  given.event = kAlarm;
  given.job = R"({"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
    "SecondaryStatus": "Training", "ResourceConfig": {"InstanceType": "ml.g5.xlarge",
    "InstanceCount": 1}, "SecondaryStatusTransitions": [{"Status": "Training",
    "StartTime": 1782990000}]})";
  const Printed printed = explain(given);
  EXPECT_NE(printed.output.find("stop-idle: stop (enforce)\n"
                                "  because alarm.state = ALARM\n"
                                "      and alarm.watch = gpu-idle\n"),
            std::string::npos)
      << printed.output;
}

TEST(Explain, JsonTellsTheSame) {
  ExplainInputs given = complete();
  given.json = true;
  const Printed printed = explain(given);
  const auto document = json::Document::parse(printed.output);
  ASSERT_TRUE(document) << printed.output;
  const json::Value root = document->root();
  EXPECT_EQ(root.find("decisions")->size(), 2U);
  EXPECT_EQ(root.find("dropped")->size(), 1U);
  EXPECT_EQ(root.find("needs")->size(), 0U);
  EXPECT_EQ(printed.output.find("s3cret"), std::string::npos);
  const json::Value first = *root.find("decisions")->elements().begin();
  EXPECT_EQ(json::to_text(*first.find("because")),
            R"([{"path":"job.TrainingJobStatus","value":"InProgress"},)"
            R"({"path":"tags.model","absent":true}])");
}

TEST(Explain, ColorOnlyWhereAsked) {
  ExplainInputs given = complete();
  EXPECT_EQ(explain(given).output.find('\x1b'), std::string::npos);
  given.screen.color = true;
  EXPECT_NE(explain(given).output.find("\x1b[1mrequired-tags\x1b[0m"), std::string::npos);
}

TEST(Explain, FitsEightyColumns) {
  ExplainInputs given = complete();
  given.policy = R"({"version": 1, "rules": [{"name": "r", "message": ")" + std::string(30, 'a') +
                 " " + std::string(30, 'b') + " " + std::string(30, 'c') +
                 R"(", "match": {"event": {"trigger": ["state"]}}, "actions": ["notify"]}]})";
  const std::string output = explain(given).output;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    EXPECT_LE(end - at, kColumns) << output.substr(at, end - at);
    at = end + 1;
  }
}

TEST(Explain, WhatCannotBeReadIsTold) {
  ExplainInputs given = inputs();
  given.policy = "{}";
  EXPECT_EQ(explain(given).status, 1);
  EXPECT_TRUE(explain(given).error.starts_with("trainwarden: policy: expected the member"));
  given = inputs();
  for (
      std::string_view event :
      {"", "[]", "{}", R"({"detail": {}})", R"({"detail": {"TrainingJobName": 7}})",
       R"({"Records": []})", R"({"Records": [{}]})", R"({"Records": [{"Sns": {"Message": "{}"}}]})",
       R"({"Records": [{"Sns": {"Message": "{\"AlarmName\": \"x\", \"NewStateValue\": \"OK\"}"}}]})",
       R"({"Records": [{"Sns": {"Message": "{\"AlarmName\": \"trainwarden/a/b/c\", \"NewStateValue\": \"OK\"}"}}]})"}) {
    given.event = event;
    EXPECT_EQ(explain(given).status, 2) << event;
    EXPECT_TRUE(explain(given).error.starts_with("trainwarden: event: ")) << event;
  }
  given = inputs();
  given.job = "[]";
  EXPECT_TRUE(explain(given).error.starts_with("trainwarden: job: ")) << explain(given).error;
  for (std::string_view tags : {"7", "[7]", R"([{"Key": "a"}])", "{"}) {
    given = inputs();
    given.tags = tags;
    EXPECT_TRUE(explain(given).error.starts_with("trainwarden: tags: ")) << tags;
  }
}

TEST(Inputs, TagsInEveryForm) {
  for (std::string_view text : {R"({"a": "b"})", R"({"Tags": [{"Key": "a", "Value": "b"}]})",
                                R"([{"Key": "a", "Value": "b"}])"}) {
    const auto tags = read_tags(text);
    ASSERT_TRUE(tags) << text;
    EXPECT_EQ(json::to_text(tags->root()), R"({"a":"b"})");
  }
}

TEST(Inputs, Now) {
  EXPECT_EQ(rfc3339(*read_now("2026-11-01T00:00:00Z")), "2026-11-01T00:00:00Z");
  EXPECT_EQ(rfc3339(*read_now("1783000600")), "2026-07-02T13:56:40Z");
  EXPECT_FALSE(read_now("today"));
}

}  // namespace
}  // namespace trainwarden::cli::explain_command_test
