#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <utility>

#include "handlers/actions/setup/config.h"
#include "handlers/actions/setup/policy_source.h"
#include "tests/support/env.h"

namespace trainwarden::actions::configuration_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kPolicy =
    R"({"version":1,"mode":"notify","rules":[{"name":"r","match":{"tags":{"a":["b"]}},"actions":["stop"]}]})";

constexpr const char* kTable =
    "TRAINWARDEN_TABLE=arn:aws:dynamodb:eu-central-1:111122223333:table/trainwarden-StateTable-1";

TEST(ConfigP6, UnsetMeansTheDefaults) {
  const testing::Env env{"AWS_REGION=eu-central-1", kTable};
  const auto config = Config::from(env());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->ceiling, rules::Mode::kEnforce);
  EXPECT_EQ(config->policy_source, "");
}

// What is done could not be remembered.
TEST(ConfigP6, WithoutATableTheModeIsObserve) {
  const testing::Env env{"AWS_REGION=eu-central-1", "TRAINWARDEN_MODE=enforce"};
  const auto config = Config::from(env());
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->table);
  EXPECT_EQ(config->ceiling, rules::Mode::kObserve);
}

TEST(ConfigP6, ATableOfAnotherRegionIsRefusedAtStart) {
  const testing::Env env{"AWS_REGION=us-east-1", kTable};
  const auto config = Config::from(env());
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidConfig);
  EXPECT_NE(config.error().message.find("TRAINWARDEN_TABLE"), std::string::npos);
}

TEST(ConfigP6, W1_APrefixThatNamesCouldBeReadTwoWaysWithIsRefused) {
  EXPECT_EQ(Config::from(testing::Env{"AWS_REGION=eu-central-1"}())->alarm_prefix, "trainwarden");
  const testing::Env own{"AWS_REGION=eu-central-1", "TRAINWARDEN_ALARM_PREFIX=team-a"};
  EXPECT_EQ(Config::from(own())->alarm_prefix, "team-a");
  const testing::Env slash{"AWS_REGION=eu-central-1", "TRAINWARDEN_ALARM_PREFIX=team/a"};
  const auto config = Config::from(slash());
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidConfig);
  EXPECT_NE(config.error().message.find("TRAINWARDEN_ALARM_PREFIX"), std::string::npos);
}

TEST(ConfigP6, TakesEveryVariable) {
  const testing::Env env{
      "AWS_REGION=eu-central-1",
      kTable,
      "TRAINWARDEN_MODE=notify",
      "TRAINWARDEN_ALARMS=off",
      "TRAINWARDEN_ALARM_TOPIC=arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms",
      "TRAINWARDEN_NOTIFY_TOPIC=arn:aws-cn:sns:cn-north-1:111122223333:people",
      "TRAINWARDEN_PASS_ROLES=arn:aws:iam::111122223333:role/"
      "Training,arn:aws:iam::111122223333:role/team/*",
      "TRAINWARDEN_COPY_INSTANCE_TYPES=ml.g5.*,ml.m?.large",
      "TRAINWARDEN_CHECKPOINT_BUCKETS=arn:aws:s3:::models,arn:aws-cn:s3:::vision.1-*"};
  const auto config = Config::from(env());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->ceiling, rules::Mode::kNotify);
  ASSERT_TRUE(config->table);
  EXPECT_TRUE(config->table->arn().ends_with("table/trainwarden-StateTable-1"));
  EXPECT_FALSE(config->alarms);
  EXPECT_EQ(config->alarm_topic, "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms");
  EXPECT_EQ(config->notify_topic, "arn:aws-cn:sns:cn-north-1:111122223333:people");
  EXPECT_EQ(config->pass_roles,
            (std::vector<std::string>{"arn:aws:iam::111122223333:role/Training",
                                      "arn:aws:iam::111122223333:role/team/*"}));
  EXPECT_EQ(config->copy_instance_types, (std::vector<std::string>{"ml.g5.*", "ml.m?.large"}));
  EXPECT_EQ(config->checkpoint_buckets, (std::vector<std::string>{"models", "vision.1-*"}));
}

TEST(ConfigP6, A1_TheScheduleTellsHowFarApartSweepsAre) {
  EXPECT_EQ(Config::from(testing::Env{"AWS_REGION=eu-central-1"}())->sweep_interval, minutes(15));
  for (const auto& [schedule, interval] : std::initializer_list<std::pair<std::string, seconds>>{
           {"rate(1 minute)", minutes(1)},
           {"rate(15 minutes)", minutes(15)},
           {"rate(360 minutes)", hours(6)},
           {"rate(1 hour)", hours(1)},
           {"rate(36 hours)", hours(36)},
           {"rate(7 days)", hours(168)},
           {"cron(0/30 * * * ? *)", hours(1)},
           {"cron(5 * ? * * *)", hours(1)},
           {"cron(0 8-18 ? * MON-FRI *)", hours(24)},
           {"cron(0 7 * * ? *)", hours(24)},
           {"none", hours(24)}}) {
    const std::string entry = "TRAINWARDEN_SWEEP_SCHEDULE=" + schedule;
    const testing::Env env{"AWS_REGION=eu-central-1", entry};
    const auto config = Config::from(env());
    ASSERT_TRUE(config) << schedule;
    EXPECT_EQ(config->sweep_interval, interval) << schedule;
  }
}

TEST(ConfigP6, AMalformedValueNamesTheVariable) {
  for (const std::string entry :
       {"TRAINWARDEN_MODE=enforced",
        "TRAINWARDEN_MODE=ENFORCE",
        "TRAINWARDEN_ALARMS=yes",
        "TRAINWARDEN_TABLE=trainwarden-state",
        "TRAINWARDEN_ALARM_TOPIC=alarms",
        "TRAINWARDEN_ALARM_TOPIC=arn:aws:sqs:eu-central-1:111122223333:q",
        "TRAINWARDEN_NOTIFY_TOPIC=arn:aws:sns:eu-central-1:111122223333",
        "TRAINWARDEN_NOTIFY_TOPIC=arn:aws:sns:::people",
        "TRAINWARDEN_ALARM_TOPIC=arn:aws:sns:eu-central-1:111122223333:alarms:21be56ed-a058-49f5-"
        "8c98-aedd2564c486",
        "TRAINWARDEN_PASS_ROLES=Training",
        "TRAINWARDEN_PASS_ROLES=arn:aws:iam::111122223333:user/jo",
        "TRAINWARDEN_PASS_ROLES=arn:aws:iam::1:role/a, arn:aws:iam::1:role/b",
        "TRAINWARDEN_PASS_ROLES=arn:aws:iam::1:role/a,",
        "TRAINWARDEN_PASS_ROLES=arn:aws:iam::1:role/*/x",
        "TRAINWARDEN_CHECKPOINT_BUCKETS=models",
        "TRAINWARDEN_CHECKPOINT_BUCKETS=arn:aws:s3:::models,",
        "TRAINWARDEN_CHECKPOINT_BUCKETS=arn:aws:s3:::models/checkpoints",
        "TRAINWARDEN_CHECKPOINT_BUCKETS=arn:aws:s3:::a*b",
        "TRAINWARDEN_CHECKPOINT_BUCKETS=arn:aws:sqs:::models",
        "TRAINWARDEN_COPY_INSTANCE_TYPES=*",
        "TRAINWARDEN_COPY_INSTANCE_TYPES=ml.",
        "TRAINWARDEN_COPY_INSTANCE_TYPES=ml.g5.*, ml.m5.large",
        "TRAINWARDEN_COPY_INSTANCE_TYPES=ml.g5.*,",
        "TRAINWARDEN_SWEEP_SCHEDULE=15 minutes",
        "TRAINWARDEN_SWEEP_SCHEDULE=rate(15)",
        "TRAINWARDEN_SWEEP_SCHEDULE=rate(0 minutes)",
        "TRAINWARDEN_SWEEP_SCHEDULE=rate(5 seconds)",
        "TRAINWARDEN_SWEEP_SCHEDULE=rate(x minutes)",
        "TRAINWARDEN_SWEEP_SCHEDULE=at(12:00)",
        "TRAINWARDEN_SWEEP_SCHEDULE=rate(99999999999 days)"}) {
    const testing::Env env{entry};
    const auto config = Config::from(env());
    ASSERT_FALSE(config) << entry;
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidConfig);
    EXPECT_NE(config.error().message.find(entry.substr(0, entry.find('='))), std::string::npos);
  }
}

class PolicySourceTest : public ::testing::Test {
 protected:
  PolicySourceTest() { std::filesystem::create_directories(folder_); }
  ~PolicySourceTest() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("trainwarden-policy-source-" + std::to_string(::getpid()));
};

TEST_F(PolicySourceTest, P5_TheDefaultLiesBesideTheProgram) {
  write("policy.json", kPolicy);
  EXPECT_EQ(load_policy("", folder_.string())->mode(), rules::Mode::kNotify);
}

TEST_F(PolicySourceTest, P5_AFileCanBeNamed) {
  EXPECT_TRUE(load_policy("file:" + write("other.json", kPolicy), "/nowhere"));
}

TEST_F(PolicySourceTest, P5_TheVariableMayHoldThePolicyItself) {
  EXPECT_TRUE(load_policy(kPolicy, "/nowhere"));
  EXPECT_TRUE(load_policy(std::string(" // why\n") + kPolicy, "/nowhere"));
}

TEST_F(PolicySourceTest, P2_ABrokenFileIsNamedWithThePathInside) {
  const std::string path = write("policy.json", R"({"version":1,"rules":[{"name":"r"}]})");
  const auto policy = load_policy("", folder_.string());
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, ErrorCode::kInvalidPolicy);
  EXPECT_NE(policy.error().message.find(path), std::string::npos);
  EXPECT_NE(policy.error().message.find("rules[0]"), std::string::npos);
}

TEST_F(PolicySourceTest, P5_AnythingElseIsAnErrorThatSaysWhatIsExpected) {
  for (const char* source :
       {"file:/nowhere/policy.json", "policy.json", "ssm:/trainwarden/policy", "   "}) {
    const auto policy = load_policy(source, folder_.string());
    ASSERT_FALSE(policy) << source;
    EXPECT_EQ(policy.error().code, ErrorCode::kInvalidConfig) << source;
  }
  EXPECT_FALSE(load_policy("file:" + folder_.string(), "/nowhere"));
}

TEST_F(PolicySourceTest, AFileIsReadToItsEndWhateverItsSize) {
  for (const std::size_t size : {0U, 1U, 5542U, 65536U, 65537U})
    EXPECT_EQ(read_file(write("text", std::string(size, 't')))->size(), size) << size;
  // One whose size cannot be told, like a pipe.
  EXPECT_NE(read_file("/proc/self/status")->find("Pid:"), std::string::npos);
}

TEST_F(PolicySourceTest, AFileOfMoreThan16MiBIsRefused) {
  constexpr std::size_t kMost = std::size_t{16} << 20U;
  const std::string path = write("large", "");
  std::filesystem::resize_file(path, kMost);
  EXPECT_EQ(read_file(path)->size(), kMost);
  std::filesystem::resize_file(path, kMost + 1);
  const auto text = read_file(path);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("16 MiB"), std::string::npos);
}

}  // namespace
}  // namespace trainwarden::actions::configuration_test
