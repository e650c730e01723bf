#include "awsapi/dynamodb.h"

#include <gtest/gtest.h>

#include "tests/support/env.h"
#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::aws::dynamodb_test {
namespace {

using std::chrono::milliseconds;
using testing::Env;
using testing::ScriptedTransport;

constexpr const char* kArn =
    "arn:aws:dynamodb:eu-central-1:111122223333:table/Trainwarden-State-1A";
constexpr const char* kLost =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
    R"("message":"The conditional request failed")";

class DynamoDbTest : public ::testing::Test {
 protected:
  std::string header(std::size_t request, std::string_view name) {
    for (const auto& h : transport_.sent.at(request).headers)
      if (h.name == name) return h.value;
    return "(none)";
  }
  CallContext context() { return {clock_.in(milliseconds(60'000)), "", &made_}; }
  // The item `brake` as it follows from version 4, by the request r-1.
  Result<PutOutcome> put(std::string_view request = "r-1") {
    const auto attributes = json::Document::parse(R"({"stops":{"job-1":5}})");
    return table_.put_item({"brake", attributes->root(), 4, request}, context());
  }
  static std::string lost_to(std::string_view item) {
    return std::string(kLost) + R"(,"Item":)" + std::string(item) + "}";
  }

  testing::ManualClock clock_{sys_millis(milliseconds(1783000213000))};
  ScriptedTransport transport_;
  std::vector<CallMade> made_;
  Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                  "eu-central-1",
                  3,
                  Endpoints::all_at("https://api.example/")},
                 transport_,
                 clock_,
                 [] { return 0.0; }};
  DynamoDb table_{client_, *Table::parse("TRAINWARDEN_TABLE", kArn, "eu-central-1")};
};

TEST_F(DynamoDbTest, AnItemIsReadStronglyAndPlainly) {
  transport_.expect(
      std::string(R"({"TableName":")") + kArn +
          R"(","ConsistentRead":true,"Key":{"id":{"S":"job/j/1783000213000"}}})",
      200,
      R"({"Item":{"id":{"S":"job/j/1783000213000"},"v":{"N":"3"},"request":{"S":"r-9"},)"
      R"("stop":{"M":{"at":{"N":"1783000213"},"accepted":{"BOOL":true}}}}})");
  const auto item = table_.get_item("job/j/1783000213000", context());
  ASSERT_TRUE(item && *item) << item.error().message;
  EXPECT_EQ((*item)->version, 3);
  EXPECT_EQ((*item)->request, "r-9");
  const auto stop = (*item)->attributes.root().find("stop");
  EXPECT_EQ(stop->find("at")->as_integer(), 1783000213);
  EXPECT_EQ(header(0, "X-Amz-Target"), "DynamoDB_20120810.GetItem");
  EXPECT_EQ(header(0, "Content-Type"), "application/x-amz-json-1.0");
  EXPECT_EQ(header(0, "x-amzn-query-mode"), "(none)");
  EXPECT_NE(header(0, "Authorization").find("/eu-central-1/dynamodb/aws4_request"),
            std::string::npos);
}

TEST_F(DynamoDbTest, NoItemIsNoError) {
  transport_.expect("GetItem", 200, "{}");
  const auto item = table_.get_item("brake", context());
  ASSERT_TRUE(item);
  EXPECT_FALSE(*item);
}

TEST_F(DynamoDbTest, AMissingTableIsAnErrorThatNamesTheVariable) {
  transport_.expect(
      "GetItem", 400,
      R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"m"})");
  const auto item = table_.get_item("brake", context());
  ASSERT_FALSE(item);
  EXPECT_EQ(item.error().code, ErrorCode::kNotFound);
  EXPECT_NE(item.error().message.find("TRAINWARDEN_TABLE: GetItem: ResourceNotFoundException"),
            std::string::npos)
      << item.error().message;
  EXPECT_NE(item.error().message.find(kArn), std::string::npos);
}

TEST_F(DynamoDbTest, AnItemOfAnotherFormIsAnError) {
  for (const char* item :
       {R"({"id":{"S":"brake"}})", R"({"id":{"S":"brake"},"v":{"S":"3"}})",
        R"({"id":{"S":"brake"},"v":{"N":"1.5"}})", R"({"v":{"N":"1"},"stops":{"SS":["a"]}})",
        R"({"v":{"N":"1"},"request":{"N":"1"}})", "[]"}) {
    transport_.expect("GetItem", 200, std::string(R"({"Item":)") + item + "}");
    const auto read = table_.get_item("brake", context());
    ASSERT_FALSE(read) << item;
    EXPECT_NE(read.error().message.find("TRAINWARDEN_TABLE: GetItem of brake: `Item"),
              std::string::npos)
        << read.error().message;
  }
}

TEST_F(DynamoDbTest, AWriteCountsTheVersionUpUnderTheCondition) {
  transport_.expect(std::string(R"({"TableName":")") + kArn +
                        R"(","Item":{"id":{"S":"brake"},"v":{"N":"5"},"request":{"S":"r-1"},)"
                        R"("stops":{"M":{"job-1":{"N":"5"}}}},)"
                        R"("ConditionExpression":"attribute_not_exists(id) OR v = :v",)"
                        R"("ExpressionAttributeValues":{":v":{"N":"4"}},)"
                        R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"})",
                    200, "{}");
  const auto outcome = put();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(std::get<Written>(*outcome).version, 5);
  EXPECT_EQ(header(0, "X-Amz-Target"), "DynamoDB_20120810.PutItem");
}

TEST_F(DynamoDbTest, WhatTheItemSaysOfItselfIsReplaced) {
  const auto attributes =
      json::Document::parse(R"({"id":"other","v":77,"request":"r-0","due":"1"})");
  transport_.expect(
      R"("Item":{"id":{"S":"brake"},"v":{"N":"1"},"request":{"S":"r-1"},"due":{"S":"1"}})", 200);
  const auto outcome = table_.put_item({"brake", attributes->root(), 0, "r-1"}, context());
  EXPECT_TRUE(outcome);
}

TEST_F(DynamoDbTest, ALostConditionIsAValueAndBringsTheItemThatStandsThere) {
  transport_.expect("PutItem", 400,
                    lost_to(R"({"id":{"S":"brake"},"v":{"N":"5"},"request":{"S":"r-2"}})"));
  const auto outcome = put();
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto& overtaken = std::get<Overtaken>(*outcome);
  ASSERT_TRUE(overtaken.item);
  EXPECT_EQ(overtaken.item->version, 5);
  EXPECT_EQ(overtaken.item->request, "r-2");
  ASSERT_EQ(made_.size(), 1U);
  EXPECT_EQ(made_[0].outcome, "ConditionalCheckFailedException");
  EXPECT_EQ(made_[0].attempts, 1);
}

TEST_F(DynamoDbTest, ARepeatWhoseAnswerWasLostKnowsItsOwnWrite) {
  transport_.expect_error("PutItem", ErrorCode::kTimeout);
  transport_.expect("PutItem", 500, R"({"__type":"InternalServerError","message":"m"})");
  transport_.expect("PutItem", 400,
                    lost_to(R"({"id":{"S":"brake"},"v":{"N":"5"},"request":{"S":"r-1"}})"));
  const auto outcome = put();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(std::get<Written>(*outcome).version, 5);
  EXPECT_EQ(transport_.sent[0].body, transport_.sent[2].body);
}

// A write of an earlier version by the same request, and one that follows from ours.
TEST_F(DynamoDbTest, OnlyTheSameVersionOfTheSameRequestIsItsOwnWrite) {
  for (const char* item :
       {R"({"v":{"N":"6"},"request":{"S":"r-1"}})", R"({"v":{"N":"3"},"request":{"S":"r-1"}})",
        R"({"v":{"N":"5"}})", R"({"v":{"N":"5"},"request":{"S":"r-10"}})"}) {
    transport_.expect("PutItem", 400, lost_to(item));
    const auto outcome = put();
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(std::holds_alternative<Overtaken>(*outcome)) << item;
  }
}

TEST_F(DynamoDbTest, WhereTheRefusalHasNoItemItIsRead) {
  const std::string bare = std::string(kLost) + "}";
  transport_.expect("PutItem", 400, bare);
  transport_.expect("GetItem", 200, R"({"Item":{"v":{"N":"5"},"request":{"S":"r-1"}}})");
  EXPECT_TRUE(std::holds_alternative<Written>(*put()));
  transport_.expect("PutItem", 400, bare);
  transport_.expect("GetItem", 200, R"({"Item":{"v":{"N":"5"},"request":{"S":"r-2"}}})");
  EXPECT_EQ(std::get<Overtaken>(*put()).item->request, "r-2");
  transport_.expect("PutItem", 400, bare);
  transport_.expect("GetItem", 200, "{}");
  EXPECT_FALSE(std::get<Overtaken>(*put()).item);
  transport_.expect("PutItem", 400, bare);
  transport_.expect("GetItem", 400, R"({"__type":"AccessDeniedException","message":"m"})");
  const auto denied = put();
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, ErrorCode::kAccessDenied);
}

TEST_F(DynamoDbTest, AnUnreadableItemThatStandsThereIsAnError) {
  transport_.expect("PutItem", 400, lost_to(R"({"id":{"S":"brake"},"v":{"SS":["a"]}})"));
  const auto outcome = put();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kBadResponse);
  EXPECT_NE(outcome.error().message.find("PutItem of brake: `Item.v`"), std::string::npos)
      << outcome.error().message;
}

TEST_F(DynamoDbTest, ThrottlingIsRetriedAndCountedAsSuch) {
  for (const char* code :
       {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}) {
    const std::string body = std::string(R"({"__type":"x#)") + code + R"(","message":"slow down"})";
    for (int i = 0; i < 3; ++i) transport_.expect("PutItem", 400, body);
    const auto outcome = put();
    ASSERT_FALSE(outcome) << code;
    EXPECT_EQ(outcome.error().code, ErrorCode::kThrottled) << code;
    EXPECT_EQ(made_.back().attempts, 3);
    EXPECT_TRUE(made_.back().throttled()) << code;
  }
  transport_.expect("PutItem", 400, R"({"__type":"ThrottlingException"})");
  transport_.expect("PutItem", 200, "{}");
  EXPECT_TRUE(std::holds_alternative<Written>(*put()));
}

// As the SDKs have it: four attempts, the second sooner than with other services.
TEST_F(DynamoDbTest, WithoutASettingThereAreFourAttempts) {
  Client client{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                 "eu-central-1",
                 std::nullopt,
                 Endpoints::all_at("https://api.example/")},
                transport_,
                clock_,
                [] { return 0.96; }};
  const DynamoDb table(client, table_.table());
  for (int i = 0; i < 4; ++i) transport_.expect_error("GetItem", ErrorCode::kConnection);
  EXPECT_EQ(table.get_item("brake", context()).error().code, ErrorCode::kConnection);
  EXPECT_EQ(clock_.slept, (std::vector{milliseconds(24), milliseconds(48), milliseconds(96)}));
  for (int i = 0; i < 3; ++i) transport_.expect_error("DescribeTrainingJob", ErrorCode::kTimeout);
  clock_.slept.clear();
  EXPECT_FALSE(client.call({&kSageMaker, "DescribeTrainingJob", "{}"}, context()));
  EXPECT_EQ(clock_.slept, (std::vector{milliseconds(48), milliseconds(96)}));
}

TEST_F(DynamoDbTest, WhatSendingAgainDoesNotHelpIsTold) {
  const struct {
    const char* code;
    ErrorCode expected;
  } cases[] = {
      {"ValidationException", ErrorCode::kRejected},
      {"ItemCollectionSizeLimitExceededException", ErrorCode::kRejected},
      {"ResourceNotFoundException", ErrorCode::kNotFound},
      {"AccessDeniedException", ErrorCode::kAccessDenied},  // IAM, the table's policy, and KMS
      {"UnrecognizedClientException", ErrorCode::kUnauthenticated},
  };
  for (const auto& [code, expected] : cases) {
    transport_.expect("PutItem", 400,
                      std::string(R"({"__type":"com.amazonaws.dynamodb.v20120810#)") + code +
                          R"(","message":"KMS key access denied error"})");
    const auto outcome = put();
    ASSERT_FALSE(outcome) << code;
    EXPECT_EQ(outcome.error().code, expected) << code;
    EXPECT_TRUE(outcome.error().message.starts_with("TRAINWARDEN_TABLE: PutItem: "))
        << outcome.error().message;
    EXPECT_EQ(made_.back().attempts, 1) << code;
    EXPECT_FALSE(made_.back().throttled()) << code;
  }
}

TEST_F(DynamoDbTest, TheIndexIsAskedForAllPages) {
  transport_.expect(
      std::string(R"({"TableName":")") + kArn +
          R"(","IndexName":"due","KeyConditionExpression":"due = :due",)"
          R"("ExpressionAttributeValues":{":due":{"S":"1"}},"Limit":2})",
      200,
      R"({"Items":[{"id":{"S":"a"},"due":{"S":"1"},"since":{"N":"1"}},{"id":{"S":"b"}}],)"
      R"("LastEvaluatedKey":{"id":{"S":"b"},"due":{"S":"1"},"since":{"N":"2"}}})");
  // A page may be empty, and is not the end.
  transport_.expect(
      R"("ExclusiveStartKey":{"id":{"S":"b"},"due":{"S":"1"},"since":{"N":"2"}})", 200,
      R"({"Items":[],"LastEvaluatedKey":{"id":{"S":"c"},"due":{"S":"1"},"since":{"N":"3"}}})");
  transport_.expect(R"("ExclusiveStartKey":{"id":{"S":"c"})", 200,
                    R"({"Items":[{"id":{"S":"d"}}]})");
  std::string seen;
  const auto each = [&](std::string_view id) -> Result<bool> {
    seen += id;
    return true;
  };
  const auto walked = table_.query(each, context(), 2);
  EXPECT_TRUE(walked) << walked.error().message;
  EXPECT_EQ(seen, "abd");
}

TEST_F(DynamoDbTest, TheWalkEndsWhereTheCallerSaysSo) {
  const char* const page =
      R"({"Items":[{"id":{"S":"a"}},{"id":{"S":"b"}}],"LastEvaluatedKey":{"id":{"S":"b"}}})";
  int seen = 0;
  transport_.expect("Query", 200, page);
  const auto stop = [&](std::string_view) -> Result<bool> { return ++seen < 1; };
  EXPECT_TRUE(table_.query(stop, context()));
  EXPECT_EQ(seen, 1);
  transport_.expect("Query", 200, page);
  const auto broken = [](std::string_view) -> Result<bool> {
    return fail(ErrorCode::kUnavailable, "the caller's own");
  };
  EXPECT_EQ(table_.query(broken, context()).error().message, "the caller's own");
}

TEST_F(DynamoDbTest, AnAnswerWithoutItemsIsNotAListOfNone) {
  const auto each = [](std::string_view) -> Result<bool> { return true; };
  for (const char* answer :
       {"{}", R"({"Items":{}})", R"({"Items":[{"due":{"S":"1"}}]})", R"({"Items":[{"id":"a"}]})"}) {
    transport_.expect("Query", 200, answer);
    const auto walked = table_.query(each, context());
    ASSERT_FALSE(walked) << answer;
    EXPECT_EQ(walked.error().code, ErrorCode::kBadResponse);
  }
}

TEST(Table, IsReadFromItsVariable) {
  const Env none{};
  EXPECT_FALSE(*Table::from(none(), "TRAINWARDEN_TABLE", "eu-central-1"));
  const struct {
    const char* region;
    const char* arn;
  } tables[] = {
      {"eu-central-1", kArn},
      {"cn-north-1", "arn:aws-cn:dynamodb:cn-north-1:111122223333:table/abc"},
      {"us-gov-west-1", "arn:aws-us-gov:dynamodb:us-gov-west-1:111122223333:table/a_b.c-D"}};
  for (const auto& [region, arn] : tables) {
    const Env env{std::string("TRAINWARDEN_TABLE=") + arn};
    const auto table = Table::from(env(), "TRAINWARDEN_TABLE", region);
    ASSERT_TRUE(table && *table) << table.error().message;
    EXPECT_EQ((*table)->arn(), arn);
    EXPECT_EQ((*table)->variable(), "TRAINWARDEN_TABLE");
  }
}

TEST(Table, WhatIsNoTableOfTheRegionIsAnErrorThatNamesTheVariable) {
  for (const std::string arn :
       {"Trainwarden-State", "arn:aws:dynamodb:eu-central-1:111122223333:table/",
        "arn:aws:dynamodb:eu-central-1:111122223333:table/ab",
        "arn:aws:dynamodb:eu-central-1:111122223333:table/abc/index/due",
        "arn:aws:dynamodb:eu-central-1:1111:table/abc", "arn:aws:dynamodb:eu-central-1::table/abc",
        "arn:aws:dynamodb::111122223333:table/abc",
        "arn:aws:sns:eu-central-1:111122223333:table/abc",
        "arn:gcp:dynamodb:eu-central-1:111122223333:table/abc",
        "arn:aws:dynamodb:eu-central-1:111122223333:abc", "arn:aws:dynamodb",
        "arn:aws:dynamodb:eu-central-1:111122223333:table/a b", ":::::table/abc"}) {
    const auto table = Table::parse("TRAINWARDEN_TABLE", arn, "eu-central-1");
    ASSERT_FALSE(table) << arn;
    EXPECT_EQ(table.error().code, ErrorCode::kInvalidConfig);
    EXPECT_NE(table.error().message.find("TRAINWARDEN_TABLE: expected the ARN of a DynamoDB table"),
              std::string::npos)
        << table.error().message;
    EXPECT_NE(table.error().message.find("`" + arn + "`"), std::string::npos);
  }
  const auto elsewhere = Table::parse("TRAINWARDEN_TABLE", kArn, "us-east-1");
  ASSERT_FALSE(elsewhere);
  EXPECT_NE(elsewhere.error().message.find("TRAINWARDEN_TABLE: expected a table in the region of "
                                           "the functions, us-east-1, found `arn:aws:dynamodb:eu-"),
            std::string::npos)
      << elsewhere.error().message;
}

}  // namespace
}  // namespace trainwarden::aws::dynamodb_test
