// What the functions do without their memory: the table is empty, restored from yesterday, missing,
// throttled, denied, or holds what nobody understands (policy.md A2, P7, F1).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "handlers/rules/state/item_id.h"
#include "tests/restart/deaths.h"
#include "tests/restart/restart_policies.h"

namespace trainwarden::testing::lost_table_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// The three things that a job may meet, by the event that brings them.
struct Case {
  const char* rule;
  Step event;
  void (*place)(History&);
};
const Case kCases[] = {
    {kMustStop,
     {"InProgress", "Training"},
     [](History& history) { history.place("InProgress", "Training"); }},
    {kThrash,
     {"InProgress", "Interrupted"},
     [](History& history) { history.place("InProgress", "Interrupted"); }},
    {kResume, {"Failed", "Failed"}, [](History& history) { place_ended(history); }},
};

const localaws::AwsError kOutages[] = {
    {400, "ResourceNotFoundException", "Requested resource not found"},
    {400, "ProvisionedThroughputExceededException", "slow down"},
    {400, "ThrottlingException", "Rate exceeded"},
    {400, "AccessDeniedException", "User is not authorized to perform: dynamodb:PutItem"},
    {500, "InternalServerError", "Internal server error"},
};

void expect_nothing_done(const Case& one, const localaws::AwsError& error,
                         std::initializer_list<const char*> operations) {
  History history(one.rule);
  history.sweep();
  one.place(history);
  history.aws().pass(minutes(5));
  for (const char* const operation : operations) history.aws().refuse(operation, error, 10'000);
  const auto record = history.deliver(one.event.status, one.event.secondary);
  ASSERT_TRUE(record->failure()) << one.rule << error.code;
  EXPECT_EQ(record->failure()->code, ErrorCode::kStateUnavailable)
      << record->failure()->message << one.rule << error.code;
  EXPECT_FALSE(history.aws().wrote()) << one.rule << error.code;
  history.sweep();
  EXPECT_FALSE(history.aws().wrote()) << one.rule << error.code;
  EXPECT_TRUE(history.notices().empty()) << one.rule << error.code;

  // And when it is back, all is done.
  history.aws().faults.clear();
  history.repeat();
  EXPECT_FALSE(history.deliver(one.event.status, one.event.secondary)->failure());
  EXPECT_TRUE(history.aws().wrote());
  EXPECT_EQ(history.notices().size(), 1U);
}

TEST(LostTable, F1_WithoutTheTableNothingIsDone) {
  for (const Case& one : kCases)
    for (const localaws::AwsError& error : kOutages) {
      expect_nothing_done(one, error, {"GetItem", "PutItem", "Query"});
      expect_nothing_done(one, error, {"PutItem"});
    }
}

// A notice is not sent that cannot be claimed.
TEST(LostTable, F1_WithoutTheTableNobodyIsTold) {
  for (const localaws::AwsError& error : kOutages) {
    History history(kMustStop, "notify");
    history.place("InProgress", "Training");
    history.aws().refuse("PutItem", error, 10'000);
    const auto record = history.deliver("InProgress", "Training");
    ASSERT_TRUE(record->failure());
    EXPECT_EQ(record->failure()->code, ErrorCode::kStateUnavailable);
    EXPECT_TRUE(history.notices().empty());
  }
}

// An item of another form, or none of ours, counts as unavailable, never as empty.
TEST(LostTable, F1_WhatNobodyUnderstandsIsNotEmpty) {
  const Case& one = kCases[0];
  for (const char* const id : {"brake", "job"})
    for (
        const char* const attributes :
        {R"("form":{"N":"2"},"v":{"N":"1"},"request":{"S":"r"},"expires":{"N":"1"})",
         R"("form":{"S":"1"},"v":{"N":"1"},"request":{"S":"r"},"expires":{"N":"1"})",
         R"("v":{"N":"1"})",
         R"("form":{"N":"1"},"v":{"N":"1"},"request":{"S":"r"},"expires":{"N":"1"},"stops":{"S":"x"},"stop":{"S":"x"})",
         R"("form":{"N":"1"},"v":{"N":"1"},"request":{"S":"r"},"expires":{"N":"1"},"new":{"S":"x"})"}) {
      History history(one.rule);
      one.place(history);
      const std::string key =
          id == std::string("brake")
              ? id
              : rules::job_item_id(kJob, history.aws().find(kJob)->machine.state().created);
      ASSERT_TRUE(history.aws().call(
          "PutItem", fmt::format(R"({{"TableName":"{}","Item":{{"id":{{"S":"{}"}},{}}}}})",
                                 history.config().table->arn(), key, attributes)));
      const auto record = history.deliver(one.event.status, one.event.secondary);
      ASSERT_TRUE(record->failure()) << key << attributes;
      EXPECT_EQ(record->failure()->code, ErrorCode::kStateUnavailable) << key << attributes;
      EXPECT_FALSE(history.aws().wrote()) << key << attributes;
    }
}

// Which call of all that was, counted from 0; -1 where there were not so many.
int nth_call(const History& history, std::string_view operation, std::ptrdiff_t nth) {
  const auto& calls = history.calls();
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i] == operation && nth-- == 0) return static_cast<int>(i);
  return -1;
}

// Each call to the table fails once, or its answer is lost; the event comes again.
TEST(LostTable, A2_OneCallThatFailsChangesNothing) {
  for (const Case& one : kCases)
    for (const char* const operation : {"GetItem", "PutItem"})
      for (const bool is_lost : {false, true})
        for (int nth = 0; nth < 40; ++nth) {
          History history(one.rule);
          history.sweep();
          history.aws().pass(minutes(5));
          one.place(history);
          if (nth > 0) history.aws().spare(operation, nth);
          if (is_lost)
            history.aws().lose_answer(operation);
          else
            history.aws().refuse(operation, kThrottled);
          const auto before = history.aws().count(operation);
          const auto first = history.deliver(one.event.status, one.event.secondary);
          if (first->failure()) {
            history.aws().pass(minutes(1));
            history.repeat();
            history.deliver(one.event.status, one.event.secondary);
          }
          history.aws().pass(minutes(3));
          if (history.aws().status(kJob) == "Stopped") history.deliver("Stopped", "Stopped");
          sweep_up(history);
          const bool struck = history.aws().count(operation) - before > nth;
          history.aws().faults.clear();
          const std::string what = fmt::format("{} {} {}{}", one.event.secondary, operation, nth,
                                               is_lost ? " lost" : "");
          EXPECT_EQ(history.aws().created().size(), one.rule == kMustStop ? 0U : 1U) << what;
          // A notice that was sent and could not be noted is sent again.
          const Plan plan{.death = {nth_call(history, operation, before + nth), false}};
          const bool twice = !is_lost && died_between_telling_and_noting(history, plan);
          EXPECT_EQ(history.notices().size(), twice ? 2U : 1U) << what;
          EXPECT_FALSE(history.is_due()) << what;
          if (::testing::Test::HasFailure()) return;
          if (!struck) break;
        }
}

TEST(LostTable, A2_AnEmptyTableCopiesNothingTwice) {
  for (const bool runs : {true, false}) {
    History history(runs ? kThrash : kResume);
    history.sweep();
    history.aws().pass(minutes(5));
    if (runs) {
      ASSERT_EQ(thrashed(history), kStoppingToCopy);
      history.aws().pass(minutes(2));
      history.deliver("Stopped", "Stopped");
    } else {
      resumed(history);
    }
    ASSERT_EQ(history.aws().created().size(), 1U);
    history.aws().dynamodb().clear();
    history.deliver(runs ? "Stopped" : "Failed", runs ? "Stopped" : "Failed");
    sweep_up(history);
    EXPECT_EQ(history.aws().created().size(), 1U);
    EXPECT_FALSE(history.is_due());
  }
}

// What was begun is forgotten: the job was stopped on purpose, as far as anybody knows.
TEST(LostTable, A2_AnEmptyTableRunsNoStoppedJobAgain) {
  for (const char* const rule : {kThrash, kMustStop}) {
    History history(rule);
    history.place("InProgress", "Interrupted");
    history.deliver("InProgress", "Interrupted");
    history.aws().pass(minutes(2));
    ASSERT_EQ(history.aws().status(kJob), "Stopped");
    history.aws().dynamodb().clear();
    history.enforce(kResume);
    history.deliver("Stopped", "Stopped");
    sweep_up(history);
    EXPECT_TRUE(history.aws().created().empty());
  }
}

// A copy's place is in its tags then.
TEST(LostTable, A2_AnEmptyTableKeepsTheGeneration) {
  History history(kResume);
  history.sweep();
  resumed(history);
  for (int generation = 1; generation <= 2; ++generation) {
    const std::string copy = history.aws().created().back();
    history.aws().dynamodb().clear();
    history.sweep();
    history.aws().pass(minutes(30));
    history.transition("Training", "", copy);
    history.aws().pass(minutes(30));
    history.transition("Failed", "InternalServerError: another", copy);
    history.deliver("Failed", "Failed", copy);
    EXPECT_EQ(history.aws().created().size(), 2U) << generation;
  }
}

// Everything that was owed then was made or closed since.
TEST(LostTable, A2_ATableOfYesterdayMakesNoJobs) {
  each_death(
      policy(kThrash),
      [](History& history) {
        ASSERT_EQ(thrashed(history), kStoppingToCopy);
        history.aws().pass(minutes(2));
      },
      {"Stopped", "Stopped"},
      [](History& history, const Plan& plan) {
        const std::string yesterday = history.table();
        history.repeat();
        history.deliver("Stopped", "Stopped");
        sweep_up(history, plan);
        ASSERT_EQ(history.aws().created().size(), 1U) << show(plan);
        const std::string copy = history.aws().created()[0];
        history.aws().pass(hours(1));
        // The copy is there: it is found by its name.
        history.restore(yesterday);
        sweep_up(history, plan);
        EXPECT_EQ(history.aws().created().size(), 1U) << show(plan);
        EXPECT_FALSE(history.is_due()) << show(plan);
        // The copy is gone, and the time of what was owed is over.
        history.transition("Completed", "", copy);
        ASSERT_TRUE(history.aws().call("DeleteTrainingJob",
                                       fmt::format(R"({{"TrainingJobName":"{}"}})", copy)));
        history.aws().pass(hours(27));
        history.restore(yesterday);
        sweep_up(history, plan);
        history.deliver("Stopped", "Stopped");
        EXPECT_EQ(history.aws().created().size(), 1U) << show(plan);
        EXPECT_FALSE(history.is_due()) << show(plan);
      });
}

TEST(LostTable, P7_ATableOfYesterdayStopsNoJobThatWasDecidedSince) {
  History history(kMustStop);
  history.place("InProgress", "Training");
  history.deliver("InProgress", "Training");
  const std::string yesterday = history.table();
  history.aws().pass(hours(24));
  history.restore(yesterday);
  history.sweep_on(2);
  EXPECT_EQ(history.aws().count("StopTrainingJob"), 1);
  EXPECT_EQ(history.notices("stopped"), 1);
}

TEST(LostTable, P3_WithoutItsNameTheFunctionsObserve) {
  for (const Case& one : kCases) {
    History history(one.rule);
    one.place(history);
    history.config().table.reset();
    // As Config::from does it.
    history.config().ceiling = rules::Mode::kObserve;
    EXPECT_FALSE(history.deliver(one.event.status, one.event.secondary)->failure());
    history.sweep();
    EXPECT_FALSE(history.aws().wrote());
    EXPECT_EQ(history.aws().count("GetItem") + history.aws().count("PutItem"), 0);
  }
}

}  // namespace
}  // namespace trainwarden::testing::lost_table_test
