// The DynamoDB table of InProcessAws: what a function's death and lost answers leave in it.
#include <gtest/gtest.h>

#include "awsapi/dynamodb.h"
#include "tests/support/aws/in_process_aws.h"

namespace trainwarden::testing::table_test {
namespace {

using aws::Overtaken;
using aws::Written;
using std::chrono::milliseconds;

class TableTest : public ::testing::Test {
 protected:
  aws::CallContext context() { return {clock_.in(milliseconds(60'000)), "", nullptr}; }
  Result<aws::PutOutcome> put(std::int64_t read, std::string_view request) {
    const auto attributes = json::Document::parse(R"({"due":"1","since":5})");
    return table_.put_item({"job/a", attributes->root(), read, request}, context());
  }
  std::int64_t version() {
    const auto item = table_.get_item("job/a", context());
    return item && *item ? (*item)->version : 0;
  }

  ManualClock clock_{sys_millis(milliseconds(1783000213000))};
  InProcessAws aws_{clock_};
  aws::Client client_{{{"AKIDEXAMPLE", Secret("s"), Secret()},
                       "eu-central-1",
                       std::nullopt,
                       aws::Endpoints::all_at("https://api.example/")},
                      aws_,
                      clock_,
                      [] { return 0.0; }};
  aws::DynamoDb table_{
      client_,
      *aws::Table::parse("TRAINWARDEN_TABLE", localaws::table_arn("eu-central-1", "111122223333"),
                         "eu-central-1")};
};

TEST_F(TableTest, ADeathLeavesTheEffectOrNone) {
  aws_.death = {0, false};
  EXPECT_THROW((void)put(0, "r-1"), Killed);
  aws_.death = {};
  EXPECT_EQ(version(), 0);
  aws_.death = {static_cast<int>(aws_.calls.size()), true};
  EXPECT_THROW((void)put(0, "r-2"), Killed);
  aws_.death = {};
  EXPECT_EQ(version(), 1);
}

TEST_F(TableTest, ALostAnswerIsRecognisedWithoutAnotherRead) {
  aws_.lose_answer("PutItem");
  const auto outcome = put(0, "r-1");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(std::holds_alternative<Written>(*outcome));
  EXPECT_EQ(aws_.calls, (std::vector<std::string>{"PutItem", "PutItem"}));
  EXPECT_EQ(version(), 1);
}

TEST_F(TableTest, AWriteMeanwhileOvertakes) {
  aws_.meanwhile = [&](int) {
    aws_.meanwhile = nullptr;
    EXPECT_TRUE(put(0, "theirs"));
  };
  const auto outcome = put(0, "ours");
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(std::holds_alternative<Overtaken>(*outcome));
  EXPECT_EQ(std::get<Overtaken>(*outcome).item->request, "theirs");
}

TEST_F(TableTest, RefusalsStrikeItsCallsToo) {
  aws_.refuse("PutItem", {400, "ProvisionedThroughputExceededException", "slow down"}, 4);
  const auto outcome = put(0, "r-1");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kThrottled);
  EXPECT_EQ(version(), 0);
}

}  // namespace
}  // namespace trainwarden::testing::table_test
