// AWS's price list: where it is asked, what is said, and what is understood.
#include "awsapi/price_list.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::price_list_test {
namespace {

using testing::ScriptedTransport;

class PriceListTest : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> skus() {
    std::vector<std::string> out;
    const auto each = [&out](json::Value product) -> Result<void> {
      out.emplace_back(product.find("sku")->as_string());
      return {};
    };
    CHECK_OK(PriceList(client_).get_products("eu-west-1", each, context_));
    return out;
  }

  testing::ManualClock clock_{sys_seconds(std::chrono::seconds(1783000213))};
  ScriptedTransport transport_;
  Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                  "us-east-1",
                  1,
                  Endpoints::all_at("https://api.example/")},
                 transport_,
                 clock_,
                 [] { return 0.0; }};
  CallContext context_{Deadline::never(), "", nullptr};
};

TEST(PriceListRegion, IsOneThatAnswersForThePartition) {
  struct {
    const char* region;
    const char* answers;
  } const cases[] = {{"us-east-1", "us-east-1"},          {"us-west-2", "us-east-1"},
                     {"sa-east-1", "us-east-1"},          {"me-south-1", "us-east-1"},
                     {"eu-west-1", "eu-central-1"},       {"ap-northeast-1", "ap-south-1"},
                     {"cn-north-1", "cn-northwest-1"},    {"cn-northwest-1", "cn-northwest-1"},
                     {"eusc-de-east-1", "eusc-de-east-1"}};
  for (const auto& c : cases) {
    const auto found = price_list_region(c.region);
    ASSERT_TRUE(found) << c.region;
    EXPECT_EQ(*found, c.answers) << c.region;
  }
  const auto gov = price_list_region("us-gov-west-1");
  ASSERT_FALSE(gov);
  EXPECT_TRUE(
      gov.error().message.starts_with("us-gov-west-1: GovCloud has no Price List endpoint"));
}

TEST_F(PriceListTest, AsksForTrainingMachinesPageByPage) {
  transport_
      .expect(R"({"ServiceCode":"AmazonSageMaker","Filters":[)"
              R"({"Type":"TERM_MATCH","Field":"productFamily","Value":"ML Instance"},)"
              R"({"Type":"TERM_MATCH","Field":"component","Value":"Training"},)"
              R"({"Type":"TERM_MATCH","Field":"regionCode","Value":"eu-west-1"}],)"
              R"("FormatVersion":"aws_v1","MaxResults":100})",
              200, R"({"PriceList":["{\"sku\":\"A\"}","{\"sku\":\"B\"}"],"NextToken":"t"})")
      .expect(R"("NextToken":"t")", 200, R"({"PriceList":[],"NextToken":"u"})")
      .expect(R"("NextToken":"u")", 200, R"({"PriceList":["{\"sku\":\"C\"}"],"NextToken":""})");
  const auto found = skus();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, (std::vector<std::string>{"A", "B", "C"}));
  const auto header = [this](std::string_view name) -> std::string {
    for (const http::Header& one : transport_.sent[0].headers)
      if (one.name == name) return one.value;
    return "(none)";
  };
  EXPECT_EQ(header("X-Amz-Target"), "AWSPriceListService.GetProducts");
  EXPECT_EQ(header("Content-Type"), "application/x-amz-json-1.1");
  EXPECT_NE(header("Authorization").find("/us-east-1/pricing/aws4_request"), std::string::npos);
}

TEST_F(PriceListTest, WhatIsNoPriceListIsAnError) {
  for (const char* const answer :
       {"{}", R"({"PriceList":[{"sku":"A"}]})", R"({"PriceList":["{"]})"}) {
    transport_.expect("GetProducts", 200, answer);
    const auto found = skus();
    ASSERT_FALSE(found) << answer;
    EXPECT_EQ(found.error().code, ErrorCode::kBadResponse) << answer;
  }
}

TEST_F(PriceListTest, NamesTheRegionsThatItHas) {
  transport_
      .expect(R"("AttributeName":"regionCode")", 200,
              R"({"AttributeValues":[{"Value":"us-east-1"},{"Value":""}],"NextToken":"t"})")
      .expect("AWSPriceListService.GetAttributeValues", 200,
              R"({"AttributeValues":[{"Value":"eu-west-1"}]})");
  const auto found = PriceList(client_).get_attribute_values(context_);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<std::string>{"us-east-1", "eu-west-1"}));
}

}  // namespace
}  // namespace trainwarden::aws::price_list_test
