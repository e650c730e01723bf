// The client follows the services' clocks.
#include <gtest/gtest.h>

#include "awsapi/client.h"
#include "awsapi/sagemaker.h"
#include "tests/awsapi/client_fixture.h"
#include "tests/support/http_date.h"

namespace trainwarden::aws::client_clock_test {
namespace {

using client_fixture::ClientTest;
using client_fixture::header;
using testing::ManualClock;
using testing::ScriptedTransport;

// Answers with the date that the service's clock shows, `ahead` of ours.
ScriptedTransport::Answer dated(const ManualClock& clock, std::chrono::seconds ahead, int status,
                                std::string body) {
  return [&clock, ahead, status, body](const http::Request&) -> Result<http::Response> {
    const auto theirs = std::chrono::floor<std::chrono::seconds>(clock.now()) + ahead;
    return http::Response{status, {{"Date", testing::http_date(theirs)}}, body};
  };
}

TEST_F(ClientTest, ASkewedClockIsCorrectedAndTheCallRepeated) {
  constexpr std::chrono::seconds kAhead{3600};
  transport_.expect("DescribeTrainingJob",
                    dated(clock_, kAhead, 403, R"({"__type":"InvalidSignatureException"})"));
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  EXPECT_TRUE(client_.call(describe(), context()));
  EXPECT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(header(transport_.sent.at(0), "X-Amz-Date"), "20260702T135013Z");
  EXPECT_EQ(header(transport_.sent.at(1), "X-Amz-Date"), "20260702T145013Z");
  EXPECT_EQ(header(transport_.sent.at(2), "X-Amz-Date"), "20260702T145013Z");
}

TEST_F(ClientTest, AClockThatIsSetRightAgainIsFollowed) {
  constexpr std::chrono::seconds kAhead{3600};
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  ASSERT_TRUE(client_.call(describe(), context()));
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(0), 403,
                                                 R"({"__type":"InvalidSignatureException"})"));
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(0), 200, "{}"));
  EXPECT_TRUE(client_.call(describe(), context()));
}

TEST_F(ClientTest, EachCallFollowsTheClockOfItsOwnService) {
  constexpr std::chrono::seconds kAhead{900};
  transport_.expect("DescribeTrainingJob",
                    dated(clock_, kAhead, 403, R"({"__type":"InvalidSignatureException"})"));
  transport_.expect("ListTags", dated(clock_, std::chrono::seconds(0), 200, "{}"));
  transport_.expect("DescribeTrainingJob", dated(clock_, kAhead, 200, "{}"));
  const std::vector<Call> calls{describe(), SageMaker::list_tags_call("arn:x")};
  const auto answers = client_.call_all(calls, context());
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(answers[1]);
  EXPECT_EQ(header(transport_.sent.at(2), "X-Amz-Date"), "20260702T140513Z");
}

// A connection that comes about slowly makes the service's clock look ahead of ours.
TEST_F(ClientTest, ASlowExchangeTellsNoSkewThatItsLengthExplains) {
  const auto after = [&](std::chrono::seconds there, std::chrono::seconds ahead) {
    return [&, there, ahead](const http::Request& request) {
      clock_.advance(there);
      return dated(clock_, ahead, 200, "{}")(request);
    };
  };
  using std::chrono::seconds;
  transport_.expect("DescribeTrainingJob", after(seconds(12), seconds(0)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(client_.skew(), seconds(0));
  // What is known stays where the exchange allows it; else it is learned anew.
  transport_.expect("DescribeTrainingJob", after(seconds(0), seconds(60)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(client_.skew(), seconds(60));
  transport_.expect("DescribeTrainingJob", after(seconds(12), seconds(58)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_EQ(client_.skew(), seconds(60));
  transport_.expect("DescribeTrainingJob", after(seconds(12), seconds(300)));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_NEAR(static_cast<double>(client_.skew().count()), 300, 7);
}

// Date has whole seconds: a call in the first half of a minute is not one of the minute before.
TEST_F(ClientTest, WhatDateCutsOffIsNoSkew) {
  for (const int behind : {-1, 0}) {
    transport_.expect("DescribeTrainingJob",
                      dated(clock_, std::chrono::seconds(behind), 200, "{}"));
    ASSERT_TRUE(client_.call(describe(), context()));
    EXPECT_EQ(client_.skew(), std::chrono::seconds(0)) << behind;
  }
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(5), 200, "{}"));
  ASSERT_TRUE(client_.call(describe(), context()));
  EXPECT_NEAR(static_cast<double>(client_.skew().count()), 5, 1);
}

TEST_F(ClientTest, AWrongSignatureUnderARightClockIsNotRepeated) {
  transport_.expect("DescribeTrainingJob", dated(clock_, std::chrono::seconds(2), 403,
                                                 R"({"__type":"InvalidSignatureException"})"));
  EXPECT_EQ(client_.call(describe(), context()).error().code, ErrorCode::kUnauthenticated);
}

TEST_F(ClientTest, ACachedAnswerSaysNothingAboutTheClock) {
  transport_.expect("DescribeTrainingJob", 403, R"({"__type":"InvalidSignatureException"})",
                    {{"Date", "Thu, 02 Jul 2026 18:50:13 GMT"}, {"Age", "60"}});
  EXPECT_FALSE(client_.call(describe(), context()));
}

}  // namespace
}  // namespace trainwarden::aws::client_clock_test
