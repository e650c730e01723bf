// `trainwarden prices`: the table, and what it says where there is none.
#include "handlers/cli/prices/prices_command.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/cli/access/person_credentials.h"
#include "handlers/cli/prices/listed_prices.h"
#include "handlers/rules/policy/policy.h"
#include "tests/handlers/cli/arguments.h"
#include "tests/support/env.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::cli::prices_command_test {
namespace {

constexpr sys_seconds kAsked{std::chrono::seconds(1783000213)};  // 2026-07-02

std::string product_of(std::string_view attributes, std::string_view dimensions) {
  return R"({"product": {"productFamily": "ML Instance", "attributes": {)" +
         std::string(attributes) + R"(}}, "publicationDate": "2026-06-30T18:00:00Z",
         "terms": {"OnDemand": {"S.T": {"priceDimensions": {)" +
         std::string(dimensions) + "}}}}}";
}

std::string by_the_hour(std::string_view usd, std::string_view key = "d") {
  return R"(")" + std::string(key) + R"(": {"unit": "Hrs", "pricePerUnit": {"USD": ")" +
         std::string(usd) + R"("}})";
}

ListedPrices listed(const std::vector<std::string>& products) {
  ListedPrices out("us-east-1");
  for (const std::string& text : products) {
    const auto document = json::Document::parse(text);
    EXPECT_TRUE(document) << text;
    if (document) out.add(document->root());
  }
  return out;
}

std::string machine(std::string_view type, std::string_view usd, std::string_view usage = "Train") {
  return product_of(R"("instanceName": ")" + std::string(type) + R"(", "usagetype": "USE1-)" +
                        std::string(usage) + ":" + std::string(type) + '"',
                    by_the_hour(usd));
}

TEST(ListedPrices, IsTheMemberOfAPolicySortedAndDated) {
  const std::string table =
      listed({machine("ml.p4d.24xlarge", "21.9572000000"), machine("ml.c5.xlarge", "0.2040000000"),
              machine("ml.p4d.24xlarge", "21.9572000000", "TrainElsewhere")})
          .table(kAsked);
  EXPECT_EQ(table,
            "// USD an hour and machine, on demand, for training in us-east-1: AWS's price list of "
            "2026-06-30, asked on 2026-07-02.\n"
            "// Spot prices are not in it: a spot_factor beside the types says what share spot "
            "pays.\n"
            "\"prices\": {\n"
            "  \"ml.c5.xlarge\": 0.204,\n"
            "  \"ml.p4d.24xlarge\": 21.9572,\n"
            "},\n");
  const auto policy = rules::parse_policy(R"({"version": 1, )" + table +
                                          R"("rules": [{"name": "r", "actions": ["stop"],
                              "match": {"cost": {"max_usd": [{"numeric": [">", 1]}]}}}]})");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->prices().size(), 2U);
  EXPECT_EQ(policy->prices().at("ml.p4d.24xlarge").usd, 21.9572);
}

TEST(ListedPrices, SeveralPricesAndNoneAreToldAndNotChosen) {
  const ListedPrices all =
      listed({machine("ml.p3.2xlarge", "3.825"), machine("ml.p3.2xlarge", "4.1", "TrainOther"),
              machine("ml.g5.xlarge", "0.0000000000"),
              product_of(R"("instanceName": "ml.m5.large")",
                         R"("d": {"unit": "GB-Mo", "pricePerUnit": {"USD": "1"}})"),
              product_of(R"("instanceName": "ml.c5.large")",
                         by_the_hour("1", "first") + "," + by_the_hour("2", "second"))});
  const std::string table = all.table(kAsked);
  for (const std::string_view line :
       {"  // ml.p3.2xlarge: the list has several prices, 3.825 (USE1-Train:ml.p3.2xlarge), 4.1 "
        "(USE1-TrainOther:ml.p3.2xlarge)\n",
        "  // ml.g5.xlarge: the list has no price by the hour\n",
        "  // ml.m5.large: the list has no price by the hour\n",
        "  // ml.c5.large: the list has several prices, 1 (), 2 ()\n"})
    EXPECT_NE(table.find(line), std::string::npos) << line << table;
  EXPECT_EQ(table.find("\"ml."), std::string::npos) << table;
  EXPECT_FALSE(all.has("ml.p3.2xlarge"));
}

// The table is read as a policy's member: it has no number that the loader refuses.
TEST(ListedPrices, WhatIsNoPriceIsNotListedAsOne) {
  for (const std::string_view amount : {"nan", "inf", "1e308", "1000001", "-1", "0x10", " 1"}) {
    const ListedPrices all = listed({machine("ml.p5.48xlarge", amount)});
    EXPECT_FALSE(all.has("ml.p5.48xlarge")) << amount;
    EXPECT_NE(all.table(kAsked).find("ml.p5.48xlarge: the list has no price by the hour"),
              std::string::npos)
        << amount;
  }
  EXPECT_TRUE(listed({machine("ml.p5.48xlarge", "1000000"), machine("ml.p5.48xlarge", "nan")})
                  .has("ml.p5.48xlarge"));
}

TEST(ListedPrices, TheTypeIsFoundInEachOfItsForms) {
  for (const std::string_view attributes :
       {R"("instanceName": "ml.p6-b200.48xlarge")",
        R"("instanceType": "ml.p6-b200.48xlarge-Training")",
        R"("instanceName": "NA", "platoinstancename": "ml.p6-b200.48xlarge")",
        R"("usagetype": "USE1-Train:ml.p6-b200.48xlarge", "locationType": "AWS Region")"})
    EXPECT_TRUE(listed({product_of(attributes, by_the_hour("9"))}).has("ml.p6-b200.48xlarge"))
        << attributes;
  EXPECT_TRUE(listed({product_of(R"("instanceName": "NA")", by_the_hour("9"))}).empty());
  EXPECT_TRUE(listed({product_of(R"("instanceName": "ml.m5.large", "locationType": "AWS Outposts")",
                                 by_the_hour("9"))})
                  .empty());
}

TEST(ListedPrices, AnotherCurrencyIsSaid) {
  const ListedPrices chinese =
      listed({product_of(R"("instanceName": "ml.m5.large")",
                         R"("d": {"unit": "Hrs", "pricePerUnit": {"CNY": "1.08"}})")});
  EXPECT_TRUE(chinese.foreign());
  const std::string table = chinese.table(kAsked);
  EXPECT_TRUE(table.starts_with("// CNY an hour")) << table;
  EXPECT_NE(table.find("write their limits so"), std::string::npos) << table;
}

class PricesCommandTest : public ::testing::Test {
 protected:
  Printed ask(const std::string& region) {
    const testing::Env env{"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=s",
                           "AWS_REGION=eu-north-1"};
    const Environment environment = env();
    PersonCredentials credentials(environment, "", transport_, clock_, run_aws);
    return prices({.aws = {.region = region}}, environment, credentials, transport_, clock_);
  }

  testing::ManualClock clock_{kAsked};
  testing::ScriptedTransport transport_;
};

TEST_F(PricesCommandTest, AsksWhereTheListIsAnswered) {
  struct {
    const char* region;
    const char* url;
    const char* scope;
  } const cases[] = {
      {"us-west-2", "https://api.pricing.us-east-1.amazonaws.com/", "/us-east-1/pricing/"},
      {"", "https://api.pricing.eu-central-1.amazonaws.com/", "/eu-central-1/pricing/"},
      {"ap-northeast-2", "https://api.pricing.ap-south-1.amazonaws.com/", "/ap-south-1/pricing/"},
      {"cn-north-1", "https://api.pricing.cn-northwest-1.amazonaws.com.cn/",
       "/cn-northwest-1/pricing/"},
  };
  for (const auto& c : cases) {
    const std::string region = *c.region == '\0' ? "eu-north-1" : c.region;
    transport_.expect(
        R"("Value":")" + region + '"', 200,
        R"({"PriceList":["{\"product\":{\"attributes\":{\"instanceName\":\"ml.m5.large\"}}}"]})");
    EXPECT_EQ(ask(c.region).status, 0);
    EXPECT_EQ(transport_.sent.back().url, c.url);
    std::string authorization;
    for (const http::Header& header : transport_.sent.back().headers)
      if (header.name == "Authorization") authorization = header.value;
    EXPECT_NE(authorization.find(c.scope), std::string::npos) << authorization;
  }
}

TEST_F(PricesCommandTest, AnUnknownRegionIsToldWithThoseThatTheListHas) {
  constexpr const char* kRegions =
      R"({"AttributeValues":[{"Value":"us-east-1"},{"Value":"eu-west-1"},{"Value":"eu-west-3"}]})";
  transport_.expect("GetProducts", 200, R"({"PriceList":[]})")
      .expect("GetAttributeValues", 200, kRegions);
  const Printed wrong = ask("us-eats-1");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.output, "");
  EXPECT_EQ(wrong.error,
            "trainwarden: prices: the price list has no training machines in `us-eats-1`, a region "
            "that it does not know; it has eu-west-1, eu-west-3, us-east-1; did you mean "
            "`us-east-1`?\n");
  transport_.expect("GetProducts", 200, R"({"PriceList":[]})")
      .expect("GetAttributeValues", 200, kRegions);
  EXPECT_NE(ask("eu-west-3").error.find("though it has other prices of SageMaker there"),
            std::string::npos);
}

TEST_F(PricesCommandTest, GovCloudIsNotAsked) {
  const Printed printed = ask("us-gov-east-1");
  EXPECT_EQ(printed.status, 2);
  EXPECT_NE(printed.error.find("GovCloud has no Price List endpoint"), std::string::npos);
}

TEST_F(PricesCommandTest, ARefusalIsToldAsItWas) {
  transport_.expect(
      "GetProducts", 400,
      R"({"__type":"AccessDeniedException","Message":"not authorized to perform: pricing:GetProducts"})");
  const Printed printed = ask("eu-west-1");
  EXPECT_EQ(printed.status, 2);
  EXPECT_NE(printed.error.find("pricing:GetProducts"), std::string::npos) << printed.error;
}

TEST(PricesArguments, AreARegionOrNothing) {
  const auto read = [](const std::vector<std::string>& words) {
    return read_prices_arguments(Arguments(words).get());
  };
  EXPECT_EQ(read({})->aws.region, "");
  EXPECT_EQ(read({"--region", "eu-west-1"})->aws.region, "eu-west-1");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"eu-west-1"},
                                             {"--region"},
                                             {"--region", ""},
                                             {"--region", "EU"},
                                             {"--region", "eu-west-1", "--region", "eu-west-1"},
                                             {"--zone", "a"}})
    EXPECT_FALSE(read(wrong)) << wrong[0];
}

}  // namespace
}  // namespace trainwarden::cli::prices_command_test
