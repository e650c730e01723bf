#include "runtime/lambda/loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_transport.h"

namespace trainwarden::lambda::loop_test {
namespace {

using std::chrono::milliseconds;
using testing::ManualClock;
using testing::ScriptedTransport;

constexpr milliseconds kNow{1783000213000};

// Runs the loop against a script that must end it, and keeps what it logs.
class LoopTest : public ::testing::Test {
 protected:
  ~LoopTest() override {
    close(pipe_[0]);
    close(pipe_[1]);
  }

  int run(Handler handler) {
    return lambda::run({{"http://rt/"}, transport_, clock_, log_}, std::move(handler));
  }

  ScriptedTransport& invocation(const std::string& id, const std::string& payload = "{}") {
    return transport_.expect(
        "GET http://rt/invocation/next", 200, payload,
        {{"Lambda-Runtime-Aws-Request-Id", id},
         {"Lambda-Runtime-Deadline-Ms", std::to_string(kNow.count() + 10'000)}});
  }
  // What ends every script: the Runtime API breaks.
  void end() { transport_.expect("GET http://rt/invocation/next", 500); }

  std::string logged() {
    std::string text(65536, '\0');
    const ssize_t n = read(pipe_[0], text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

  int open_pipe() {
    if (pipe2(pipe_, O_NONBLOCK) != 0) throw std::runtime_error("pipe2");
    return pipe_[1];
  }

  int pipe_[2]{};
  ManualClock clock_{sys_millis(kNow)};
  ScriptedTransport transport_;
  Log log_{LogFormat::kJson, Level::kInfo, open_pipe(), clock_};
};

TEST_F(LoopTest, AnswersOneInvocationAfterTheOther) {
  invocation("r-1", "a").expect("POST http://rt/invocation/r-1/response\n<a>", 202);
  invocation("r-2", "b").expect("POST http://rt/invocation/r-2/response\n<b>", 202);
  end();
  EXPECT_NE(
      run([](const Context& c) -> Result<std::string> { return "<" + c.invocation.payload + ">"; }),
      0);
}

TEST_F(LoopTest, WaitsForTheNextInvocationWithoutATimeout) {
  end();
  run([](const Context&) -> Result<std::string> { return "{}"; });
  EXPECT_TRUE(transport_.deadlines.at(0).is_never());
}

TEST_F(LoopTest, AFailingHandlerIsReportedAndSurvived) {
  invocation("r-1").expect("POST http://rt/invocation/r-1/error", 202);
  invocation("r-2").expect("POST http://rt/invocation/r-2/response", 202);
  end();
  int calls = 0;
  run([&](const Context&) -> Result<std::string> {
    if (++calls == 1) return fail(ErrorCode::kInvalidInput, "`x` is missing");
    return "{}";
  });
  EXPECT_NE(transport_.sent.at(1).body.find("\"errorType\":\"Function.InvalidInput\""),
            std::string::npos);
  EXPECT_NE(transport_.sent.at(1).body.find("`x` is missing"), std::string::npos);
}

TEST_F(LoopTest, AThrowingHandlerIsReportedAndSurvived) {
  invocation("r-1").expect("POST http://rt/invocation/r-1/error", 202);
  invocation("r-2").expect("POST http://rt/invocation/r-2/error", 202);
  end();
  int calls = 0;
  run([&](const Context&) -> Result<std::string> {
    if (++calls == 1) throw std::runtime_error("out of cheese");
    throw 42;
  });
  EXPECT_NE(transport_.sent.at(1).body.find("out of cheese"), std::string::npos);
  EXPECT_NE(transport_.sent.at(1).body.find("Function.Internal"), std::string::npos);
}

// Where the layers of the handler clean nothing up, what it held may point anywhere.
TEST_F(LoopTest, AThrowingHandlerOfLayersWithoutExceptionsIsReportedAndEndsTheProcess) {
  invocation("r-1").expect("POST http://rt/invocation/r-1/error", 202);
  EXPECT_NE(lambda::run({{"http://rt/"}, transport_, clock_, log_, true},
                        [&](const Context&) -> Result<std::string> { throw std::bad_alloc(); }),
            0);
  ASSERT_EQ(transport_.sent.size(), 2U);
  EXPECT_NE(transport_.sent.at(1).body.find("bad_alloc"), std::string::npos);
}

TEST_F(LoopTest, AnErrorOfTheHandlerEndsNoProcess) {
  invocation("r-1").expect("POST http://rt/invocation/r-1/error", 202);
  end();
  lambda::run(
      {{"http://rt/"}, transport_, clock_, log_, true},
      [&](const Context&) -> Result<std::string> { return fail(ErrorCode::kInternal, "no"); });
  EXPECT_EQ(transport_.sent.size(), 3U);
}

TEST_F(LoopTest, TheHandlersDeadlineLiesBeforeLambdas) {
  invocation("r-1").expect("/r-1/response", 202);
  end();
  run([&](const Context& c) -> Result<std::string> {
    EXPECT_LT(c.deadline.left(clock_.steady_now()), milliseconds(10'000));
    EXPECT_GT(c.deadline.left(clock_.steady_now()), milliseconds(9'000));
    return "{}";
  });
}

// What is left to the handler where Lambda names this deadline (nullptr: none).
TEST_F(LoopTest, ADeadlineBeyondReasonIsBounded) {
  constexpr milliseconds kHour{3'600'000};
  const struct {
    const char* named;
    milliseconds least;
    milliseconds most;
  } cases[] = {
      {"20000000000000", kHour - milliseconds(1000), kHour},  // the year 2603
      {"9223372036854775807", kHour - milliseconds(1000), kHour},
      {"9223372036854775808", kHour - milliseconds(1000), kHour},  // no number of ours: none
      {"", kHour - milliseconds(1000), kHour},
      {"soon", kHour - milliseconds(1000), kHour},
      {nullptr, kHour - milliseconds(1000), kHour},
      {"1783001113000", milliseconds(899'000), milliseconds(900'000)},  // Lambda's longest
      {"1783000212999", milliseconds(0), milliseconds(0)},
      {"0", milliseconds(0), milliseconds(0)},
      {"-1", milliseconds(0), milliseconds(0)},
      {"-9223372036854775808", milliseconds(0), milliseconds(0)},
  };
  for (const auto& [named, least, most] : cases) {
    http::Headers headers{{"Lambda-Runtime-Aws-Request-Id", "r-1"}};
    if (named != nullptr) headers.push_back({"Lambda-Runtime-Deadline-Ms", named});
    transport_.expect("GET http://rt/invocation/next", 200, "{}", headers)
        .expect("/r-1/response", 202);
  }
  end();
  std::size_t at = 0;
  run([&](const Context& c) -> Result<std::string> {
    const auto& [named, least, most] = cases[at++];
    const milliseconds left = c.deadline.left(clock_.steady_now());
    EXPECT_GE(left, least) << (named != nullptr ? named : "none");
    EXPECT_LE(left, most) << (named != nullptr ? named : "none");
    return "{}";
  });
  EXPECT_EQ(at, std::size(cases));
}

TEST_F(LoopTest, Any2xxTakesTheAnswer) {
  for (const int status : {200, 202, 204}) invocation("r-1").expect("/r-1/response", status);
  invocation("r-1").expect("/r-1/error", 200);
  end();
  int calls = 0;
  run([&](const Context&) -> Result<std::string> {
    if (++calls == 4) return fail(ErrorCode::kInternal, "x");
    return "{}";
  });
  EXPECT_EQ(logged().find("refused"), std::string::npos);
}

TEST_F(LoopTest, ARedirectOfTheAnswerIsNoSuccess) {
  for (const int status : {100, 302}) invocation("r-1").expect("/r-1/response", status);
  end();
  run([](const Context&) -> Result<std::string> { return "{}"; });
  const std::string log = logged();
  EXPECT_NE(log.find("\"status\":\"100\""), std::string::npos);
  EXPECT_NE(log.find("\"status\":\"302\""), std::string::npos);
}

TEST_F(LoopTest, A5xxOnNextEndsTheProcess) {
  end();
  EXPECT_NE(run([](const Context&) -> Result<std::string> { return "{}"; }), 0);
  EXPECT_NE(logged().find("found 500"), std::string::npos);
}

TEST_F(LoopTest, ARefusedConnectionIsTriedAFewTimesWithBackoff) {
  for (int i = 0; i < 4; ++i)
    transport_.expect_error("GET http://rt/invocation/next", ErrorCode::kConnection);
  EXPECT_NE(run([](const Context&) -> Result<std::string> { return "{}"; }), 0);
  ASSERT_EQ(clock_.slept.size(), 3U);
  EXPECT_LT(clock_.slept[0], clock_.slept[2]);
}

TEST_F(LoopTest, AResetConnectionOnNextIsRepeated) {
  transport_.expect_error("GET http://rt/invocation/next", ErrorCode::kConnection);
  invocation("r-1").expect("/r-1/response", 202);
  end();
  run([](const Context&) -> Result<std::string> { return "{}"; });
}

TEST_F(LoopTest, ARefusedAnswerIsLoggedAndNotFollowedByAnError) {
  for (const int status : {413, 403, 400}) {
    invocation("r-1").expect("/r-1/response", status);
  }
  end();
  run([](const Context&) -> Result<std::string> { return "{}"; });
  const std::string log = logged();
  EXPECT_NE(log.find("too large"), std::string::npos);
  EXPECT_NE(log.find("answered before"), std::string::npos);
}

// Its delivery timed out, and another with the same request id may be under way.
TEST_F(LoopTest, AnAnswerThatIsTooLateIsLoggedAndSurvived) {
  invocation("r-1").expect("/r-1/response", 410);
  invocation("r-1").expect("/r-1/error", 410);
  invocation("r-1").expect("/r-1/response", 202);
  end();
  int calls = 0;
  run([&](const Context&) -> Result<std::string> {
    if (++calls == 2) return fail(ErrorCode::kInternal, "x");
    return "{}";
  });
  EXPECT_EQ(calls, 3);
  const std::string log = logged();
  EXPECT_NE(log.find("too late"), std::string::npos);
  EXPECT_EQ(log.find("refused"), std::string::npos);
}

TEST_F(LoopTest, A5xxOnAnAnswerEndsTheProcess) {
  invocation("r-1").expect("/r-1/response", 500);
  EXPECT_NE(run([](const Context&) -> Result<std::string> { return "{}"; }), 0);
}

TEST_F(LoopTest, AnInvocationWithoutARequestIdEndsTheProcess) {
  transport_.expect("GET http://rt/invocation/next", 200, "{}");
  EXPECT_NE(run([](const Context&) -> Result<std::string> { return "{}"; }), 0);
}

TEST_F(LoopTest, LogLinesCarryTheRequestIdDuringAnInvocation) {
  invocation("r-77").expect("/r-77/error", 202);
  end();
  run([](const Context&) -> Result<std::string> { return fail(ErrorCode::kInternal, "x"); });
  EXPECT_NE(logged().find("\"requestId\":\"r-77\""), std::string::npos);
}

TEST_F(LoopTest, PayloadsAreNeverLogged) {
  invocation("r-1", "{\"secret\":\"hunter2\"}").expect("/r-1/response", 202);
  end();
  run([](const Context&) -> Result<std::string> { return "\"hunter3\""; });
  const std::string log = logged();
  EXPECT_EQ(log.find("hunter"), std::string::npos);
}

TEST_F(LoopTest, AnInitErrorIsPostedAndTheStatusIsNotZero) {
  transport_.expect("POST http://rt/init/error", 202);
  EXPECT_NE(fail_init({{"http://rt/"}, transport_, clock_, log_},
                      {ErrorCode::kInvalidPolicy, "rules[0]: …"}),
            0);
  EXPECT_NE(transport_.sent.at(0).body.find("\"errorType\":\"Runtime.InvalidPolicy\""),
            std::string::npos);
}

}  // namespace
}  // namespace trainwarden::lambda::loop_test
