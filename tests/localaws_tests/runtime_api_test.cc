#include "tests/localaws/lambda/runtime_api.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace trainwarden::localaws::runtime_api_test {
namespace {

using State = RuntimeApi::State;
using Call = RuntimeApi::Call;

constexpr State kStates[] = {State::kStarted, State::kInitError, State::kReady, State::kRunning,
                             State::kAnswered};
constexpr Call kCalls[] = {Call::kNext, Call::kDeliver, Call::kResponse, Call::kError,
                           Call::kInitError};

RuntimeApi in(State state) {
  RuntimeApi api;
  if (state == State::kStarted) return api;
  if (state == State::kInitError) {
    EXPECT_TRUE(api.init_error());
    return api;
  }
  EXPECT_TRUE(api.next());
  if (state == State::kReady) return api;
  EXPECT_TRUE(api.deliver("id-1"));
  if (state == State::kRunning) return api;
  EXPECT_TRUE(api.response("id-1", 2));
  return api;
}

RuntimeApi::Verdict make(RuntimeApi& api, Call call) {
  switch (call) {
    case Call::kNext:
      return api.next();
    case Call::kDeliver:
      return api.deliver("id-2");
    case Call::kResponse:
      return api.response("id-1", 2);
    case Call::kError:
      return api.error("id-1", 2);
    case Call::kInitError:
      return api.init_error();
  }
  return {};
}

TEST(RuntimeApi, EveryTransitionIsAllowedOrForbiddenAsAwsHasIt) {
  const std::set<std::pair<State, Call>> allowed = {
      {State::kStarted, Call::kNext},  {State::kStarted, Call::kInitError},
      {State::kReady, Call::kNext},    {State::kReady, Call::kDeliver},
      {State::kRunning, Call::kNext},  {State::kRunning, Call::kResponse},
      {State::kRunning, Call::kError}, {State::kAnswered, Call::kNext},
  };
  for (const State state : kStates)
    for (const Call call : kCalls) {
      SCOPED_TRACE(std::string(name(state)) + " " + std::to_string(static_cast<int>(call)));
      RuntimeApi api = in(state);
      ASSERT_EQ(api.state(), state);
      const auto verdict = make(api, call);
      EXPECT_EQ(verdict.has_value(), allowed.contains({state, call}));
      EXPECT_EQ(RuntimeApi::allowed(state, call), allowed.contains({state, call}));
      if (verdict) continue;
      EXPECT_EQ(verdict.error().status, 403);
      EXPECT_EQ(verdict.error().type, "InvalidStateTransition");
      EXPECT_EQ(api.state(), state) << "a refused call changes nothing";
    }
}

TEST(RuntimeApi, NextIsSafeToRepeat) {
  RuntimeApi ready = in(State::kReady);
  EXPECT_TRUE(ready.next());
  EXPECT_EQ(ready.state(), State::kReady);
  RuntimeApi running = in(State::kRunning);
  EXPECT_TRUE(running.next());
  EXPECT_EQ(running.state(), State::kRunning);
  EXPECT_EQ(running.running(), "id-1");
}

TEST(RuntimeApi, AnUnknownIdIs400AndTheInvocationGoesOn) {
  RuntimeApi api = in(State::kRunning);
  for (const auto& verdict : {api.response("other", 2), api.error("other", 2)}) {
    ASSERT_FALSE(verdict);
    EXPECT_EQ(verdict.error().status, 400);
    EXPECT_EQ(verdict.error().type, "InvalidRequestID");
    EXPECT_EQ(verdict.error().message, "Invalid request ID");
  }
  EXPECT_TRUE(api.response("id-1", 2));
}

TEST(RuntimeApi, AnAnswerOfAnotherDeliveryIs410AndTheInvocationGoesOn) {
  RuntimeApi api = in(State::kReady);
  ASSERT_TRUE(api.deliver("id-1", "delivery-2"));
  for (const auto& stale : {api.response("id-1", 2, "delivery-1"), api.error("id-1", 2, "?")}) {
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().status, 410);
    EXPECT_EQ(stale.error().type, "ErrorRuntimeInvokeTimeout");
  }
  EXPECT_EQ(api.state(), State::kRunning);
  EXPECT_TRUE(api.response("id-1", 2, "delivery-2"));
}

// As a runtime does that does not know of it.
TEST(RuntimeApi, AnAnswerWithoutAnInvocationIdIsNotChecked) {
  RuntimeApi api = in(State::kReady);
  ASSERT_TRUE(api.deliver("id-1", "delivery-1"));
  EXPECT_TRUE(api.response("id-1", 2));
}

TEST(RuntimeApi, AnAnswerMayHave6MiBAnd100Bytes) {
  RuntimeApi fits = in(State::kRunning);
  EXPECT_TRUE(fits.response("id-1", 6'291'556));
  RuntimeApi larger = in(State::kRunning);
  const auto verdict = larger.response("id-1", 6'291'557);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().status, 413);
  EXPECT_EQ(verdict.error().type, "RequestEntityTooLarge");
  EXPECT_EQ(verdict.error().message, "Exceeded maximum allowed payload size (6291556 bytes).");
  EXPECT_EQ(larger.error("id-1", 2).error().status, 403) << "no error may follow";
  EXPECT_TRUE(larger.next());
}

TEST(RuntimeApi, ARefusalNamesTheStates) {
  RuntimeApi api = in(State::kAnswered);
  EXPECT_EQ(api.response("id-1", 2).error().message,
            "State transition from RuntimeResponseSentState to InvocationResponse failed for "
            "runtime. Error: State transition is not allowed");
}

TEST(RuntimeApi, ANewProcessBeginsAnew) {
  RuntimeApi api = in(State::kRunning);
  api.restarted();
  EXPECT_EQ(api.state(), State::kStarted);
  EXPECT_EQ(api.running(), "");
  EXPECT_TRUE(api.init_error());
}

}  // namespace
}  // namespace trainwarden::localaws::runtime_api_test
