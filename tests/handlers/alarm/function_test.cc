#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "handlers/alarm/alarm_function.h"
#include "tests/support/aws/in_process_aws.h"
#include "tests/support/env.h"
#include "tests/support/files.h"
#include "tests/support/manual_clock.h"
#include "tests/support/transcript.h"

namespace trainwarden::alarm::function_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr long kMinute = 1'783'002'000;
constexpr long kNow = kMinute + 13;  // 2026-07-02T14:20:13Z, when the samples' alarm fired
constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";
constexpr const char* kPolicy =
    R"("mode":"enforce","watches":{"gpu-idle":{"metric":"GPUUtilization",)"
    R"("statistic":"Maximum","period_seconds":300,"periods":3,"at_most":1,"per_gpu":true}},)"
    R"("rules":[{"name":"stop-idle","match":{"alarm":{"watch":["gpu-idle"],"state":["ALARM"]}},"actions":["stop"]}]})";

struct Message {
  std::string name = "trainwarden/train-1/gpu-idle";
  std::string state = "ALARM";
  std::string region = "eu-central-1";
  std::string account = "111122223333";
  std::string arn_name = {};  // empty: name
  std::string trigger = R"({"MetricName":"GPUUtilization"})";
  std::string arn_account = "111122223333";
};

std::string text(const Message& message) {
  return fmt::format(
      R"({{"AlarmName":"{}","AWSAccountId":"{}","NewStateValue":"{}","OldStateValue":"OK",)"
      R"("AlarmArn":"arn:aws:cloudwatch:{}:{}:alarm:{}","Trigger":{}}})",
      message.name, message.account, message.state, message.region, message.arn_account,
      message.arn_name.empty() ? message.name : message.arn_name, message.trigger);
}

std::string record(const std::string& message, const std::string& id,
                   const std::string& topic = kTopic) {
  json::Writer quoted;
  quoted.string(message);
  return fmt::format(
      R"({{"EventSource":"aws:sns","Sns":{{"MessageId":"{}","TopicArn":"{}","Message":{}}}}})", id,
      topic, quoted.take());
}

std::string event(const std::vector<std::string>& records) {
  std::string all;
  for (const std::string& one : records) all += (all.empty() ? "" : ",") + one;
  return R"({"Records":[)" + all + "]}";
}

class AlarmFunctionTest : public ::testing::Test {
 protected:
  explicit AlarmFunctionTest(const std::string& region = "eu-central-1") : region_(region) {}

  Result<std::string> answer(const std::string& payload, milliseconds left = seconds(60)) {
    return answer(payload, left, log_);
  }
  Result<std::string> answer(const std::string& payload, milliseconds left, lambda::Log& log) {
    const testing::Env env{
        "AWS_REGION=" + region_,
        "TRAINWARDEN_TABLE=arn:aws:dynamodb:" + region_ + ":111122223333:table/trainwarden-state",
        "AWS_ACCESS_KEY_ID=AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY=s",
        "AWS_MAX_ATTEMPTS=1",
        R"(TRAINWARDEN_POLICY={"version":1,)" + limits_ + policy_,
        "TRAINWARDEN_ALARM_PREFIX=" + prefix_,
        "TRAINWARDEN_ALARM_TOPIC=" + topic_};
    auto function = AlarmFunction::start(env(), aws_, clock_, log);
    if (!function) return fail(function.error());
    const lambda::Invocation invocation{
        *lambda::RequestId::parse("r"), payload, {}, arn_, {}, {}, {}, {}};
    auto answer = function->handle({invocation, clock_.in(left), log});
    testing::transcribe("answer", answer ? *answer : answer.error().message);
    return answer;
  }
  // "<result>: <reason>" of every message.
  std::vector<std::string> results(const std::string& payload) {
    const auto answered = answer(payload);
    if (!answered) return {"error: " + answered.error().message};
    const json::Document document = *json::Document::parse(*answered);
    std::vector<std::string> out;
    for (const json::Value entry : document.root().find("messages")->elements()) {
      std::string one(entry.find("result")->as_string());
      if (const auto reason = entry.find("reason")) one.append(": ").append(reason->as_string());
      out.push_back(one);
    }
    return out;
  }
  std::string result(const Message& message, const std::string& topic = kTopic) {
    return results(event({record(text(message), "m-1", topic)})).at(0);
  }
  // It has trained for two hours, and its GPU did nothing in the last three periods.
  void place_idle(const std::string& secondary = "Training") {
    aws_.place({.name = "train-1",
                .secondary = secondary,
                .age = hours(3),
                .since = hours(2),
                .more = fmt::format(R"(,"TrainingJobArn":"arn:aws:sagemaker:{}:111122223333:)"
                                    R"(training-job/train-1")",
                                    region_)});
    for (const long before : {900, 600, 300}) measure_idle("train-1/algo-1", before);
  }
  void measure_idle(const std::string& host, long before) {
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"GPUUtilization",)"
            R"("Dimensions":[{{"Name":"Host","Value":"{}"}}],"Timestamp":{},"Value":0.3}}]}})",
            host, kMinute - before)));
  }
  bool stopped() const { return aws_.status("train-1") == "Stopping"; }

  std::string region_;
  std::string topic_ = kTopic;
  std::string prefix_ = "trainwarden";
  std::string arn_ = {};     // of the function, as Lambda tells it
  std::string limits_ = {};  // of the policy, with a comma after them
  std::string policy_ = kPolicy;
  testing::ManualClock clock_{sys_millis(milliseconds(kNow * 1000))};
  testing::InProcessAws aws_{clock_, {}, region_};
  lambda::Log log_{lambda::LogFormat::kJson, lambda::Level::kFatal, STDOUT_FILENO, clock_};
};

TEST_F(AlarmFunctionTest, W4_AConfirmedAlarmLeadsToTheStopThatARuleWants) {
  place_idle();
  const auto answered =
      answer(event({record(text({.name = "trainwarden/train-1/gpu-idle/2"}), "m-1")}));
  ASSERT_TRUE(answered) << answered.error().message;
  const json::Document document = *json::Document::parse(*answered);
  const json::Value entry = *document.root().find("messages")->elements().begin();
  EXPECT_EQ(entry.find("job")->as_string(), "train-1");
  EXPECT_EQ(entry.find("watch")->as_string(), "gpu-idle");
  EXPECT_EQ(entry.find("part")->as_integer(), 2);
  EXPECT_EQ(entry.find("state")->as_string(), "ALARM");
  EXPECT_EQ(entry.find("result")->as_string(), "decided");
  const json::Value decided = *entry.find("record");
  EXPECT_EQ(decided.find("trigger")->as_string(), "alarm");
  EXPECT_NE(json::to_text(decided).find(R"("action":"stop","result":"stopped","code":"stopped")"),
            std::string::npos);
  EXPECT_EQ(decided.find("calls")->size(), aws_.calls.size());
  EXPECT_TRUE(stopped());
}

// A reason is for people: its words may change, and its code does not.
TEST_F(AlarmFunctionTest, W5_EachMessageHasACode) {
  place_idle();
  const struct {
    std::string record;
    const char* code;
  } cases[] = {
      {record(text({}), "m-1"), "decided"},
      {record(text({}), "m-1"), "duplicate"},
      {record(text({}), "m-2"), "same-watch"},
      {record("not JSON", "m-3"), "no-alarm"},
      {record("[]", "m-4"), "no-alarm"},
      {record(text({}), "m-5", std::string(kTopic) + "-2"), "foreign-topic"},
      {record(text({.name = "HighCPU-prod-db"}), "m-6"), "foreign-alarm"},
      {record(text({.region = "us-east-1"}), "m-7"), "foreign-region"},
      {record(text({.account = "999999999999"}), "m-8"), "accounts-differ"},
      {record(text({.arn_name = "trainwarden/other/gpu-idle"}), "m-9"), "other-alarm-in-arn"},
      {record(text({.trigger = "null"}), "m-10"), "composite"},
      {record(text({.state = "OK"}), "m-11"), "other-state"},
  };
  std::vector<std::string> records;
  for (const auto& c : cases) records.push_back(c.record);
  const auto answered = answer(event(records));
  ASSERT_TRUE(answered) << answered.error().message;
  const json::Document document = *json::Document::parse(*answered);
  std::size_t i = 0;
  for (const json::Value entry : document.root().find("messages")->elements()) {
    EXPECT_EQ(entry.find("code")->as_string(), cases[i].code) << json::to_text(entry);
    EXPECT_EQ(entry.find("reason").has_value(), i > 0) << json::to_text(entry);
    ++i;
  }
  EXPECT_EQ(i, std::size(cases));
}

// Which are those of the function, or the message is ignored.
TEST_F(AlarmFunctionTest, F5_RulesOnAccountAndRegionHoldForAlarms) {
  place_idle();
  const std::string rule = R"("match":{"alarm")";
  const auto with = [&](const char* account, const char* region) {
    policy_ = kPolicy;
    policy_.replace(policy_.find(rule), rule.size(),
                    fmt::format(R"("match":{{"event":{{"account":["{}"],"region":["{}"]}},"alarm")",
                                account, region));
    return stopped() || (result({}) == "decided" && stopped());
  };
  EXPECT_FALSE(with("444455556666", "eu-central-1"));
  EXPECT_FALSE(with("111122223333", "us-east-1"));
  EXPECT_TRUE(with("111122223333", "eu-central-1"));
}

TEST_F(AlarmFunctionTest, W4_ForgedMessagesCostNoCall) {
  place_idle();
  EXPECT_EQ(result({}, "arn:aws:sns:eu-central-1:999999999999:trainwarden-alarms"),
            fmt::format("ignored: foreign topic: expected {}", kTopic));
  EXPECT_EQ(result({.region = "us-east-1"}), "ignored: foreign region: expected eu-central-1");
  EXPECT_EQ(result({.account = "999999999999", .arn_account = "999999999999"}),
            "ignored: foreign account: AlarmArn, AWSAccountId and the topic must have the same");
  EXPECT_EQ(result({.account = "999999999999"}),
            "ignored: foreign account: AlarmArn, AWSAccountId and the topic must have the same");
  arn_ = "arn:aws:lambda:eu-central-1:444455556666:function:trainwarden-alarm";
  EXPECT_EQ(result({}),
            "ignored: foreign account: expected 444455556666, where this function runs");
  arn_ = "arn:aws:lambda:eu-central-1:111122223333:function:trainwarden-alarm";
  EXPECT_EQ(result({.arn_name = "trainwarden/other/gpu-idle"}),
            "ignored: foreign alarm: AlarmArn names another one");
  EXPECT_TRUE(aws_.calls.empty());
}

TEST_F(AlarmFunctionTest, W5_OtherStatesForeignAndCompositeAlarmsDoNothing) {
  place_idle();
  EXPECT_EQ(result({.state = "OK"}), "ignored: state OK: nothing to do");
  EXPECT_EQ(result({.state = "INSUFFICIENT_DATA"}),
            "ignored: state INSUFFICIENT_DATA: nothing to do");
  EXPECT_EQ(result({.state = "NEW"}), "ignored: state NEW: nothing to do");
  EXPECT_EQ(result({.name = "HighCPU-prod-db"}),
            "ignored: foreign alarm: its name is not trainwarden/<job>/<watch>");
  EXPECT_EQ(result({.trigger = "null"}), "ignored: composite alarm: it has no Trigger");
  EXPECT_TRUE(aws_.calls.empty());
}

TEST_F(AlarmFunctionTest, W5_AlarmsOfAnotherStackDoNothing) {
  place_idle();
  prefix_ = "team-b";
  EXPECT_EQ(result({}), "ignored: foreign alarm: its name is not team-b/<job>/<watch>");
  EXPECT_TRUE(aws_.calls.empty());
  EXPECT_EQ(result({.name = "team-b/train-1/gpu-idle"}), "decided");
  EXPECT_EQ(aws_.status("train-1"), "Stopping");
}

TEST_F(AlarmFunctionTest, W5_DuplicatesInOneBatchAreOne) {
  place_idle();
  const auto found =
      results(event({record(text({}), "m-1"), record(text({}), "m-1"), record(text({}), "m-2"),
                     record(text({.name = "trainwarden/train-1/gpu-idle/2"}), "m-3")}));
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], "decided");
  EXPECT_EQ(found[1], "ignored: duplicate of a message before it");
  EXPECT_EQ(found[2],
            "ignored: duplicate: that watch of that job was looked at for a message before it");
  EXPECT_EQ(found[3], found[2]);
  EXPECT_EQ(aws_.count("GetMetricData"), 1);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 1);
}

TEST_F(AlarmFunctionTest, W5_AStateThatIsNoAlarmDoesNotHideTheAlarmBehindIt) {
  place_idle();
  const auto found =
      results(event({record(text({.state = "OK"}), "m-1"), record(text({}), "m-2")}));
  EXPECT_EQ(found, (std::vector<std::string>{"ignored: state OK: nothing to do", "decided"}));
  EXPECT_TRUE(stopped());
}

TEST_F(AlarmFunctionTest, W5_OneBadRecordDoesNotStopTheOthersAndTheBatchComesAgain) {
  aws_.refuse("DescribeTrainingJob", testing::kDenied);
  place_idle();
  const auto answered = answer(event({record("not JSON", "m-0"),
                                      record(text({.name = "trainwarden/train-0/gpu-idle"}), "m-1"),
                                      record(text({}), "m-2")}));
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, ErrorCode::kAccessDenied);
  EXPECT_NE(answered.error().message.find("train-0"), std::string::npos);
  EXPECT_TRUE(stopped());
}

// A line of the log takes 256 KB. Which messages failed is told of each, on as many lines as that
// takes; those that are ignored are only counted once half a line is full.
TEST_F(AlarmFunctionTest, R1_FiveThousandMessagesMakeNoLineLongerThan256KB) {
  constexpr int kMessages = 5000;
  std::vector<std::string> records;
  for (int i = 0; i < kMessages; ++i)
    records.push_back(record(text({.name = fmt::format("trainwarden/train-{}/gpu-idle", i)}),
                             fmt::format("failed-{}-", i)));
  for (int i = 0; i < kMessages; ++i) records.push_back(record("no alarm", fmt::format("m-{}", i)));
  std::FILE* const file = std::tmpfile();
  lambda::Log log{lambda::LogFormat::kJson, lambda::Level::kInfo, fileno(file), clock_};
  const auto answered = answer(event(records), milliseconds(2999), log);
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, ErrorCode::kDeadline);
  std::rewind(file);
  std::string lines(8'000'000, '\0');
  lines.resize(std::fread(lines.data(), 1, lines.size(), file));
  std::fclose(file);
  std::size_t count = 0;
  std::size_t left_out = 0;
  std::size_t ignored = 0;
  for (std::size_t at = 0; at < lines.size(); ++count) {
    const std::size_t end = lines.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end + 1 - at, 256'000U);
    const auto line = json::Document::parse(lines.substr(at, end - at));
    ASSERT_TRUE(line) << line.error().message;
    at = end + 1;
    const auto found = line->root().find("record");
    if (!found) continue;
    for (const json::Value entry : found->find("messages")->elements())
      if (entry.find("result")->as_string() == "ignored") ++ignored;
    if (const auto counts = found->find("left_out"))
      left_out += static_cast<std::size_t>(*counts->find("no-alarm")->as_integer());
  }
  EXPECT_GT(count, 2U);
  for (int i = 0; i < kMessages; ++i)
    EXPECT_NE(lines.find(fmt::format(R"("message_id":"failed-{}-")", i)), std::string::npos) << i;
  EXPECT_GT(ignored, 0U);
  EXPECT_EQ(ignored + left_out, static_cast<std::size_t>(kMessages));
  EXPECT_LT(lines.size(), 2'500'000U);
}

TEST_F(AlarmFunctionTest, W5_WithoutTimeAMessageIsLeftToTheNextDelivery) {
  place_idle();
  const auto answered = answer(event({record(text({}), "m-1")}), milliseconds(2999));
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, ErrorCode::kDeadline);
  EXPECT_FALSE(aws_.wrote());
}

TEST_F(AlarmFunctionTest, W4_AnUnconfirmedAlarmIsSuccess) {
  place_idle("Uploading");
  EXPECT_EQ(result({}), "not confirmed");
  EXPECT_FALSE(aws_.wrote());
}

// The brake lets one through, and the message of the cheap job comes first.
TEST_F(AlarmFunctionTest, P7_WithinOneDeliveryTheDearestGoFirst) {
  limits_ = R"("limits":{"stops_per_hour":1},)";
  place_idle();  // an ml.g5.12xlarge
  aws_.place({.name = "train-2", .type = "ml.p4d.24xlarge", .count = 2, .since = hours(1)});
  for (const int host : {1, 2})
    for (const long before : {900, 600, 300})
      measure_idle(fmt::format("train-2/algo-{}", host), before);
  const auto found = results(event(
      {record(text({}), "m-1"), record(text({.name = "trainwarden/train-2/gpu-idle"}), "m-2")}));
  EXPECT_EQ(found, (std::vector<std::string>{"decided", "decided"}));
  EXPECT_FALSE(stopped());
  EXPECT_EQ(aws_.status("train-2"), "Stopping");
}

TEST_F(AlarmFunctionTest, P2_ABrokenPolicyIsAnInitError) {
  const testing::Env env{"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=a",
                         "AWS_SECRET_ACCESS_KEY=s",
                         R"(TRAINWARDEN_POLICY={"version":1,"rulez":[]})"};
  const auto function = AlarmFunction::start(env(), aws_, clock_, log_);
  ASSERT_FALSE(function);
  EXPECT_EQ(function.error().code, ErrorCode::kInvalidPolicy);
}

class AlarmSampleFiles : public AlarmFunctionTest {
 protected:
  AlarmSampleFiles() : AlarmFunctionTest("ap-southeast-1") {}
};

TEST_F(AlarmSampleFiles, W5_AreTreatedAsTheyShould) {
  const auto folder = testing::kShared / "samples/alarm";
  if (testing::files_in(folder).empty())
    GTEST_SKIP() << "5 cases need ../shared/samples/alarm, which is not here";
  topic_ = "arn:aws:sns:ap-southeast-1:111122223333:trainwarden-alarms";
  const auto sample = [&](const char* file) { return results(testing::read_text(folder / file)); };
  using Results = std::vector<std::string>;
  EXPECT_EQ(sample("alarm_ok.json"), Results{"ignored: state OK: nothing to do"});
  EXPECT_EQ(sample("alarm_foreign_must_ignore.json"),
            Results{"ignored: foreign alarm: its name is not trainwarden/<job>/<watch>"});
  EXPECT_EQ(sample("lambda_envelope.json"),
            Results{"ignored: `Message`: expected an alarm, found a string"});
  place_idle();
  EXPECT_EQ(sample("alarm_single_metric.json"), Results{"decided"});
  place_idle();
  const Results three = sample("three_records_one_bad_one_duplicate.json");
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[0], "decided");
  EXPECT_TRUE(three[1].starts_with("ignored: `Message`: not valid JSON")) << three[1];
  EXPECT_EQ(three[2], "ignored: duplicate of a message before it");
}

}  // namespace
}  // namespace trainwarden::alarm::function_test
