// P2: what is a policy, and what each mistake is told.
#include "handlers/rules/policy/policy.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/handlers/rules/policy/match_text.h"

namespace trainwarden::rules::policy_test {
namespace {

using match_text::with_match;

constexpr std::string_view kGood[] = {
    R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["notify"]}]})",
    R"({"$schema": "policy.schema.json", "version": 1.0, "mode": "enforce",
        "since": "2026-11-01T00:00:00Z",
        "rules": [{"name": "a rule", "mode": "notify", "message": "",
                   "match": [{"tags": {"a": ["b"]}}, {"job": {"SecondaryStatus": ["Training"]}}],
                   "unless": {"event": {"trigger": ["sweep"]}}, "actions": ["stop", "notify"]}]})",
    R"({ // comments and trailing commas
        "version": 1, /* are allowed */
        "rules": [{"name": "r", "match": {"tags": {"a": ["b",],},}, "actions": ["stop",],},],})",
};

TEST(PolicyP2, GoodPoliciesLoad) {
  for (std::string_view text : kGood) {
    const auto policy = parse_policy(text);
    EXPECT_TRUE(policy) << policy.error().message;
    EXPECT_TRUE(check_policy(text).empty());
  }
}

constexpr std::string_view kGoodMatches[] = {
    R"({"event": {"trigger": ["state", "sweep"]}})",
    R"({"job": {"TrainingJobStatus": ["InProgress"], "SecondaryStatus": ["Training"]}})",
    R"({"job": {"ResourceConfig": {"InstanceGroups": {"InstanceType": ["ml.p5.48xlarge"]}}}})",
    R"({"job": {"VpcConfig": {"Subnets": [{"exists": false}]}}})",
    R"({"job": {"ResourceConfig.InstanceCount": [8]}})",
    R"({"job": {"HyperParameters": {"any thing": ["x"]}, "Environment": {"A": [{"exists": true}]}}})",
    R"({"job": {"DebugHookConfig": {"CollectionConfigurations": {"CollectionParameters": {"x": ["1"]}}}}})",
    R"({"tags": {"cost.center": ["a"], "team": ["b"], "": [{"exists": false}]}})",
};

TEST(PolicyP2, GoodMatchesLoadWithoutWarnings) {
  for (std::string_view match : kGoodMatches) {
    SCOPED_TRACE(std::string(match));
    const auto policy = parse_policy(with_match(match));
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(policy->warnings().size(), 0U);
  }
}

struct Bad {
  std::string text;
  std::string_view message;
};

const Bad kBad[] = {
    {"[]", "expected a policy (an object), found `[]`"},
    {"{}", "expected the member `version`, found none (and 1 more mistake)"},
    {R"({"version": 2, "rules": 1})",
     "version: expected 1, found `2`: this policy is made for a newer Trainwarden (and 1 more "
     "mistake)"},
    {R"({"version": "1", "rules": [{"name": "r", "match": {"tags": {"a": [1]}}, "actions": ["stop"]}]})",
     "version: expected 1, found `\"1\"`"},
    {R"({"version": 1, "failures": [{"text": "busy", "label": "service", "resume": "yes"}], "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "failures[0].text: expected one line of at least 6 characters besides blanks and `*`, at most "
     "200 bytes, and no `*` at its ends, found `busy`"},
    {R"({"version": 1, "failures": [{"text": "so it goes", "label": "user_code", "resume": "yes"}], "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "failures[0].resume: expected `once` or `no` for the label `user_code`, found `yes`: a "
     "program's own failure comes again"},
    {R"({"version": 1, "rules": []})", "rules: expected a list of rules, found `[]`"},
    {R"({"version": 1, "rules": {}})", "rules: expected a list of rules, found `{}`"},
    {R"({"version": 1, "rules": [7]})", "rules[0]: expected a rule (an object), found `7`"},
    {R"({"version": 1, "mode": "enforced", "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "mode: expected `observe`, `notify` or `enforce`, found `\"enforced\"`; did you mean "
     "`enforce`?"},
    {R"({"version": 1, "since": "yesterday", "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "since: expected a time such as \"2026-11-01T00:00:00Z\", found `\"yesterday\"`"},
    {R"({"version": 1, "since": 1783000000, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "since: expected a time such as \"2026-11-01T00:00:00Z\", found `1783000000`"},
    {R"({"version": 1, "rule": [], "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "rule: expected `$schema`, `version`, `mode`, `since`, `limits`, `watches`, `unless`, "
     "`rules`, `prices`, "
     "`notify` or `failures`, found `rule`; did you mean "
     "`rules`?"},
    {R"({"version": 1, "rules": [{"match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "rules[0]: expected the member `name`, found none"},
    {R"({"version": 1, "rules": [{"name": "", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "rules[0].name: expected 1 to 128 bytes, found 0"},
    {R"({"version": 1, "rules": [{"name": 5, "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "rules[0].name: expected a string, found `5`"},
    {R"({"version": 1, "rules": [{"name": "r", "actions": ["stop"]}]})",
     "rules[0]: expected the member `match`, found none"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}}]})",
     "rules[0]: expected the member `actions`, found none"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": []}]})",
     "rules[0].actions: expected a list of actions, `stop`, `notify`, `restart`, `watch`, `tag` or "
     "`release`, "
     "found `[]`"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": "stop"}]})",
     "rules[0].actions: expected a list of actions, `stop`, `notify`, `restart`, `watch`, `tag` or "
     "`release`, "
     "found `\"stop\"`"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stpo"]}]})",
     "rules[0].actions[0]: expected an action, `stop`, `notify`, `restart`, `watch`, `tag` or "
     "`release`, "
     "found `\"stpo\"`; did you mean "
     "`stop`?"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop", "stop"]}]})",
     "rules[0].actions[1]: expected each action once, found `stop` again"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"], "mesage": ""}]})",
     "rules[0].mesage: expected `name`, `match`, `unless`, `mode`, `actions` or `message`, found "
     "`mesage`; did you mean `message`?"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"], "message": null}]})",
     "rules[0].message: expected a string, found `null`"},
    {R"({"version": 1, "rules": [{"name": "r", "mode": 1, "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})",
     "rules[0].mode: expected `observe`, `notify` or `enforce`, found `1`"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]},
                                 {"name": "r", "match": {"tags": {"a": ["c"]}}, "actions": ["stop"]}]})",
     "rules[1].name: expected a name of its own, found `r`, the name of an earlier rule"},
    {R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "unless": {"tag": {"x": ["y"]}}, "actions": ["stop"]}]})",
     "rules[0].unless.tag.x: expected a fact group, `event`, `time`, `alarm`, `job`, `tags`, "
     "`until`, "
     "`resources`, `runtime`, `spot`, `cost`, `failure`, `lineage`, `fleet`, `warm_pool`, `logs` "
     "or "
     "`checkpoint`, found `tag`; "
     "did you mean `tags`?"},
    {with_match("[]"), "rules[0].match: expected a pattern or a list of patterns, found `[]`"},
    {with_match("{}"), "rules[0].match: expected at least one member, found `{}`"},
    {with_match("\"x\""), "rules[0].match: expected a pattern (an object), found a string `\"x\"`"},
    {with_match(R"([{"tags": {"a": ["b"]}}, {}])"),
     "rules[0].match[1]: expected at least one member, found `{}`"},
    {with_match(R"({"tags": ["x"]})"),
     "rules[0].match.tags: `tags` is a group of facts: expected an object of its members, found a "
     "list"},
    {with_match(R"({"tags": {"cost": {"center": ["x"]}}})"),
     "rules[0].match.tags.cost.center: expected a list of values: tag keys are literal, write "
     "`\"cost.center\"` as one name"},
    {with_match(R"({"fleet": {"spot_timeouts": [3]}})"),
     "rules[0].match.fleet.spot_timeouts: expected `spot_timeouts_24h`, `spot_interruptions_24h` "
     "or "
     "`capacity_errors_24h`, found `spot_timeouts`; did you mean `spot_timeouts_24h`?"},
    {with_match(R"({"runtime": {"training_second": [3]}})"),
     "rules[0].match.runtime.training_second: expected `queued_seconds`, `training_seconds`, "
     "`elapsed_seconds`, `remaining_seconds` or `stopping_seconds`, found `training_second`; did "
     "you mean `training_seconds`?"},
    {with_match(R"({"alarm": {"watch": ["gpu-idle"]}})"),
     "rules[0].match.alarm.watch[0]: expected the name of a watch of this policy, found "
     "`gpu-idle`"},
    {with_match(R"({"job": {"TrainingJobStatus": ["Failed"]},
                    "$or": [{"job": {"TrainingJobStatus": ["Stopped"]}}, {"tags": {"a": ["b"]}}]})"),
     "rules[0].match.$or[0].job.TrainingJobStatus: expected each path once, found "
     "`TrainingJobStatus` again"},
    {with_match(R"({"event": {"triger": ["state"]}})"),
     "rules[0].match.event.triger: expected `trigger`, `account` or `region`, found `triger`; did "
     "you mean `trigger`?"},
    {with_match(R"({"job": {"TrainingJobStatuss": ["Failed"]}})"),
     "rules[0].match.job.TrainingJobStatuss: expected a leaf of DescribeTrainingJob's answer, "
     "found "
     "`TrainingJobStatuss`; did you mean `TrainingJobStatus`?"},
    {with_match(R"({"job": {"CheckpointConfig": [{"exists": false}]}})"),
     "rules[0].match.job.CheckpointConfig: `CheckpointConfig` is a structure, which never matches: "
     "expected a leaf below it: `CheckpointConfig.LocalPath`, `CheckpointConfig.S3Uri`"},
    {with_match(R"({"job": {"Environment": [{"exists": false}]}})"),
     "rules[0].match.job.Environment: `Environment` is a structure, which never matches: expected "
     "a "
     "leaf below it: `Environment.*`"},
    {with_match(R"({"job": {"Environment": {"*": [{"exists": false}]}}})"),
     "rules[0].match.job.Environment[\"*\"]: `*` is no wildcard here: expected the name of one "
     "member"},
    {with_match(R"({"job": {"ResourceConfig": {"InstanceGroups": [{"exists": true}]}}})"),
     "rules[0].match.job.ResourceConfig.InstanceGroups: `ResourceConfig.InstanceGroups` is a "
     "structure, which never matches: expected a leaf below it: "
     "`ResourceConfig.InstanceGroups.InstanceCount`, "
     "`ResourceConfig.InstanceGroups.InstanceGroupName`, "
     "`ResourceConfig.InstanceGroups.InstanceType`"},
    {with_match(R"({"job": {"CheckpointConfig": {"S3Url": [{"exists": false}]}}})"),
     "rules[0].match.job.CheckpointConfig.S3Url: expected a leaf of DescribeTrainingJob's answer, "
     "found `CheckpointConfig.S3Url`; did you mean `CheckpointConfig.S3Uri`?"},
    {with_match(R"({"job": {"VpcConfg": [{"exists": false}]}})"),
     "rules[0].match.job.VpcConfg: expected a leaf of DescribeTrainingJob's answer, found "
     "`VpcConfg`; did you mean one of `VpcConfig.SecurityGroupIds`, `VpcConfig.Subnets`?"},
    {with_match(R"({"job": {"MaxRuntimeInSeconds": [3600]}})"),
     "rules[0].match.job.MaxRuntimeInSeconds: expected a leaf of DescribeTrainingJob's answer, "
     "found `MaxRuntimeInSeconds`; did you mean `StoppingCondition.MaxRuntimeInSeconds`?"},
    {with_match(R"({"job": {"S3Uri": [{"exists": false}]}})"),
     "rules[0].match.job.S3Uri: expected a leaf of DescribeTrainingJob's answer, found `S3Uri`; "
     "did "
     "you mean one of `CheckpointConfig.S3Uri`, `InputDataConfig.DataSource.S3DataSource.S3Uri`?"},
};

TEST(PolicyP2, BadPoliciesAreToldWhatIsWrong) {
  for (const Bad& bad : kBad) {
    SCOPED_TRACE(bad.text);
    const auto policy = parse_policy(bad.text);
    ASSERT_FALSE(policy);
    EXPECT_EQ(policy.error().code, ErrorCode::kInvalidPolicy);
    EXPECT_EQ(policy.error().message, bad.message);
    EXPECT_FALSE(check_policy(bad.text).empty());
  }
}

TEST(PolicyP2, UnknownMemberNamesPathAndNearest) {
  const auto policy = parse_policy(R"({"version": 1, "rules": [
      {"name": "a", "match": {"tags": {"x": ["y"]}}, "actions": ["stop"]},
      {"name": "b", "match": {"tags": {"x": ["y"]}}, "actions": ["stop"]},
      {"name": "c", "match": {"job": {"TrainingJobStatuss": ["Failed"]}}, "actions": ["stop"]}]})");
  ASSERT_FALSE(policy);
  EXPECT_TRUE(policy.error().message.starts_with("rules[2].match.job.TrainingJobStatuss: "));
  EXPECT_NE(policy.error().message.find("`TrainingJobStatus`?"), std::string::npos);
}

TEST(PolicyP2, NotJsonTellsLineAndColumn) {
  const auto policy = parse_policy("{\n  \"version\": 1,\n  \"rules\": [\n}");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, ErrorCode::kInvalidPolicy);
  EXPECT_NE(policy.error().message.find("line 4"), std::string::npos) << policy.error().message;
}

TEST(PolicyP2, AMemberTwiceIsRefused) {
  const auto policy = parse_policy(
      R"({"version": 1, "version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}}, "actions": ["stop"]}]})");
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().message.find("version"), std::string::npos) << policy.error().message;
}

TEST(PolicyP2, HostileTextsAreRefused) {
  for (const std::string& text :
       {std::string(), std::string(1U << 20U, '['), std::string("\xff\xfe"),
        with_match(std::string(200, '[') + std::string(200, ']')),
        with_match(R"({"tags": {"a": [1e999]}})")}) {
    const auto policy = parse_policy(text);
    ASSERT_FALSE(policy);
    EXPECT_EQ(policy.error().code, ErrorCode::kInvalidPolicy);
    EXPECT_FALSE(policy.error().message.empty());
  }
}

TEST(PolicyP2, AllMistakesAreListedInOrder) {
  const std::vector<Remark> errors = check_policy(R"({"version": 3, "mode": "on", "rules": [
      {"name": "r", "match": {"job": {"Nam": ["x"], "TrainingJobName": []}}, "actions": ["kill"]}]})");
  std::vector<std::string> paths;
  for (const Remark& e : errors) paths.push_back(e.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"version", "mode", "rules[0].match.job.Nam",
                                             "rules[0].match.job.TrainingJobName",
                                             "rules[0].actions[0]"}));
}

TEST(PolicyP2, A2_AtMost32InstanceTypes) {
  const auto load = [](int count) {
    std::string types;
    for (int i = 0; i < count; ++i)
      types += fmt::format(R"({}"ml.g{}.xlarge")", i > 0 ? ", " : "", i + 1);
    return parse_policy(R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}},
                            "actions": [{"restart": {"instance_types": [)" +
                        types + "]}}]}]}");
  };
  EXPECT_TRUE(load(32));
  const auto more = load(33);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message,
            "rules[0].actions[0].restart.instance_types: expected at most 32 instance types, found "
            "33");
}

TEST(PolicyP2, MistakesWithoutEndAreCutOff) {
  std::string text = R"({"version": 1, "rules": [)";
  for (int i = 0; i < 100'000; ++i) text += "{},";
  text += "]}";
  EXPECT_EQ(check_policy(text).size(), 1000U);
}

TEST(PolicyP2, MoreThanAThousandAlternativesAreRefused) {
  std::string list = "[";
  for (int i = 0; i < 1001; ++i) list += R"({"tags": {"a": ["b"]}},)";
  list += "]";
  const auto policy = parse_policy(with_match(list));
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().message,
            "rules[0].match: expected at most 1000 alternatives, found 1001");
}

TEST(Policy, KeepsWhatTheFileSays) {
  const Policy policy = test::policy(kGood[1]);
  EXPECT_EQ(policy.mode(), Mode::kEnforce);
  ASSERT_TRUE(policy.since());
  EXPECT_EQ(rfc3339(*policy.since()), "2026-11-01T00:00:00Z");
  ASSERT_EQ(policy.rules().size(), 1U);
  const Rule& rule = policy.rules()[0];
  EXPECT_EQ(rule.name, "a rule");
  EXPECT_EQ(rule.mode, Mode::kNotify);
  EXPECT_EQ(test::kinds(rule.actions), (std::vector{ActionKind::kStop, ActionKind::kNotify}));
  EXPECT_EQ(rule.match.any.size(), 2U);
  EXPECT_EQ(rule.unless.any.size(), 1U);
}

TEST(PolicyP3, ModeIsObserveWhereTheFileIsSilent) {
  EXPECT_EQ(test::policy(kGood[0]).mode(), Mode::kObserve);
}

TEST(PolicyP5, APolicyThatIsTooLongForASmallFunctionIsRefused) {
  const std::string good(kGood[0]);
  const std::string longest = good + std::string(kLongestPolicy - good.size(), ' ');
  EXPECT_TRUE(parse_policy(longest));
  const auto refused = parse_policy(longest + "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidPolicy);
  EXPECT_EQ(refused.error().message,
            "expected a policy of at most 1048576 bytes, which is what a function of 128 MB has "
            "room for, found 1048577");
  EXPECT_EQ(check_policy(longest + "x").size(), 1U);
}

TEST(PolicyR1, EveryByteCountsInTheHash) {
  const std::string good(kGood[0]);
  std::set<std::string> hashes{test::policy(good).hash()};
  for (std::size_t blanks = 1; blanks <= 20; ++blanks) {
    hashes.insert(test::policy(good + std::string(blanks, ' ')).hash());
    hashes.insert(test::policy(std::string(blanks, ' ') + good).hash());
    std::string other = good + std::string(20, ' ');
    other[other.size() - blanks] = '\n';
    hashes.insert(test::policy(other).hash());
  }
  EXPECT_EQ(hashes.size(), 61U);
}

// Only difference and length matter to those who read records.
TEST(PolicyR1, HashTellsPoliciesApart) {
  const Policy a = test::policy(kGood[0]);
  const Policy b = test::policy(kGood[2]);
  EXPECT_EQ(a.hash().size(), 16U);
  EXPECT_NE(a.hash(), b.hash());
  EXPECT_EQ(a.hash(), test::policy(kGood[0]).hash());
}

}  // namespace
}  // namespace trainwarden::rules::policy_test
