#include <gtest/gtest.h>

#include "handlers/alarm/alarm_event.h"
#include "runtime/json/json.h"
#include "tests/support/files.h"

namespace trainwarden::alarm::event_test {
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

Result<std::vector<SnsRecord>> parse_alarm_event(const std::string& payload) {
  TRY(SnsRecords records, SnsRecords::parse(payload));
  std::vector<SnsRecord> all;
  while (auto record = records.next()) all.push_back(*std::move(record));
  return all;
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

TEST(AlarmEvent, W5_MetricMathAndOldPayloadsAreUnderstoodAndCompositesAreToldApart) {
  const auto trigger = [](const std::string& member) {
    return R"({"AlarmName":"trainwarden/j/w","AWSAccountId":"111122223333","NewStateValue":"ALARM",
               "AlarmArn":"arn:aws:cloudwatch:eu-central-1:111122223333:alarm:trainwarden/j/w")" +
           member + "}";
  };
  const auto is_composite = [&](const std::string& member) {
    const auto records = parse_alarm_event(event(record(trigger(member))));
    return records->at(0).message->composite;
  };
  // Before there was DatapointsToAlarm.
  EXPECT_FALSE(is_composite(R"(,"Trigger":{"MetricName":"GPUUtilization","EvaluationPeriods":3})"));
  EXPECT_FALSE(is_composite(R"(,"Trigger":{"Period":300,"Metrics":[{"Id":"e","Expression":"m1 / 8"
}]
})"));
  EXPECT_TRUE(is_composite(R"(,"AlarmRule":"TRUE")"));
  EXPECT_TRUE(is_composite(R"(,"Trigger":null)"));
  EXPECT_TRUE(is_composite(R"(,"Trigger":"?")"));
}

TEST(AlarmEvent, W4_OnlyTheArnOfAnAlarmIsOne) {
  for (const char* arn :
       {"", "arn", "trainwarden/j/w", "arn:aws:cloudwatch:eu-central-1",
        "arn:aws:sns:eu-central-1:111122223333:alarm:trainwarden/j/w",
        "arn:aws:cloudwatch::111122223333:alarm:trainwarden/j/w",
        "arn:aws:cloudwatch:eu-central-1::alarm:trainwarden/j/w",
        "arn:aws:cloudwatch:eu-central-1:111122223333:trainwarden/j/w",
        "arn:aws:cloudwatch:eu-central-1:111122223333:dashboard:trainwarden/j/w"}) {
    const auto records = parse_alarm_event(event(record(
        R"({"AlarmName":"trainwarden/j/w","AWSAccountId":"111122223333","NewStateValue":"ALARM","AlarmArn":")" +
        std::string(arn) + "\"}")));
    EXPECT_FALSE(records->at(0).message) << arn;
  }
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
    GTEST_SKIP() << "5 cases need ../shared/samples/alarm, which is not here";
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
}  // namespace trainwarden::alarm::event_test
