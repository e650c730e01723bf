// P2, P3: the members of a policy file beside its rules' patterns, and the options of actions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/policy/policy.h"
#include "handlers/rules/state/brake.h"
#include "tests/handlers/rules/policy/policy_file_texts.h"

namespace trainwarden::rules::policy_file_test {
namespace {

using policy_file_texts::kWatch;
using policy_file_texts::with;
using policy_file_texts::with_actions;
using policy_file_texts::with_watch;

TEST(PolicyFile, KeepsWhatItSays) {
  const Policy policy = test::policy(R"({
    "version": 1,
    "limits": {"stops_per_sweep": 2, "stops_per_hour": 0, "silent_stops_per_hour": 1,
               "restarts_per_hour": 1000},
    "watches": {
      "gpu-idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
                   "periods": 3, "datapoints": 2, "at_most": 1.5, "per_gpu": true, "hosts": "any",
                   "missing": "notBreaching", "warmup_seconds": 60},
      "loss": {"metric": "train:loss", "source": "algorithm", "statistic": "p99.9",
               "period_seconds": 3600, "periods": 168, "above": 10}
    },
    "rules": [{"name": "r", "match": {"alarm": {"watch": ["loss"]}}, "actions": [
      "notify", {"notify": {"topic": "arn:aws:sns:eu-central-1:111122223333:ml"}},
      {"restart": {"spot": false, "instance_types": ["ml.p4d.24xlarge"], "limit": 1,
                   "min_progress_seconds": 0}},
      {"watch": ["gpu-idle", "loss"]}, {"tag": {"looked at": "yes"}}]}],
    "prices": {"ml.p4d.24xlarge": 32.77, "ml.m5.large": 0},
    "notify": {"format": "chat"}})");
  EXPECT_EQ(policy.limits().stops_per_sweep, 2);
  EXPECT_EQ(policy.limits().stops_per_hour, 0);
  EXPECT_EQ(policy.limits().silent_stops_per_hour, 1);
  EXPECT_EQ(policy.limits().restarts_per_hour, 1000);
  EXPECT_EQ(policy.notice_format(), NoticeFormat::kChat);
  EXPECT_EQ(policy.prices().at("ml.p4d.24xlarge").usd, 32.77);
  EXPECT_EQ(policy.prices().at("ml.p4d.24xlarge").spot_factor, std::nullopt);
  ASSERT_EQ(policy.watches().size(), 2U);
  const Watch& idle = *policy.find_watch("gpu-idle");
  EXPECT_EQ(idle.metric, "GPUUtilization");
  EXPECT_EQ(idle.datapoints, 2);
  EXPECT_EQ(idle.comparison, Watch::Comparison::kAtMost);
  EXPECT_EQ(idle.threshold, 1.5);
  EXPECT_TRUE(idle.per_gpu);
  EXPECT_EQ(idle.hosts, Watch::Hosts::kAny);
  EXPECT_EQ(idle.missing, Watch::Missing::kNotBreaching);
  EXPECT_EQ(idle.warmup_seconds, 60);
  const Watch& loss = *policy.find_watch("loss");
  EXPECT_EQ(loss.source, Watch::Source::kAlgorithm);
  EXPECT_EQ(loss.statistic, "p99.9");
  EXPECT_EQ(loss.datapoints, 168);
  EXPECT_EQ(loss.comparison, Watch::Comparison::kAbove);
  EXPECT_EQ(loss.warmup_seconds, 1800);
  EXPECT_EQ(policy.find_watch("lost"), nullptr);
  const auto& actions = policy.rules()[0].actions;
  ASSERT_EQ(actions.size(), 5U);
  EXPECT_EQ(actions[1].topic, "arn:aws:sns:eu-central-1:111122223333:ml");
  EXPECT_EQ(actions[2].restart, (Restart{false, {"ml.p4d.24xlarge"}, 1, 0, {}}));
  EXPECT_EQ(actions[3].watches, (std::vector<std::string>{"gpu-idle", "loss"}));
  EXPECT_EQ(actions[4].tags[0].second, "yes");
  EXPECT_TRUE(policy.warnings().empty());
}

TEST(PolicyFile, ATypesOwnSpotFactorCountsBeforeThatOfAll) {
  const Prices prices = test::policy(with(R"("prices": {"ml.m5.large": 1, "spot_factor": 0.4,
      "ml.m5.xlarge": {"usd": 2}, "ml.m5.2xlarge": {"usd": 4, "spot_factor": 1}})"))
                            .prices();
  EXPECT_EQ(prices.size(), 3U);
  EXPECT_EQ(prices.at("ml.m5.large").spot_factor, 0.4);
  EXPECT_EQ(prices.at("ml.m5.xlarge").usd, 2);
  EXPECT_EQ(prices.at("ml.m5.xlarge").spot_factor, 0.4);
  EXPECT_EQ(prices.at("ml.m5.2xlarge").spot_factor, 1);
}

TEST(PolicyFile, DefaultsAreCareful) {
  const Policy policy = test::policy(with_actions(R"(["restart"])"));
  EXPECT_EQ(policy.limits().stops_per_sweep, 5);
  EXPECT_EQ(policy.limits().stops_per_hour, 20);
  EXPECT_EQ(policy.limits().silent_stops_per_hour, 3);
  EXPECT_EQ(policy.limits().restarts_per_hour, 20);
  EXPECT_EQ(policy.notice_format(), NoticeFormat::kText);
  EXPECT_TRUE(policy.prices().empty());
  EXPECT_EQ(policy.rules()[0].actions[0].restart, (Restart{std::nullopt, {}, 3, 600, {}}));
  EXPECT_EQ(policy.watches()[0].hosts, Watch::Hosts::kEvery);
  EXPECT_EQ(policy.watches()[0].missing, Watch::Missing::kMissing);
}

TEST(PolicyFile, P7_EachLimitIsReadByItself) {
  struct {
    std::string_view member;
    std::int64_t Limits::* limit;
    std::int64_t most;
  } const cases[] = {{"stops_per_sweep", &Limits::stops_per_sweep, 1'000'000},
                     {"stops_per_hour", &Limits::stops_per_hour, kLargestLimit},
                     {"silent_stops_per_hour", &Limits::silent_stops_per_hour, kLargestLimit},
                     {"restarts_per_hour", &Limits::restarts_per_hour, kLargestLimit}};
  for (const auto& one : cases) {
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{7}, one.most}) {
      const std::string text = fmt::format(R"("limits": {{"{}": {}}})", one.member, value);
      const Limits limits = test::policy(with(text)).limits();
      for (const auto& other : cases)
        EXPECT_EQ(limits.*other.limit, &other == &one ? value : Limits{}.*other.limit)
            << text << ": " << other.member;
    }
  }
}

TEST(PolicyFile, P7_TheBrakesDefaultsAreThePolicys) {
  EXPECT_EQ(BrakeLimits{}.stops, Limits{}.stops_per_hour);
  EXPECT_EQ(BrakeLimits{}.silent, Limits{}.silent_stops_per_hour);
  EXPECT_EQ(BrakeLimits{}.restarts, Limits{}.restarts_per_hour);
  EXPECT_EQ(kLargestLimit, kMostPerHour);
}

struct Bad {
  std::string text;
  std::string_view message;
};

const Bad kBad[] = {
    {with(R"("limits": 5)"), "limits: expected limits (an object), found `5`"},
    {with(R"("limits": {"stops_per_swep": 5})"),
     "limits.stops_per_swep: expected `stops_per_sweep`, `stops_per_hour`, "
     "`silent_stops_per_hour` or `restarts_per_hour`, found `stops_per_swep`; did you mean "
     "`stops_per_sweep`?"},
    {with(R"("limits": {"stops_per_sweep": 1000001})"),
     "limits.stops_per_sweep: expected a whole number from 0 to 1000000, found `1000001`"},
    {with(R"("limits": {"stops_per_hour": -1})"),
     "limits.stops_per_hour: expected a whole number from 0 to 1000, found `-1`"},
    {with(R"("limits": {"stops_per_hour": 1.5})"),
     "limits.stops_per_hour: expected a whole number from 0 to 1000, found `1.5`"},
    {with(R"("limits": {"stops_per_hour": 1001})"),
     "limits.stops_per_hour: expected a whole number from 0 to 1000, found `1001`"},
    {with(R"("limits": {"silent_stops_per_hour": "3"})"),
     "limits.silent_stops_per_hour: expected a whole number from 0 to 1000, found `\"3\"`"},
    {with(R"("limits": {"silent_stops_per_hour": 1001})"),
     "limits.silent_stops_per_hour: expected a whole number from 0 to 1000, found `1001`"},
    {with(R"("limits": {"restarts_per_hour": 1001})"),
     "limits.restarts_per_hour: expected a whole number from 0 to 1000, found `1001`"},
    {with(R"("limits": {"restarts_per_hour": null})"),
     "limits.restarts_per_hour: expected a whole number from 0 to 1000, found `null`"},
    {with(R"("prices": {"p4d": 3})"),
     "prices.p4d: expected an instance type, ml.<family>.<size> in small letters such as "
     "ml.g5.xlarge, found `p4d`"},
    {with(R"("prices": {"ml.p548xlarge": 3})"),
     "prices[\"ml.p548xlarge\"]: expected an instance type, ml.<family>.<size> in small letters "
     "such as ml.g5.xlarge, found `ml.p548xlarge`; did you mean `ml.p5.48xlarge`?"},
    {with(R"("prices": {"ml.p4d.24xlarge": "3"})"),
     "prices[\"ml.p4d.24xlarge\"]: expected USD an hour (a number from 0 to 1000000), found "
     "`\"3\"`"},
    {with(R"("prices": {"spot_factor": 40})"),
     "prices.spot_factor: expected the share of the price that managed spot training pays (a "
     "number "
     "above 0, at most 1), found `40`"},
    {with(R"("prices": {"ml.p4d.24xlarge": {"usd": 3, "spot_factor": 0}})"),
     "prices[\"ml.p4d.24xlarge\"].spot_factor: expected the share of the price that managed spot "
     "training pays (a number above 0, at most 1), found `0`"},
    {with(R"("prices": {"ml.p4d.24xlarge": {"usd": -3}})"),
     "prices[\"ml.p4d.24xlarge\"].usd: expected USD an hour (a number from 0 to 1000000), found "
     "`-3`"},
    {with(R"("prices": {"ml.p4d.24xlarge": 1e17})"),
     "prices[\"ml.p4d.24xlarge\"]: expected USD an hour (a number from 0 to 1000000), found "
     "`100000000000000000`"},
    {with(R"("prices": {"ml.p4d.24xlarge": {"spot_factor": 0.5}})"),
     "prices[\"ml.p4d.24xlarge\"]: expected the member `usd`, found none"},
    {with(R"("notify": {"owner_tag": ""})"),  // A8
     "notify.owner_tag: expected 1 to 128 bytes, found 0"},
    {with(R"("notify": {"owner_tags": "x"})"),
     "notify.owner_tags: expected `format`, `contact` or `owner_tag`, found `owner_tags`; did you "
     "mean `owner_tag`?"},
    {with(R"("notify": {"format": "txt"})"),
     "notify.format: expected `text`, `json` or `chat`, found `\"txt\"`; did you mean `text`?"},
    {with(R"("watches": [])"), "watches: expected watches by name (an object), found `[]`"},
    {with(R"("watches": {"Idle": {)" + std::string(kWatch) + R"(, "at_most": 1}})"),
     "watches.Idle: expected a name of 1 to 63 of a-z, 0-9 and -, a letter first, found `Idle`"},
    {with_watch(R"("statistic": "Maximum", "period_seconds": 300, "periods": 3, "below": 1)"),
     "watches.w: expected the member `metric`, found none"},
    {with_watch(
         R"("metric": "x", "source": "algorithm", "statistic": "Max", "period_seconds": 300, "periods": 3, "below": 1)"),
     "watches.w.statistic: expected `Average`, `Minimum`, `Maximum`, `Sum` or `SampleCount`, or a "
     "percentile such as `p90`, found `Max`"},
    {with_watch(std::string(kWatch)),
     "watches.w: expected one of `at_most`, `below`, `at_least`, `above` or `drop_to`, found none"},
    {with_watch(std::string(kWatch) + R"(, "at_most": 1, "below": 2)"),
     "watches.w: expected one of `at_most`, `below`, `at_least`, `above` or `drop_to`, found "
     "several"},
    {with_watch(std::string(kWatch) + R"(, "at_most": "1")"),
     "watches.w.at_most: expected a number, found `\"1\"`"},
    {with_watch(std::string(kWatch) + R"(, "at_most": 1, "datapoints": 4)"),
     "watches.w.datapoints: expected a whole number from 1 to 3, found `4`"},
    {with_watch(
         R"("metric": "CPUUtilization", "statistic": "Sum", "period_seconds": 90, "periods": 3, "below": 1)"),
     "watches.w.period_seconds: expected a multiple of 60, found `90`"},
    {with_watch(
         R"("metric": "CPUUtilization", "statistic": "Sum", "period_seconds": 300, "periods": 289, "below": 1)"),
     "watches.w.period_seconds: expected period_seconds × periods of at most 86400 (CloudWatch "
     "looks no further back), found 300 × 289"},
    {with_watch(std::string(kWatch) + R"(, "above": 1e109)"),
     "watches.w.above: expected a value of CloudWatch's, -2^360 to 2^360, found `1e+109`"},
    {with_watch(
         R"("metric": "a\nb", "source": "algorithm", "statistic": "Sum", "period_seconds": 300, "periods": 3, "below": 1)"),
     "watches.w.metric: expected a name without control characters"},
    {with_watch(std::string(kWatch) + R"(, "at_most": 1, "missing": "breach")"),
     "watches.w.missing: expected `notBreaching`, `breaching`, `ignore` or `missing`, found "
     "`\"breach\"`; did you mean `breaching`?"},
    {with_watch(std::string(kWatch) + R"(, "at_most": 1, "host": "any")"),
     "watches.w.host: expected `metric`, `source`, `statistic`, `period_seconds`, `periods`, "
     "`datapoints`, `at_most`, `below`, `at_least`, `above`, `drop_to`, `per_gpu`, `per_core`, "
     "`hosts`, "
     "`missing`, `warmup_seconds` or `first_within_seconds`, found `host`; did you mean `hosts`?"},
    {with_actions(R"(["watch"])"),
     "rules[0].actions[0]: expected {\"watch\": [names of watches]}, found `\"watch\"`"},
    {with_actions(R"([{"watch": ["gpu-idl"]}])"),
     "rules[0].actions[0].watch[0]: expected the name of a watch, `gpu-idle`, found `\"gpu-idl\"`; "
     "did you mean `gpu-idle`?"},
    {with_actions(R"([{"watch": []}])"),
     "rules[0].actions[0].watch: expected a list of names of watches, found `[]`"},
    {with_actions(R"([{"stop": {}}])"),
     "rules[0].actions[0].stop: expected options of stop, one of `tuning_job` or `grace_seconds`, "
     "found `{}`"},
    {with_actions(R"([{"stop": {"grace": 900}}])"),
     "rules[0].actions[0].stop.grace: expected `tuning_job` or `grace_seconds`, found `grace`; did "
     "you mean "
     "`grace_seconds`?"},
    {with_actions(R"([{"stop": {"grace_seconds": 0}}])"),
     "rules[0].actions[0].stop.grace_seconds: expected a whole number from 1 to 604800, found "
     "`0`"},
    {with_actions(R"([{"stop": {"grace_seconds": 2419200}}])"),
     "rules[0].actions[0].stop.grace_seconds: expected a whole number from 1 to 604800, found "
     "`2419200`"},
    {with_actions(R"([{"stop": {"grace_seconds": 900, "tuning_job": true}}])"),
     "rules[0].actions[0].stop: `tuning_job` and `grace_seconds` exclude each other: a stop with "
     "all that a tuning job runs is not announced"},
    {with_actions(R"([{"stop": {"tuning_job": 1}}])"),
     "rules[0].actions[0].stop.tuning_job: expected true or false, found `1`"},
    {with_actions(R"([{"restart": {"spots": false}}])"),
     "rules[0].actions[0].restart.spots: expected `spot`, `instance_types`, `limit`, "
     "`min_progress_seconds`, `max_runtime_seconds`, `max_wait_seconds`, `instance_count`, "
     "`hyperparameters` or `environment`, found `spots`; did you mean `spot`?"},
    {with_actions(R"([{"restart": {"max_wait_seconds": 3599, "max_runtime_seconds": 3600}}])"),
     "rules[0].actions[0].restart.max_wait_seconds: expected max_runtime_seconds (3600) or more, "
     "since it contains it, found `3599`"},
    {with_actions(R"([{"restart": {"spot": false, "max_wait_seconds": 3600}}])"),
     "rules[0].actions[0].restart.max_wait_seconds: expected none beside \"spot\": false, since "
     "only spot waits, found `3600`"},
    {with_actions(R"([{"restart": {"hyperparameters": {"token": 90210}}}])"),
     "rules[0].actions[0].restart.hyperparameters.token: expected a string of at most 2500 "
     "characters without line breaks, or null to remove the key, found a number"},
    {with_actions(R"([{"restart": {"environment": {"TOKEN": {"hunter2": 1}}}}])"),
     "rules[0].actions[0].restart.environment.TOKEN: expected a string of at most 512 characters, "
     "or null to remove the key, found an object"},
    {with_actions(R"([{"restart": {"environment": {"MY-TOKEN": "hunter2"}}}])"),
     "rules[0].actions[0].restart.environment.MY-TOKEN: expected a name of 1 to 512 letters, "
     "digits and _, no digit first, found another"},
    {with_actions(R"([{"restart": [{"environment": {"TOKEN": "hunter2"}}]}])"),
     "rules[0].actions[0].restart: expected options of restart (an object), found an array of 1"},
    {with_actions(R"([{"restart": {"environment": {"TOKEN": "hunter2"}}, "limit": 1}])"),
     "rules[0].actions[0]: expected an action, `stop`, `notify`, `restart`, `watch`, `tag` or "
     "`release`, found an object of 2"},
    {with_actions(R"([{"restart": {"environment": ["hunter2"]}}])"),
     "rules[0].actions[0].restart.environment: expected an object of keys, and strings or null, "
     "found an array"},
    {with_actions(R"([{"restart": {"limit": 0}}])"),
     "rules[0].actions[0].restart.limit: expected a whole number from 1 to 1000, found `0`"},
    {with_actions(R"([{"restart": {"instance_types": ["p4d.24xlarge"]}}])"),
     "rules[0].actions[0].restart.instance_types[0]: expected an instance type, "
     "ml.<family>.<size> in small letters such as ml.g5.xlarge, found `p4d.24xlarge`; did you mean "
     "`ml.p4d.24xlarge`?"},
    {with_actions(R"([{"restart": {"instance_types": ["ml.g5.xlarge", 5]}}])"),
     "rules[0].actions[0].restart.instance_types[1]: expected an instance type, "
     "ml.<family>.<size> in small letters such as ml.g5.xlarge, found `5`"},
    {with_actions(R"(["restart", {"restart": {"spot": false}}])"),
     "rules[0].actions[1]: expected each action once, found `restart` again"},
    {with_actions(R"([{"notify": {"topic": "ml"}}])"),
     "rules[0].actions[0].notify.topic: expected the ARN of an SNS topic, found `ml`"},
    {with_actions(R"([{"tag": {"aws:x": "y"}}])"),
     "rules[0].actions[0].tag.aws:x: keys that begin with `aws:` are reserved"},
    {with_actions(R"([{"tag": {"x": "a\nb"}}])"),
     "rules[0].actions[0].tag.x: expected at most 256 letters, digits, spaces and _ . : / = + - @, "
     "found `\"a\\nb\"`"},
};

TEST(PolicyFileP2, BadMembersAreToldWhatIsWrong) {
  for (const Bad& bad : kBad) {
    SCOPED_TRACE(bad.text);
    const auto policy = parse_policy(bad.text);
    EXPECT_FALSE(policy);
    if (policy) continue;
    EXPECT_EQ(policy.error().message, bad.message);
  }
}

}  // namespace
}  // namespace trainwarden::rules::policy_file_test
