// SageMaker's quotas as Service Quotas lists them: what is asked, and what is understood.
#include "awsapi/service_quotas.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::service_quotas_test {
namespace {

using testing::ScriptedTransport;

class ServiceQuotasTest : public ::testing::Test {
 protected:
  Result<std::map<std::string, double>> listed() {
    std::map<std::string, double> out;
    CHECK_OK(ServiceQuotas(client_).list_service_quotas(
        [&](std::string_view name, double value) { out.emplace(name, value); }, context_));
    return out;
  }

  testing::ManualClock clock_{sys_seconds(std::chrono::seconds(1783000213))};
  ScriptedTransport transport_;
  Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                  "eu-west-1",
                  1,
                  Endpoints::all_at("https://api.example/")},
                 transport_,
                 clock_,
                 [] { return 0.0; }};
  CallContext context_{Deadline::never(), "", nullptr};
};

TEST_F(ServiceQuotasTest, A4_ThoseThatHaveAValueArePassedOnPageByPage) {
  transport_
      .expect(R"({"ServiceCode":"sagemaker","MaxResults":100})", 200,
              R"({"Quotas":[{"QuotaName":"a","Value":8.0,"QuotaAppliedAtLevel":"ACCOUNT"},
                            {"QuotaName":"b","Value":0.5}],"NextToken":"t"})")
      .expect(R"("NextToken":"t")", 200, R"({"Quotas":[],"NextToken":"u"})")
      .expect(R"("NextToken":"u")", 200,
              R"({"Quotas":[{"QuotaName":"a resource's","Value":1,
                             "QuotaAppliedAtLevel":"RESOURCE"},
                            {"QuotaName":"unknown","Value":0,"ErrorReason":
                               {"ErrorCode":"DEPENDENCY_THROTTLING_ERROR","ErrorMessage":"x"}},
                            {"QuotaName":"no value"},{"Value":3},{"QuotaName":"c","Value":0}]})");
  const auto found = listed();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, (std::map<std::string, double>{{"a", 8}, {"b", 0.5}, {"c", 0}}));
  const auto header = [this](std::string_view name) -> std::string {
    for (const http::Header& one : transport_.sent[0].headers)
      if (one.name == name) return one.value;
    return "(none)";
  };
  EXPECT_EQ(header("X-Amz-Target"), "ServiceQuotasV20190624.ListServiceQuotas");
  EXPECT_EQ(header("Content-Type"), "application/x-amz-json-1.1");
  EXPECT_NE(header("Authorization").find("/eu-west-1/servicequotas/aws4_request"),
            std::string::npos);
}

TEST_F(ServiceQuotasTest, A4_AnAnswerWithoutTheListIsNone) {
  transport_.expect("", 200, R"({"NextToken":"t"})");
  const auto found = listed();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kBadResponse);
}

TEST_F(ServiceQuotasTest, A4_WhatFailsInTheMiddleTellsNothing) {
  transport_.expect("", 200, R"({"Quotas":[{"QuotaName":"a","Value":8.0}],"NextToken":"t"})")
      .expect("", 400, R"({"__type":"TooManyRequestsException","Message":"Rate exceeded"})");
  const auto found = listed();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kThrottled);
}

}  // namespace
}  // namespace trainwarden::aws::service_quotas_test
