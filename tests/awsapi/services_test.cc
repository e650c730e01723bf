// CloudWatch, SNS, SSM and Logs: what is said, and what is understood.
#include <gtest/gtest.h>

#include "awsapi/cloudwatch.h"
#include "awsapi/logs.h"
#include "awsapi/sns.h"
#include "awsapi/ssm.h"
#include "awsapi/xml.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::services_test {
namespace {

using std::chrono::seconds;
using testing::ScriptedTransport;

constexpr sys_seconds kNow{seconds(1783000213)};

class ServicesTest : public ::testing::Test {
 protected:
  std::string header(std::size_t request, std::string_view name) {
    for (const auto& h : transport_.sent.at(request).headers)
      if (h.name == name) return h.value;
    return "(none)";
  }

  testing::ManualClock clock_{kNow};
  ScriptedTransport transport_;
  Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                  "eu-central-1",
                  1,
                  Endpoints::all_at("https://api.example/")},
                 transport_,
                 clock_,
                 [] { return 0.0; }};
  CallContext context_{Deadline::never(), "", nullptr};
};

TEST_F(ServicesTest, CloudWatchSpeaksJson10InQueryMode) {
  transport_.expect("GraniteServiceVersion20100801.PutMetricAlarm", 200, "");
  EXPECT_TRUE(CloudWatch(client_).put_metric_alarm(R"({"AlarmName":"trainwarden/j/w"})", context_));
  EXPECT_EQ(header(0, "Content-Type"), "application/x-amz-json-1.0");
  EXPECT_EQ(header(0, "x-amzn-query-mode"), "true");
  EXPECT_NE(header(0, "Authorization").find("/eu-central-1/monitoring/aws4_request"),
            std::string::npos);
  EXPECT_NE(header(0, "Authorization").find("x-amzn-query-mode"), std::string::npos);
}

TEST_F(ServicesTest, AlarmsAreDeletedAHundredAtATime) {
  std::vector<std::string> names;
  for (int i = 0; i < 230; ++i) names.push_back("trainwarden/j/w/" + std::to_string(i + 1));
  transport_.expect("\"trainwarden/j/w/1\"", 200)
      .expect("\"trainwarden/j/w/101\"", 200)
      .expect("\"trainwarden/j/w/230\"", 200);
  EXPECT_TRUE(CloudWatch(client_).delete_alarms(names, context_));
}

TEST_F(ServicesTest, AnAlarmThatIsGoneIsDeleted) {
  transport_.expect("DeleteAlarms", 404, R"({"__type":"ResourceNotFound","message":"m"})");
  EXPECT_TRUE(CloudWatch(client_).delete_alarms(std::vector<std::string>{"a"}, context_));
  transport_.expect("DeleteAlarms", 400, R"({"__type":"AccessDenied","message":"m"})");
  EXPECT_FALSE(CloudWatch(client_).delete_alarms(std::vector<std::string>{"a"}, context_));
}

TEST_F(ServicesTest, AlarmsAreListedOverAllPages) {
  transport_.expect(
      R"({"AlarmNamePrefix":"trainwarden/","MaxRecords":100,"AlarmTypes":["MetricAlarm"],"StateValue":"ALARM"})",
      200, R"({"MetricAlarms":[{"AlarmName":"a"},{"AlarmName":"b"}],"NextToken":"n"})");
  transport_.expect(R"("NextToken":"n")", 200, R"({"MetricAlarms":[{"AlarmName":"c"}]})");
  std::string names;
  const auto each = [&](json::Value alarm) -> Result<bool> {
    names += alarm.find("AlarmName")->as_string();
    return true;
  };
  EXPECT_TRUE(CloudWatch(client_).describe_alarms({"trainwarden/", "ALARM"}, each, context_));
  EXPECT_EQ(names, "abc");
}

TEST_F(ServicesTest, AnAnswerWithoutAlarmsIsNotAListOfNone) {
  transport_.expect("DescribeAlarms", 200, "{}");
  const auto each = [](json::Value) -> Result<bool> { return true; };
  EXPECT_FALSE(CloudWatch(client_).describe_alarms({"trainwarden/", {}}, each, context_));
}

TEST_F(ServicesTest, AStateReasonIsCutToWhatCloudWatchTakes) {
  transport_.expect("SetAlarmState", 200, "");
  EXPECT_TRUE(CloudWatch(client_).set_alarm_state("a", "OK", std::string(3000, 'x'), context_));
  const auto body = json::Document::parse(transport_.sent.at(0).body);
  EXPECT_EQ(body->root().find("StateReason")->as_string().size(), 1023U);
}

TEST_F(ServicesTest, MetricDataAreMergedByIdAndOrdered) {
  const auto queries = json::Document::parse(R"([{"Id":"m1"}])");
  transport_.expect(
      R"("StartTime":1783000213,"EndTime":1783000813)", 200,
      R"({"MetricDataResults":[{"Id":"m1","Timestamps":[1783000513,1783000213.0],"Values":[2,1.5],)"
      R"("StatusCode":"PartialData"},{"Id":"m2","StatusCode":"Complete"}],"NextToken":"n"})");
  transport_.expect(
      R"("NextToken":"n")", 200,
      R"({"MetricDataResults":[{"Id":"m1","Timestamps":[1.783000813E9],"Values":[3],"StatusCode":"Complete"}]})");
  const auto series =
      CloudWatch(client_).get_metric_data(queries->root(), kNow, kNow + seconds(600), context_);
  ASSERT_TRUE(series) << series.error().message;
  ASSERT_EQ(series->size(), 2U);
  ASSERT_EQ(series->at(0).datapoints.size(), 3U);
  EXPECT_EQ(series->at(0).datapoints[0].time, kNow);
  EXPECT_EQ(series->at(0).datapoints[0].value, 1.5);
  EXPECT_EQ(series->at(0).datapoints[2].value, 3);
  EXPECT_TRUE(series->at(1).datapoints.empty());
}

TEST_F(ServicesTest, F1_DataThatAreNotWholeAreNotAbsentData) {
  const auto queries = json::Document::parse("[]");
  for (
      const char* answer :
      {R"({"MetricDataResults":[{"Id":"m","Timestamps":[],"Values":[],"StatusCode":"InternalError"}]})",
       R"({"MetricDataResults":[{"Id":"m","Timestamps":[],"Values":[],"StatusCode":"Forbidden"}]})",
       R"({"MetricDataResults":[{"Id":"m","Timestamps":[],"Values":[],"StatusCode":"PartialData"}]})",
       R"({"MetricDataResults":[{"Id":"m","Timestamps":[1],"Values":[]}]})",
       R"({"MetricDataResults":[{"Timestamps":[],"Values":[]}]})", "{}"}) {
    transport_.expect("GetMetricData", 200, answer);
    const auto series = CloudWatch(client_).get_metric_data(queries->root(), kNow, kNow, context_);
    ASSERT_FALSE(series) << answer;
    EXPECT_EQ(series.error().code, ErrorCode::kBadResponse);
  }
}

TEST_F(ServicesTest, PublishIsAFormAndItsAnswerXml) {
  transport_.expect(
      "Action=Publish&Version=2010-03-31&TopicArn=arn%3Aaws%3Asns%3Aeu-central-1%3A1%3At&Subject="
      "Stopped%3A%20j"
      "&Message=a%20%26%20b%0A%C3%BC&MessageAttributes.entry.1.Name=rule&MessageAttributes.entry.1."
      "Value.DataType=String"
      "&MessageAttributes.entry.1.Value.StringValue=r",
      200,
      "<PublishResponse><PublishResult><MessageId>m-1</MessageId></PublishResult></"
      "PublishResponse>");
  const auto id = Sns(client_).publish(
      {"arn:aws:sns:eu-central-1:1:t", "Stopped: j", "a & b\nü", {{"team", ""}, {"rule", "r"}}},
      context_);
  ASSERT_TRUE(id) << id.error().message;
  EXPECT_EQ(*id, "m-1");
  EXPECT_EQ(header(0, "Content-Type"), "application/x-www-form-urlencoded; charset=utf-8");
  EXPECT_EQ(header(0, "X-Amz-Target"), "(none)");
}

// A filter policy need name only one of several values.
TEST_F(ServicesTest, A9_AnAttributeOfSeveralValuesIsAnArray) {
  transport_.expect(
      "Action=Publish&Version=2010-03-31&TopicArn=t&Subject=s&Message=m"
      "&MessageAttributes.entry.1.Name=limit&MessageAttributes.entry.1.Value.DataType=String"
      "&MessageAttributes.entry.1.Value.StringValue=a"
      "&MessageAttributes.entry.2.Name=owner&MessageAttributes.entry.2.Value.DataType=String.Array"
      "&MessageAttributes.entry.2.Value.StringValue=%5B%22j%5C%22o%22%2C%22zo%C3%AB%22%5D",
      200, "<MessageId>m</MessageId>");
  EXPECT_TRUE(Sns(client_).publish(
      {"t", "s", "m", {}, {{"limit", {"a"}}, {"owner", {"j\"o", "zoë"}}, {"team", {}}}}, context_));
}

TEST_F(ServicesTest, TruncatedXmlIsAnError) {
  for (const char* answer :
       {"", "<PublishResponse><PublishResult><MessageId>m-1", "{}", "<html></html>"}) {
    transport_.expect("Action=Publish", 200, answer);
    EXPECT_EQ(Sns(client_).publish({"t", "s", "m", {}}, context_).error().code,
              ErrorCode::kBadResponse)
        << answer;
  }
}

TEST_F(ServicesTest, ALongMessageIsCutBetweenCharacters) {
  std::string message;
  while (message.size() < 300'000) message += "ü";
  transport_.expect("Action=Publish", 200, "<MessageId>m</MessageId>");
  ASSERT_TRUE(Sns(client_).publish({"t", "s", message, {}}, context_));
  const std::string& body = transport_.sent.at(0).body;
  const std::size_t begin = body.find("&Message=") + 9;
  EXPECT_EQ((body.size() - begin) / 3, 256U * 1024);  // each byte is %XX
}

TEST_F(ServicesTest, AttributesCountAsPartOfAMessage) {
  transport_.expect("Action=Publish", 200, "<MessageId>m</MessageId>");
  // Empty ones are not sent.
  ASSERT_TRUE(Sns(client_).publish(
      {"t", "s", std::string(300'000, 'm'), {{"team", "vision"}, {"b", ""}}}, context_));
  const std::string& body = transport_.sent.at(0).body;
  const std::size_t begin = body.find("&Message=") + 9;
  constexpr std::size_t kAttribute = std::string_view("teamStringvision").size();
  EXPECT_EQ(body.find('&', begin) - begin, 256U * 1024 - kAttribute);
}

TEST(SnsSubject, IsOneShortAsciiLine) {
  EXPECT_EQ(sns_subject("Stopped: größe\nline"), "Stopped: gr??e line");
  EXPECT_EQ(sns_subject(std::string(300, 'x')).size(), 99U);
  EXPECT_EQ(sns_subject("  a"), "a");
  EXPECT_EQ(sns_subject("\n"), "Trainwarden");
}

TEST_F(ServicesTest, AParameterIsReadDecrypted) {
  transport_.expect(
      R"({"Name":"/trainwarden/policy","WithDecryption":true})", 200,
      R"({"Parameter":{"Name":"/trainwarden/policy","Type":"SecureString","Value":"{}","Version":7}})");
  const auto parameter = Ssm(client_).get_parameter("/trainwarden/policy", context_);
  ASSERT_TRUE(parameter);
  EXPECT_EQ(parameter->value, "{}");
  EXPECT_EQ(parameter->version, 7);
  EXPECT_NE(header(0, "Authorization").find("/ssm/"), std::string::npos);
}

TEST_F(ServicesTest, AMissingOrMalformedParameterIsAnError) {
  transport_.expect("AmazonSSM.GetParameter", 400, R"({"__type":"ParameterNotFound"})");
  EXPECT_EQ(Ssm(client_).get_parameter("p", context_).error().code, ErrorCode::kNotFound);
  for (const char* answer : {"{}", R"({"Parameter":{}})", R"({"Parameter":{"Value":7}})"}) {
    transport_.expect("AmazonSSM.GetParameter", 200, answer);
    EXPECT_EQ(Ssm(client_).get_parameter("p", context_).error().code, ErrorCode::kBadResponse);
  }
}

TEST_F(ServicesTest, LogEventsComeFromAllPages) {
  transport_.expect(
      R"({"logGroupName":"/aws/sagemaker/TrainingJobs","limit":100,"logStreamNamePrefix":"j/","startTime":1783000213000})",
      200,
      R"({"events":[{"logStreamName":"j/algo-1-1","timestamp":1783000213001,"message":"one"}],"nextToken":"n"})");
  transport_.expect(R"("nextToken":"n")", 200, R"({"events":[],"nextToken":"o"})");
  transport_.expect(R"("nextToken":"o")", 200,
                    R"({"events":[{"logStreamName":"j/algo-2-1","message":"two"}]})");
  std::string seen;
  const auto each = [&](const LogEvent& event) -> Result<bool> {
    seen.append(event.stream).append("=").append(event.message).append(";");
    return true;
  };
  const LogQuery query{"/aws/sagemaker/TrainingJobs", "j/", sys_millis(kNow), std::nullopt, 100};
  EXPECT_TRUE(Logs(client_).filter_log_events(query, each, context_));
  EXPECT_EQ(seen, "j/algo-1-1=one;j/algo-2-1=two;");
}

TEST(Xml, FindsTheTextOfAnElement) {
  EXPECT_EQ(element_text("<a><b>x &amp; &lt;y&gt; &quot;&apos;</b></a>", "b"), "x & <y> \"'");
  EXPECT_EQ(element_text("<a></a>", "a"), "");
  EXPECT_EQ(element_text("<a><b>x", "b"), std::nullopt);
  EXPECT_EQ(element_text("<aa>x</aa>", "a"), std::nullopt);
}

}  // namespace
}  // namespace trainwarden::aws::services_test
