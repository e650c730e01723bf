// awsapi's DynamoDB client on localaws' table: what one says and the other understands, with the
// losses and races that a network and other writers bring.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "awsapi/dynamodb.h"
#include "tests/localaws_tests/emulator_transport.h"
#include "tests/support/manual_clock.h"

namespace trainwarden::localaws::dynamodb_client_test {
namespace {

using aws::Overtaken;
using aws::PutOutcome;
using aws::Written;
using std::chrono::milliseconds;
using testing::ManualClock;

constexpr milliseconds kLag{500};

class DynamoDbClient : public ::testing::Test {
 protected:
  static Options options() {
    Options out;
    out.region = "eu-central-1";
    out.index_lag = kLag;
    return out;
  }

  aws::CallContext context() { return {clock_.in(milliseconds(600'000)), "", &made_}; }
  std::optional<aws::Item> get(std::string_view id) {
    auto item = table_.get_item(id, context());
    EXPECT_TRUE(item) << item.error().message;
    return item ? std::move(*item) : std::nullopt;
  }
  Result<PutOutcome> put(std::string_view id, std::string_view attributes, std::int64_t read,
                         std::string_view request) {
    const auto document = json::Document::parse(attributes);
    EXPECT_TRUE(document) << attributes;
    return table_.put_item({id, document->root(), read, request}, context());
  }
  bool written(const Result<PutOutcome>& outcome) {
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome && std::holds_alternative<Written>(*outcome);
  }
  void plan(std::string_view fault) {
    const HttpResponse planned = emulator_.handle({.method = "POST",
                                                   .target = "/_localaws/faults",
                                                   .headers = {},
                                                   .body = std::string(fault),
                                                   .received = clock_.now(),
                                                   .gone = {}});
    ASSERT_EQ(planned.status, 200) << planned.body;
  }
  std::string due(int page_size = 0) {
    std::string ids;
    const auto each = [&](std::string_view id) -> Result<bool> {
      ids.append(ids.empty() ? "" : " ").append(id);
      return true;
    };
    const auto walked = table_.query(each, context(), page_size);
    EXPECT_TRUE(walked) << walked.error().message;
    return ids;
  }

  ManualClock clock_{sys_millis(milliseconds(1783000213000))};
  Emulator emulator_{options(), Credentials{"test", Secret("test"), Secret()}, clock_};
  EmulatorTransport transport_{emulator_, clock_};
  std::vector<aws::CallMade> made_;
  aws::Client client_{{{"test", Secret("test"), Secret()},
                       "eu-central-1",
                       3,
                       aws::Endpoints::all_at("http://127.0.0.1:4566/")},
                      transport_,
                      clock_,
                      [] { return 0.5; }};
  aws::DynamoDb table_{
      client_, *aws::Table::parse("TRAINWARDEN_TABLE", table_arn("eu-central-1", "111122223333"),
                                  "eu-central-1")};
};

TEST_F(DynamoDbClient, WhatIsWrittenIsReadAgain) {
  EXPECT_FALSE(get("brake"));
  const char* const attributes =
      R"({"stops":{"job-1":1783000213000},"told":false,"why":"größe \"x\"","spot":null,)"
      R"("types":["ml.g5.xlarge",1.5],"expires":1783000213})";
  EXPECT_TRUE(written(put("brake", attributes, 0, "r-1")));
  const auto item = get("brake");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->version, 1);
  EXPECT_EQ(item->request, "r-1");
  const auto root = item->attributes.root();
  const auto sent = json::Document::parse(attributes);
  for (const auto& [name, value] : sent->root().members())
    EXPECT_TRUE(json::equal(*root.find(name), value)) << name;
  EXPECT_TRUE(written(put("brake", R"({"stops":{}})", 1, "r-2")));
  EXPECT_EQ(get("brake")->version, 2);
  EXPECT_FALSE(get("brake")->attributes.root().find("why"));
}

TEST_F(DynamoDbClient, WhoReadAnOlderVersionIsOvertaken) {
  EXPECT_TRUE(written(put("brake", R"({"a":1})", 0, "r-1")));
  for (const std::int64_t read : {0, 2, 7}) {
    const auto outcome = put("brake", R"({"a":2})", read, "r-2");
    ASSERT_TRUE(outcome) << outcome.error().message;
    const auto* const overtaken = std::get_if<Overtaken>(&*outcome);
    ASSERT_TRUE(overtaken != nullptr && overtaken->item) << read;
    EXPECT_EQ(overtaken->item->version, 1);
    EXPECT_EQ(overtaken->item->attributes.root().find("a")->as_integer(), 1);
  }
  EXPECT_EQ(get("brake")->request, "r-1");
}

TEST_F(DynamoDbClient, AWriteWhoseAnswerWasLostIsDoneOnce) {
  plan(R"({"operation":"PutItem","cut":true,"times":2})");
  const auto outcome = put("brake", R"({"a":1})", 0, "r-1");
  ASSERT_TRUE(written(outcome));
  EXPECT_EQ(std::get<Written>(*outcome).version, 1);
  EXPECT_EQ(made_.back().attempts, 3);
  EXPECT_EQ(get("brake")->version, 1);
}

TEST_F(DynamoDbClient, ACallerThatTriesAgainItselfKnowsItsWriteToo) {
  plan(R"({"operation":"PutItem","cut":true,"times":3})");
  const auto lost = put("brake", R"({"a":1})", 0, "r-1");
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kConnection);
  EXPECT_TRUE(written(put("brake", R"({"a":1})", 0, "r-1")));
  EXPECT_EQ(get("brake")->version, 1);
}

TEST_F(DynamoDbClient, AnotherWriteBetweenALostAnswerAndTheRepeatIsSeen) {
  plan(R"({"operation":"PutItem","cut":true})");
  int request = 0;
  transport_.meanwhile = [&] {
    if (++request != 2) return;  // the repeat
    transport_.meanwhile = nullptr;
    EXPECT_EQ(get("brake")->request, "ours");
    EXPECT_TRUE(written(put("brake", R"({"a":2})", 1, "theirs")));
  };
  const auto outcome = put("brake", R"({"a":1})", 0, "ours");
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto* const overtaken = std::get_if<Overtaken>(&*outcome);
  ASSERT_TRUE(overtaken != nullptr && overtaken->item);
  EXPECT_EQ(overtaken->item->request, "theirs");
  EXPECT_EQ(overtaken->item->version, 2);
}

TEST_F(DynamoDbClient, AThrottledOrFailedWriteWasNotDoneAndIsRepeated) {
  plan(
      R"([{"operation":"PutItem","code":"ThrottlingException"},{"operation":"PutItem","status":500}])");
  EXPECT_TRUE(written(put("brake", R"({"a":1})", 0, "r-1")));
  EXPECT_EQ(get("brake")->version, 1);
  plan(R"({"operation":"GetItem","code":"ProvisionedThroughputExceededException","times":3})");
  const auto read = table_.get_item("brake", context());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kThrottled);
  EXPECT_TRUE(made_.back().throttled());
}

// Everyone reads, everyone writes what follows from that, and whoever was overtaken starts again.
TEST_F(DynamoDbClient, ManyWritersLoseNothing) {
  constexpr int kWriters = 10;
  std::vector<int> left;
  for (int writer = 0; writer < kWriters; ++writer) left.push_back(writer);
  int rounds = 0;
  for (; !left.empty(); ++rounds) {
    const auto read = get("brake");
    std::vector<int> overtaken;
    for (const int writer : left) {
      const auto next = json::Document::build([&](json::Sink& sink) {
        sink.begin_object();
        if (read)
          for (const auto& [name, value] : read->attributes.root().members())
            sink.member(name, value);
        sink.member(fmt::format("writer-{}", writer), true).end_object();
      });
      const auto outcome = table_.put_item(
          {"brake", next.root(), read ? read->version : 0, fmt::format("r-{}-{}", writer, rounds)},
          context());
      if (!written(outcome)) overtaken.push_back(writer);
    }
    ASSERT_EQ(overtaken.size() + 1, left.size());
    left = overtaken;
  }
  const auto item = get("brake");
  EXPECT_EQ(item->version, kWriters);
  for (int writer = 0; writer < kWriters; ++writer)
    EXPECT_TRUE(item->attributes.root().find(fmt::format("writer-{}", writer))) << writer;
}

TEST_F(DynamoDbClient, TheIndexNamesWhatIsDueInOrder) {
  EXPECT_TRUE(written(put("job/b", R"({"due":"1","since":20})", 0, "r-1")));
  EXPECT_TRUE(written(put("job/a", R"({"due":"1","since":100})", 0, "r-2")));
  EXPECT_TRUE(written(put("job/c", R"({"due":"1","since":3})", 0, "r-3")));
  EXPECT_TRUE(written(put("job/x", R"({"since":4})", 0, "r-4")));
  EXPECT_TRUE(written(put("job/y", R"({"due":"1"})", 0, "r-5")));
  clock_.sleep_for(kLag);
  for (const int page_size : {0, 1, 2, 3, 4}) EXPECT_EQ(due(page_size), "job/c job/b job/a");
  EXPECT_TRUE(written(put("job/b", R"({"closed":true})", 1, "r-6")));
  clock_.sleep_for(kLag);
  EXPECT_EQ(due(), "job/c job/a");
}

TEST_F(DynamoDbClient, TheIndexLagsBehind) {
  EXPECT_TRUE(written(put("job/a", R"({"due":"1","since":1})", 0, "r-1")));
  EXPECT_EQ(due(), "");
  clock_.sleep_for(kLag - milliseconds(1));
  EXPECT_EQ(due(), "");
  clock_.sleep_for(milliseconds(1));
  EXPECT_EQ(due(), "job/a");
  EXPECT_TRUE(written(put("job/a", "{}", 1, "r-2")));
  EXPECT_EQ(due(), "job/a");
  clock_.sleep_for(kLag);
  EXPECT_EQ(due(), "");
}

TEST_F(DynamoDbClient, ATableThatIsNotThereIsTold) {
  const aws::DynamoDb other(
      client_, *aws::Table::parse("TRAINWARDEN_TABLE",
                                  "arn:aws:dynamodb:eu-central-1:111122223333:table/another",
                                  "eu-central-1"));
  const auto read = other.get_item("brake", context());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
  const auto each = [](std::string_view) -> Result<bool> { return true; };
  EXPECT_EQ(other.query(each, context()).error().code, ErrorCode::kNotFound);
}

TEST_F(DynamoDbClient, AnItemBeyondTheLimitIsRefused) {
  const auto large = json::Document::build([](json::Sink& sink) {
    sink.begin_object().member("text", std::string(400 * 1024, 'x')).end_object();
  });
  const auto outcome = table_.put_item({"brake", large.root(), 0, "r-1"}, context());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kRejected);
  EXPECT_NE(outcome.error().message.find("Item size has exceeded the maximum allowed size"),
            std::string::npos);
}

}  // namespace
}  // namespace trainwarden::localaws::dynamodb_client_test
