// P5: a policy in SSM is read at start, read again after a minute, and the last good one stays.
#include "handlers/actions/setup/live_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions {
namespace {

using std::chrono::seconds;
using testing::ScriptedTransport;

constexpr sys_seconds kNow{seconds(1783000213)};

std::string answer(std::string_view mode) {
  return R"({"Parameter":{"Name":"p","Type":"SecureString","Version":1,"Value":"{\"version\":1,\"mode\":\")" +
         std::string(mode) +
         R"(\",\"rules\":[{\"name\":\"r\",\"match\":{\"tags\":{\"a\":[\"b\"]}},\"actions\":[\"stop\"]}]}"}})";
}

class LivePolicyTest : public ScriptedAws {
 protected:
  LivePolicyTest() : ScriptedAws(kNow) {}

  Result<LivePolicy> start(std::string_view source) {
    return LivePolicy::start(source, "handlers", client_, context_, kNow);
  }

  aws::CallContext context_{Deadline::never(), "", nullptr};
};

TEST_F(LivePolicyTest, P5_AFileIsReadOnce) {
  auto live = start("");
  ASSERT_TRUE(live);
  EXPECT_EQ(live->policy().mode(), rules::Mode::kObserve);
  EXPECT_FALSE(live->refresh(client_, context_, kNow + seconds(3600)));
}

TEST_F(LivePolicyTest, P5_AParameterIsReadAgainAfterAMinute) {
  transport_.expect("AmazonSSM.GetParameter", 200, answer("observe"));
  auto live = start("ssm:/trainwarden/policy");
  ASSERT_TRUE(live) << live.error().message;
  EXPECT_NE(transport_.sent.at(0).body.find(R"("WithDecryption":true)"), std::string::npos);
  EXPECT_FALSE(live->refresh(client_, context_, kNow + seconds(59)));
  transport_.expect("/trainwarden/policy", 200, answer("enforce"));
  EXPECT_FALSE(live->refresh(client_, context_, kNow + seconds(60)));
  EXPECT_EQ(live->policy().mode(), rules::Mode::kEnforce);
  EXPECT_FALSE(live->refresh(client_, context_, kNow + seconds(119)));
}

TEST_F(LivePolicyTest, P5_TheLastGoodPolicyStays) {
  transport_.expect("GetParameter", 200, answer("notify"));
  auto live = start("ssm:p");
  ASSERT_TRUE(live);
  sys_seconds now = kNow;
  struct {
    int status;
    std::string body;
    ErrorCode code;
  } const cases[] = {
      {400, R"({"__type":"ParameterNotFound"})", ErrorCode::kNotFound},
      {400, R"({"__type":"AccessDeniedException","message":"m"})", ErrorCode::kAccessDenied},
      {200, answer("enforced"), ErrorCode::kInvalidPolicy},
      {200, R"({"Parameter":{"Name":"p","Version":1,"Value":"{"}})", ErrorCode::kInvalidPolicy},
      {200, "{}", ErrorCode::kBadResponse},
  };
  for (const auto& c : cases) {
    now += kPolicyAge;
    transport_.expect("GetParameter", c.status, c.body);
    const auto error = live->refresh(client_, context_, now);
    ASSERT_TRUE(error) << c.body;
    EXPECT_EQ(error->code, c.code) << error->message;
    EXPECT_TRUE(error->message.starts_with("SSM parameter `p`: ")) << error->message;
    EXPECT_EQ(live->policy().mode(), rules::Mode::kNotify);
    EXPECT_FALSE(live->refresh(client_, context_, now + seconds(1)));
  }
}

TEST_F(LivePolicyTest, P5_WhatIsNoPolicyDoesNotStart) {
  transport_.expect("GetParameter", 400, R"({"__type":"ParameterNotFound"})");
  EXPECT_EQ(start("ssm:p").error().code, ErrorCode::kNotFound);
  transport_.expect("GetParameter", 200, answer("enforced"));
  EXPECT_EQ(start("ssm:p").error().code, ErrorCode::kInvalidPolicy);
  EXPECT_EQ(start("ssm:").error().code, ErrorCode::kInvalidConfig);
}

}  // namespace
}  // namespace trainwarden::actions
