#include "tests/localaws/lambda/function.h"

#include <gtest/gtest.h>

#include <string>

namespace trainwarden::localaws::function_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const sys_millis kNow{milliseconds(1'783'000'000'000)};

class FunctionTest : public ::testing::Test {
 protected:
  // Takes what is due, as a waiting next would.
  const Invocation* next(sys_millis now = kNow) {
    EXPECT_TRUE(function_.api().next());
    return function_.take(now);
  }
  void fail_next(sys_millis now) {
    const Invocation* invocation = next(now);
    ASSERT_NE(invocation, nullptr);
    ASSERT_TRUE(function_.report(invocation->id, "{\"errorMessage\":\"no\"}", now));
  }

  Function function_{"state", "arn:aws:lambda:us-east-1:111122223333:function:f", seconds(60)};
};

TEST_F(FunctionTest, DeliversInOrder) {
  function_.invoke_async("one", kNow);
  function_.invoke_async("two", kNow);
  const Invocation* first = next();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->event, "one");
  EXPECT_EQ(first->deadline, kNow + seconds(60));
  EXPECT_EQ(next()->event, "one") << "while it runs it is delivered again";
  EXPECT_TRUE(function_.respond(first->id, "{}", kNow));
  EXPECT_EQ(next()->event, "two");
  EXPECT_EQ(function_.counts().delivered, 2U);
  EXPECT_EQ(function_.counts().succeeded, 1U);
}

TEST_F(FunctionTest, AFailedEventIsTriedTwiceMoreThenIsADeadLetter) {
  function_.invoke_async("bad", kNow);
  fail_next(kNow);
  EXPECT_EQ(next(kNow + milliseconds(499)), nullptr) << "not before its delay";
  fail_next(kNow + milliseconds(500));
  EXPECT_EQ(next(kNow + milliseconds(1499)), nullptr);
  fail_next(kNow + milliseconds(1500));
  EXPECT_EQ(function_.queued(), 0U);
  ASSERT_EQ(function_.dead_letters().size(), 1U);
  EXPECT_EQ(function_.dead_letters()[0].event, "bad");
  EXPECT_EQ(function_.dead_letters()[0].attempts, 3);
  EXPECT_EQ(function_.counts().failed, 3U);
}

TEST_F(FunctionTest, ARetryWaitsBehindWhatIsDue) {
  function_.invoke_async("bad", kNow);
  function_.invoke_async("good", kNow);
  fail_next(kNow);
  EXPECT_EQ(next(kNow + seconds(5))->event, "good");
}

TEST_F(FunctionTest, ASynchronousInvocationHasAResultAndNoRetry) {
  const std::string id = function_.invoke_sync("ask", kNow);
  EXPECT_FALSE(function_.take_result(id));
  fail_next(kNow);
  const auto result = function_.take_result(id);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->failed);
  EXPECT_EQ(result->body, "{\"errorMessage\":\"no\"}");
  EXPECT_FALSE(function_.take_result(id)) << "once";
  EXPECT_EQ(function_.queued(), 0U);
  EXPECT_TRUE(function_.dead_letters().empty());
}

TEST_F(FunctionTest, AnInvocationTimesOut) {
  const std::string id = function_.invoke_sync("slow", kNow);
  ASSERT_NE(next(), nullptr);
  EXPECT_FALSE(function_.time_out(kNow + milliseconds(59'999)));
  EXPECT_TRUE(function_.time_out(kNow + seconds(60)));
  EXPECT_FALSE(function_.time_out(kNow + seconds(61)));
  EXPECT_NE(function_.take_result(id)->body.find("Task timed out after 60.00 seconds"),
            std::string::npos);
}

TEST_F(FunctionTest, AProcessThatEndsFailsWhatItRan) {
  function_.invoke_async("event", kNow);
  const std::uint64_t ticket = function_.wait_ticket();
  ASSERT_NE(next(), nullptr);
  function_.exited("exit status 1", kNow);
  EXPECT_FALSE(function_.holds(ticket)) << "its waiting next ends too";
  EXPECT_EQ(function_.api().state(), RuntimeApi::State::kStarted);
  EXPECT_EQ(next(kNow + seconds(1))->attempt, 2);
}

TEST_F(FunctionTest, AnAnswerThatIsTooLargeIsAFailure) {
  const std::string id = function_.invoke_sync("ask", kNow);
  ASSERT_NE(next(), nullptr);
  const auto verdict = function_.respond(id, std::string(kMaxAnswer + 1, 'x'), kNow);
  EXPECT_EQ(verdict.error().status, 413);
  const auto result = function_.take_result(id);
  ASSERT_TRUE(result);
  EXPECT_NE(result->body.find("Function.ResponseSizeTooLarge"), std::string::npos);
}

TEST_F(FunctionTest, AFunctionThatIsGivenUpTakesNothing) {
  function_.invoke_async("before", kNow);
  function_.give_up();
  function_.invoke_async("after", kNow);
  EXPECT_EQ(function_.dead_letters().size(), 2U);
  EXPECT_TRUE(function_.take_result(function_.invoke_sync("ask", kNow))->failed);
}

TEST_F(FunctionTest, AResetForgetsButLetsTheRunningInvocationEnd) {
  function_.invoke_async("running", kNow);
  function_.invoke_async("queued", kNow);
  const Invocation* invocation = next();
  function_.reset();
  EXPECT_TRUE(function_.report(invocation->id, "{}", kNow));
  EXPECT_EQ(next(kNow + seconds(5)), nullptr) << "neither retried nor queued";
  EXPECT_EQ(function_.counts().failed, 0U);
}

TEST(FunctionSessionsTest, EachSessionRunsItsOwnInvocation) {
  Function function("state", "arn:aws:lambda:us-east-1:111122223333:function:f", seconds(60), 2);
  for (const char* event : {"one", "two", "three"}) function.invoke_async(event, kNow);
  EXPECT_EQ(function.due(kNow), 3U);
  for (const std::size_t session : {0U, 1U}) ASSERT_TRUE(function.api(session).next());
  const Invocation* first = function.take(kNow, 0);
  const Invocation* second = function.take(kNow, 1);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->event, "one");
  EXPECT_EQ(second->event, "two");
  EXPECT_NE(first->trace_root, second->trace_root);
  EXPECT_EQ(function.respond(second->id, "{}", kNow, 0).error().status, 400)
      << "an invocation is answered in its own session";
  EXPECT_TRUE(function.respond(second->id, "{}", kNow, 1));
  function.exited("signal: killed", kNow, 0);
  EXPECT_EQ(function.api(1).state(), RuntimeApi::State::kAnswered) << "the other lives on";
  ASSERT_TRUE(function.api(1).next());
  EXPECT_EQ(function.take(kNow, 1)->event, "three");
  EXPECT_EQ(function.counts().failed, 1U);
}

}  // namespace
}  // namespace trainwarden::localaws::function_test
