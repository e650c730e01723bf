#include "handlers/alarm/event.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "handlers/alarm/function.h"
#include "tests/support/env.h"
#include "tests/support/files.h"
#include "tests/support/manual_clock.h"

namespace trainwarden::alarm {
namespace {

constexpr const char* kTopic = "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";

std::string quoted(const std::string& text) {
  json::Writer writer;
  writer.string(text);
  return writer.take();
}

std::string message(const std::string& name, const std::string& state,
                    const std::string& region = "eu-central-1") {
  return R"({"AlarmName":")" + name + R"(","AWSAccountId":"111122223333","NewStateValue":")" +
         state + R"(","OldStateValue":"OK","Region":"Europe Frankfurt",
         "AlarmArn" : "arn:aws:cloudwatch:)" +
         region + ":111122223333:alarm:" + name + R"("})";
}

std::string record(const std::string& text, const std::string& id = "m-1",
                   const std::string& topic = kTopic) {
  return R"({"EventSource":"aws:sns","Sns":{"MessageId":")" + id + R"(","TopicArn":")" + topic +
         R"(","Message":)" + quoted(text) + "}}";
}

std::string event(const std::string& records) { return R"({"Records":[)" + records + "]}"; }

TEST(AlarmEvent, TakesTheRegionFromTheArn) {
  const auto records = parse_alarm_event(event(record(message("trainwarden/j/w", "ALARM"))));
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 1U);
  const auto& alarm = records->at(0).message;
  ASSERT_TRUE(alarm) << alarm.error().message;
  EXPECT_EQ(alarm->region, "eu-central-1");
  EXPECT_EQ(alarm->account, "111122223333");
  EXPECT_EQ(alarm->new_state, "ALARM");
  EXPECT_EQ(alarm->old_state, "OK");
}

TEST(AlarmEvent, W5_OneBadRecordDoesNotSpoilTheOthers) {
  const auto records =
      parse_alarm_event(event(record("this is not JSON") + "," + record("\"hello\"") + ",7," +
                              record("{}") + "," + record(message("trainwarden/j/w", "OK"))));
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(records->at(i).message) << i;
  EXPECT_TRUE(records->at(4).message);
}

TEST(AlarmEvent, WhatIsNoSnsEventIsAnError) {
  for (const char* payload : {"", "x", "[]", "{}", R"({"Records":{}})", R"({"Records":null})"})
    EXPECT_FALSE(parse_alarm_event(payload)) << payload;
}

class AlarmFunctionTest : public ::testing::Test {
 protected:
  json::Document handle(const std::string& payload) {
    const testing::Env env{"AWS_REGION=eu-central-1",
                           std::string("TRAINWARDEN_ALARM_TOPIC=") + kTopic};
    const auto function = AlarmFunction::start(env());
    EXPECT_TRUE(function);
    testing::ManualClock clock{sys_millis{}};
    lambda::Log log{lambda::LogFormat::kJson, lambda::Level::kFatal, STDOUT_FILENO, clock};
    const lambda::Invocation invocation{
        *lambda::RequestId::parse("r"), payload, {}, {}, {}, {}, {}, {}};
    const auto answer = function->handle({invocation, Deadline::never(), log});
    EXPECT_TRUE(answer);
    return *json::Document::parse(*answer);
  }
  // "<result>: <reason>" of every message.
  std::vector<std::string> results(const std::string& payload) {
    const json::Document document = handle(payload);
    std::vector<std::string> out;
    for (const json::Value entry : document.root().find("messages")->elements()) {
      std::string text(entry.find("result")->as_string());
      if (const auto reason = entry.find("reason")) text.append(": ").append(reason->as_string());
      out.push_back(text);
    }
    return out;
  }
};

TEST_F(AlarmFunctionTest, SaysWhatItSaw) {
  const json::Document document =
      handle(event(record(message("trainwarden/train-1/gpu-idle/2", "ALARM"))));
  const json::Value entry = *document.root().find("messages")->elements().begin();
  EXPECT_EQ(entry.find("job")->as_string(), "train-1");
  EXPECT_EQ(entry.find("watch")->as_string(), "gpu-idle");
  EXPECT_EQ(entry.find("part")->as_integer(), 2);
  EXPECT_EQ(entry.find("state")->as_string(), "ALARM");
  EXPECT_EQ(entry.find("result")->as_string(), "seen");
}

TEST_F(AlarmFunctionTest, W5_SaysWhyAMessageIsIgnored) {
  const auto found = results(
      event(record(message("HighCPU", "ALARM"), "1") + "," +
            record(message("trainwarden/j/w", "OK"), "2") + "," +
            record(message("trainwarden/j/w", "INSUFFICIENT_DATA"), "3") + "," +
            record(message("trainwarden/j/w", "ALARM", "us-east-1"), "4") + "," +
            record(message("trainwarden/j/w", "ALARM"), "5", "arn:aws:sns:eu-central-1:1:x") + "," +
            record(message("trainwarden/j/w", "ALARM"), "6") + "," +
            record(message("trainwarden/j/w", "ALARM"), "6") + "," + record("x", "7")));
  ASSERT_EQ(found.size(), 8U);
  EXPECT_TRUE(found[0].starts_with("ignored: foreign alarm")) << found[0];
  EXPECT_EQ(found[1], "ignored: state OK: nothing to do");
  EXPECT_EQ(found[2], "ignored: state INSUFFICIENT_DATA: nothing to do");
  EXPECT_TRUE(found[3].starts_with("ignored: foreign region")) << found[3];
  EXPECT_TRUE(found[4].starts_with("ignored: foreign topic")) << found[4];
  EXPECT_EQ(found[5], "seen");
  EXPECT_TRUE(found[6].starts_with("ignored: duplicate")) << found[6];
  EXPECT_TRUE(found[7].starts_with("ignored: `Message`: not valid JSON")) << found[7];
}

TEST(AlarmSamples, AreUnderstood) {
  const struct {
    const char* file;
    std::vector<std::string> alarms;  // per record; empty: no alarm message
  } cases[] = {{"alarm_single_metric.json", {"trainwarden/train-1/gpu-idle"}},
               {"alarm_ok.json", {"trainwarden/train-1/gpu-idle"}},
               {"alarm_foreign_must_ignore.json", {"HighCPU-prod-db"}},
               {"lambda_envelope.json", {""}},
               {"three_records_one_bad_one_duplicate.json",
                {"trainwarden/train-1/gpu-idle", "", "trainwarden/train-1/gpu-idle"}}};
  const auto folder = testing::kShared / "samples/alarm";
  if (testing::files_in(folder).empty())
    GTEST_SKIP() << "0 samples ran: ../shared/samples/alarm is not there";
  EXPECT_EQ(testing::files_in(folder).size(), std::size(cases));
  for (const auto& [file, alarms] : cases) {
    SCOPED_TRACE(file);
    const auto records = parse_alarm_event(testing::read_text(folder / file));
    ASSERT_TRUE(records) << records.error().message;
    ASSERT_EQ(records->size(), alarms.size());
    for (std::size_t i = 0; i < alarms.size(); ++i) {
      const auto& found = records->at(i).message;
      EXPECT_EQ(found ? found->alarm : "", alarms[i]);
      if (found) {
        EXPECT_EQ(found->region, "ap-southeast-1");
      }
    }
  }
}

}  // namespace
}  // namespace trainwarden::alarm
