// P5: a policy in SSM is read at start, read again after a minute, and the last good one stays.
#include "handlers/actions/setup/live_policy.h"

#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::live_policy_test {
namespace {

class LivePolicyTest : public ActionTest {
 protected:
  Result<LivePolicy> start(std::string_view source) {
    return LivePolicy::start(source, "handlers", client_, context_, now_);
  }
  // Somebody puts it into the parameter `p`.
  void put(const std::string& value) {
    json::Writer out;
    out.begin_object().member("Name", "p").member("Type", "SecureString");
    out.member("Value", value).member("Overwrite", true).end_object();
    ASSERT_TRUE(aws_.call("PutParameter", out.take()));
  }
  void put_mode(const std::string& mode) {
    put(fmt::format(R"({{"version":1,"mode":"{}","rules":[{{"name":"r",)"
                    R"("match":{{"tags":{{"a":["b"]}}}},"actions":["stop"]}}]}})",
                    mode));
  }

  const sys_seconds now_ = std::chrono::floor<seconds>(kBegin);
  aws::CallContext context_{Deadline::never(), "", nullptr};
};

TEST_F(LivePolicyTest, P5_AFileIsReadOnce) {
  auto live = start("");
  ASSERT_TRUE(live);
  EXPECT_EQ(live->policy().mode(), rules::Mode::kObserve);
  EXPECT_FALSE(live->refresh(client_, context_, now_ + seconds(3600)));
}

TEST_F(LivePolicyTest, P5_AParameterIsReadAgainAfterAMinute) {
  put_mode("observe");
  auto live = start("ssm:p");
  ASSERT_TRUE(live) << live.error().message;
  put_mode("enforce");
  EXPECT_FALSE(live->refresh(client_, context_, now_ + seconds(59)));
  EXPECT_EQ(live->policy().mode(), rules::Mode::kObserve);
  EXPECT_FALSE(live->refresh(client_, context_, now_ + seconds(60)));
  EXPECT_EQ(live->policy().mode(), rules::Mode::kEnforce);
  EXPECT_FALSE(live->refresh(client_, context_, now_ + seconds(119)));
  EXPECT_EQ(aws_.count("GetParameter"), 2);
}

TEST_F(LivePolicyTest, P5_TheLastGoodPolicyStays) {
  put_mode("notify");
  auto live = start("ssm:p");
  ASSERT_TRUE(live);
  sys_seconds now = now_;
  const auto stays = [&](ErrorCode code) {
    now += kPolicyAge;
    const auto error = live->refresh(client_, context_, now);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, code) << error->message;
    EXPECT_TRUE(error->message.starts_with("SSM parameter `p`: ")) << error->message;
    EXPECT_EQ(live->policy().mode(), rules::Mode::kNotify);
    EXPECT_FALSE(live->refresh(client_, context_, now + seconds(1)));
  };
  aws_.refuse("GetParameter", {400, "ParameterNotFound", ""});
  stays(ErrorCode::kNotFound);
  aws_.refuse("GetParameter", kDenied);
  stays(ErrorCode::kAccessDenied);
  aws_.answer_with("GetParameter", "{}");
  stays(ErrorCode::kBadResponse);
  put_mode("enforced");
  stays(ErrorCode::kInvalidPolicy);
  put("{");
  stays(ErrorCode::kInvalidPolicy);
  put_mode("enforce");
  EXPECT_FALSE(live->refresh(client_, context_, now + kPolicyAge));
  EXPECT_EQ(live->policy().mode(), rules::Mode::kEnforce);
}

TEST_F(LivePolicyTest, P5_AParameterIsReadByItsArn) {
  put_mode("enforce");
  const auto live = start("ssm:arn:aws:ssm:eu-central-1:111122223333:parameter/p");
  ASSERT_TRUE(live) << live.error().message;
  EXPECT_EQ(live->policy().mode(), rules::Mode::kEnforce);
}

TEST_F(LivePolicyTest, P5_AnArnOfAnotherRegionOrOfSomethingElseIsNamed) {
  const auto refused = [&](const std::string& arn, const std::string& said) {
    const auto live = start("ssm:" + arn);
    ASSERT_FALSE(live) << arn;
    EXPECT_EQ(live.error().code, ErrorCode::kInvalidConfig);
    for (const std::string& part : {std::string("TRAINWARDEN_POLICY"), said, arn})
      EXPECT_NE(live.error().message.find(part), std::string::npos) << live.error().message;
  };
  refused("arn:aws:ssm:us-east-1:111122223333:parameter/p",
          "expected a parameter of the region eu-central-1");
  for (const char* const arn :
       {"arn:aws:sns:eu-central-1:111122223333:p",
        "arn:aws:ssm:eu-central-1:111122223333:document/p", "arn:aws:ssm:eu-central-1::parameter/p",
        "arn:aws:ssm::111122223333:parameter/p", "arn::ssm:eu-central-1:111122223333:parameter/p",
        "arn:"})
    refused(arn, "expected a parameter's ARN");
  EXPECT_EQ(aws_.count("GetParameter"), 0);
}

TEST_F(LivePolicyTest, P5_WhatIsNoPolicyDoesNotStart) {
  EXPECT_EQ(start("ssm:p").error().code, ErrorCode::kNotFound);
  put_mode("enforced");
  EXPECT_EQ(start("ssm:p").error().code, ErrorCode::kInvalidPolicy);
  EXPECT_EQ(start("ssm:").error().code, ErrorCode::kInvalidConfig);
}

}  // namespace
}  // namespace trainwarden::actions::live_policy_test
