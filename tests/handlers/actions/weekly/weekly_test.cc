// The weekly report (policy.md S2) on the in-process AWS: told once, whatever happens to it.
#include "handlers/actions/weekly/weekly.h"

#include "handlers/actions/sweep/sweep.h"
#include "handlers/rules/state/notice_claims.h"
#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::weekly_test {
namespace {

constexpr const char* kPrices = R"("prices":{"ml.g5.12xlarge":7},)";

class WeeklyTest : public ActionTest {
 protected:
  WeeklyRecord run(const rules::Policy& with) {
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_, request_, testing::kAccount);
    WeeklyRecord record = report_week({with, ceiling_}, apis, time_, pace_);
    testing::transcribe("record", json::to_text(record.to_json().root()));
    return record;
  }
  WeeklyRecord run() { return run(policy_); }

  void sweep_now() {
    const aws::CallContext context{clock_.in(seconds(300)), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_, "sweep");
    sweep({policy_, ceiling_}, apis, {[] { return 0.0; }, [](const Record&) {}});
  }

  void place(const std::string& job, const std::string& status, const std::string& team,
             seconds since = hours(24)) {
    const bool runs = status == "InProgress";
    aws_.place({.name = job,
                .status = status,
                .secondary = runs ? "Training" : status,
                .age = since + hours(2),
                .since = since,
                .tags = team.empty() ? Tags{} : Tags{{"team", team}}});
  }

  // No answer comes in that time.
  void hang(const std::string& operation, seconds time) {
    aws_.faults.add({.operation = operation,
                     .times = 1,
                     .code = {},
                     .message = {},
                     .delay = time,
                     .cut = true,
                     .kill = {}});
  }

  std::size_t notified_times() const { return aws_.notices().size(); }

  // Of a minute, after which the lists are given up.
  static constexpr seconds kRunningTime{30};
  static constexpr seconds kEndedTime{53};

  rules::Policy policy_ = policy(kNoP5, "enforce", kPrices);
  sys_seconds time_ = std::chrono::floor<seconds>(kBegin);
  aws::Pace* pace_ = nullptr;
};

TEST_F(WeeklyTest, S2_IsSentOnceToTheNotifyTopic) {
  place("done", "Completed", "nlp");
  place("lost", "Failed", "vision");
  place("old", "Completed", "nlp", hours(24 * 8));
  place("runs", "InProgress", "");
  const WeeklyRecord record = run();
  EXPECT_FALSE(record.error);
  EXPECT_EQ(record.notice, NoticeResult::kSent);
  EXPECT_EQ(record.week.all.ended.jobs, 2U);
  EXPECT_EQ(record.week.all.running.jobs, 1U);
  EXPECT_GT(record.week.all.wasted().usd(), 0);
  ASSERT_EQ(notified_times(), 1U);
  EXPECT_EQ(attribute("outcome"), "report");
  EXPECT_TRUE(told("2 jobs ended: 1 completed, 1 failed, 0 stopped."));
  EXPECT_TRUE(told("\"vision\": 1 job ended: "));
  EXPECT_TRUE(told("of the account 111122223333 in eu-central-1"));
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 0);
  // It does nothing but ask, remember and tell.
  for (const std::string& call : aws_.calls)
    EXPECT_TRUE(call == "Search" || call == "GetItem" || call == "PutItem" || call == "Publish")
        << call;
}

TEST_F(WeeklyTest, S2_AnEventThatComesTwiceSendsOne) {
  place("done", "Completed", "nlp");
  EXPECT_EQ(run().notice, NoticeResult::kSent);
  const auto searches = aws_.count("Search");
  request_ = "request-2";
  clock_.advance(minutes(10));
  const WeeklyRecord again = run();
  EXPECT_EQ(again.notice, NoticeResult::kSentBefore);
  EXPECT_FALSE(again.listed);
  EXPECT_EQ(aws_.count("Search"), searches);
  EXPECT_EQ(notified_times(), 1U);
  // The next week's is another one.
  clock_.advance(hours(24 * 7));
  time_ += hours(24 * 7);
  EXPECT_EQ(run().notice, NoticeResult::kSent);
  EXPECT_EQ(notified_times(), 2U);
}

// Search hears of an end seconds later, so that of the last minutes nothing is certain.
TEST_F(WeeklyTest, S2_TheWeekEndsTenMinutesBeforeItsEventAndTheNextBeginsThere) {
  place("before", "Completed", "nlp", minutes(10) + seconds(1));
  place("just", "Failed", "nlp", seconds(1));
  place("runs", "InProgress", "nlp");
  const rules::WeekReport week = run().week;
  EXPECT_EQ(week.until, time_ - minutes(10));
  EXPECT_EQ(week.from, week.until - hours(24 * 7));
  EXPECT_EQ(week.all.ended.jobs, 1U);
  EXPECT_EQ(week.all.running.jobs, 2U) << "one of them ran when the week ended";
  clock_.advance(hours(24 * 7));
  time_ += hours(24 * 7);
  const rules::WeekReport next = run().week;
  EXPECT_EQ(next.from, week.until);
  EXPECT_EQ(next.all.of(rules::Spending::kFailed).jobs, 1U);
  EXPECT_EQ(next.all.ended.jobs, 1U);
  EXPECT_EQ(next.all.running.jobs, 1U);
}

// An event that comes late is of the same week.
TEST_F(WeeklyTest, S2_ALateEventReportsOnTheSameWeek) {
  place("just", "Failed", "nlp", seconds(1));
  clock_.advance(hours(5));
  const rules::WeekReport week = run().week;
  EXPECT_EQ(week.until, time_ - minutes(10));
  EXPECT_EQ(week.all.ended.jobs, 0U);
  EXPECT_EQ(week.all.running.jobs, 1U);
}

// Else whoever may invoke the function could claim the days to come, whose reports were not sent.
TEST_F(WeeklyTest, S2_AnEventOfAnotherTimeClaimsNoDay) {
  place("done", "Completed", "nlp");
  const sys_seconds now = time_;
  for (const seconds away : {seconds(hours(24 * 30)), seconds(minutes(10)) + seconds(1),
                             -seconds(hours(26)) - seconds(1), -seconds(hours(24 * 30))}) {
    time_ = now + away;
    const WeeklyRecord record = run();
    ASSERT_TRUE(record.error) << away.count();
    EXPECT_EQ(record.error->code, ErrorCode::kInvalidInput);
    EXPECT_TRUE(
        record.error->message.starts_with("`time`: expected at most 26 hours before and 10 "
                                          "minutes after "))
        << record.error->message;
    EXPECT_EQ(record.notice, NoticeResult::kFailed);
  }
  EXPECT_TRUE(aws_.calls.empty());
  for (const seconds away : {seconds(minutes(10)), -seconds(hours(26))}) {
    time_ = now + away;
    EXPECT_EQ(run().notice, NoticeResult::kSent) << away.count();
  }
}

TEST_F(WeeklyTest, S2_AWeekWithoutAJobIsToldAllTheSame) {
  EXPECT_EQ(run().notice, NoticeResult::kSent);
  EXPECT_TRUE(told("No training job ended in this week, and none runs."));
}

TEST_F(WeeklyTest, S2_WithoutATopicItIsOnlyInTheRecord) {
  config_.notify_topic.clear();
  place("done", "Completed", "nlp");
  const WeeklyRecord record = run();
  EXPECT_EQ(record.notice, NoticeResult::kNoTopic);
  EXPECT_FALSE(record.error);
  EXPECT_TRUE(aws_.messages().empty());
  EXPECT_EQ(aws_.count("GetItem") + aws_.count("PutItem"), 0);
  const std::string text = json::to_text(record.to_json().root());
  EXPECT_NE(text.find(R"("notice":"no topic")"), std::string::npos);
  EXPECT_NE(text.find(R"("teams":[{"team":"nlp","ended":1)"), std::string::npos) << text;
}

TEST_F(WeeklyTest, S2_ObserveTellsNobodyAndTheRecordSaysSo) {
  ceiling_ = rules::Mode::kObserve;
  place("done", "Completed", "nlp");
  const WeeklyRecord record = run();
  EXPECT_EQ(record.notice, NoticeResult::kObserve);
  EXPECT_FALSE(record.error);
  EXPECT_FALSE(aws_.wrote());
  EXPECT_EQ(record.week.all.ended.jobs, 1U);
  const std::string text = json::to_text(record.to_json().root());
  EXPECT_NE(text.find(R"("notice":"observe")"), std::string::npos) << text;
  ceiling_ = rules::Mode::kNotify;
  EXPECT_EQ(run().notice, NoticeResult::kSent);
}

TEST_F(WeeklyTest, S2_TheRecordCountsItsCalls) {
  for (int i = 0; i < 250; ++i) place(fmt::format("job-{}", i), "Completed", "nlp");
  const WeeklyRecord record = run();
  EXPECT_EQ(record.listed_jobs, 250U);
  EXPECT_EQ(record.week.all.ended.jobs, 250U);
  const std::string text = json::to_text(record.to_json().root());
  EXPECT_NE(text.find(R"({"service":"sagemaker","operation":"Search","calls":4,"attempts":4,)"),
            std::string::npos)
      << text;
}

TEST_F(WeeklyTest, S2_IsPacedAsASweepIs) {
  for (int i = 0; i < 1500; ++i) place(fmt::format("job-{}", i), "Completed", "nlp");
  aws::Pace pace;
  pace_ = &pace;
  const auto begin = clock_.now();
  EXPECT_EQ(run().week.all.ended.jobs, 1500U);
  EXPECT_GE(clock_.now() - begin, seconds(2));  // 16 calls, five a second
}

TEST_F(WeeklyTest, S2_AListThatTimeCutIsToldAsIncomplete) {
  for (int i = 0; i < 250; ++i)
    place(fmt::format("job-{:03}", i), "Completed", "nlp", minutes(300 - i));
  aws_.spare("Search");
  aws_.slow("Search", seconds(50));  // the first page of those that ended
  const WeeklyRecord record = run();
  EXPECT_FALSE(record.error);
  EXPECT_EQ(record.notice, NoticeResult::kSent);
  EXPECT_EQ(record.week.all.ended.jobs, 100U);
  ASSERT_TRUE(record.week.ended_cut);
  EXPECT_TRUE(record.week.ended_cut->reached);
  EXPECT_FALSE(record.week.running_cut);
  EXPECT_TRUE(told("INCOMPLETE: time ran out before all jobs that ended were listed."));
  EXPECT_TRUE(subject().ends_with(" (incomplete)")) << subject();
}

TEST_F(WeeklyTest, S2_WhereTimeRunsOutBeforeAnyEndIsListedTheEventComesAgain) {
  place("done", "Completed", "nlp");
  place("runs", "InProgress", "nlp");
  for (const int spared : {0, 1}) {  // both lists hang, or that of jobs that ended
    if (spared > 0)
      aws_.spare("Search");
    else
      hang("Search", kRunningTime);
    hang("Search", spared > 0 ? kEndedTime : kEndedTime - kRunningTime);
    const WeeklyRecord record = run();
    ASSERT_TRUE(record.error) << spared;
    EXPECT_EQ(record.error->code, ErrorCode::kTimeout);
    EXPECT_TRUE(record.error->message.starts_with("no job that ended could be listed in time: "))
        << record.error->message;
    EXPECT_EQ(record.notice, NoticeResult::kFailed);
    EXPECT_FALSE(record.listed);
    EXPECT_EQ(record.listed_jobs, spared == 0 ? 0U : 1U);
    EXPECT_EQ(notified_times(), 0U);
    EXPECT_FALSE(aws_.wrote()) << "the day is not claimed";
  }
  EXPECT_EQ(run().notice, NoticeResult::kSent);
  EXPECT_TRUE(told("1 job ended: 1 completed, 0 failed, 0 stopped."));
}

// The week's own figures are all there.
TEST_F(WeeklyTest, S2_WithoutTheJobsThatRunItIsToldAsIncomplete) {
  place("done", "Completed", "nlp");
  place("runs", "InProgress", "nlp");
  hang("Search", kRunningTime);
  const WeeklyRecord record = run();
  EXPECT_FALSE(record.error);
  EXPECT_EQ(record.notice, NoticeResult::kSent);
  EXPECT_EQ(record.week.all.ended.jobs, 1U);
  EXPECT_TRUE(
      told("INCOMPLETE: time ran out before all jobs that run were listed. None of them is "
           "in these figures."));
}

TEST_F(WeeklyTest, S2_AListThatCannotBeHadIsAnErrorAndTellsNobody) {
  place("done", "Completed", "nlp");
  for (const int good : {0, 1}) {
    if (good > 0) aws_.spare("Search", good);
    aws_.refuse("Search", kDenied);
    const WeeklyRecord record = run();
    ASSERT_TRUE(record.error);
    EXPECT_EQ(record.error->code, ErrorCode::kAccessDenied);
    EXPECT_EQ(record.notice, NoticeResult::kFailed);
    EXPECT_EQ(notified_times(), 0U);
  }
  EXPECT_EQ(run().notice, NoticeResult::kSent);  // the event came again
}

TEST_F(WeeklyTest, S2_ATableThatCannotBeReadOrWrittenIsAnError) {
  for (const char* operation : {"GetItem", "PutItem"}) {
    aws_.refuse(operation, testing::kFault);
    const WeeklyRecord record = run();
    ASSERT_TRUE(record.error) << operation;
    EXPECT_EQ(record.error->code, ErrorCode::kStateUnavailable);
    EXPECT_EQ(notified_times(), 0U);
  }
  config_.table.reset();
  ASSERT_TRUE(run().error);
  EXPECT_EQ(notified_times(), 0U);
}

// The metrics of R2 are made of these.
TEST_F(WeeklyTest, R2_ATableThatFailsAndThrottledCallsAreCounted) {
  place("done", "Completed", "nlp");
  const struct {
    const char* operation;
    int spared;
    localaws::AwsError refusal;
    bool state_unavailable;
    std::size_t throttled;
  } cases[] = {{"GetItem", 0, testing::kFault, true, 0},
               {"PutItem", 0, testing::kFault, true, 0},
               {"PutItem", 1, testing::kFault, true, 0},
               {"Search", 0, testing::kThrottled, false, 1},
               {"Search", 1, testing::kThrottled, false, 1},
               {"Search", 0, kDenied, false, 0},
               {"Publish", 0, kDenied, false, 0}};
  for (const auto& [operation, spared, refusal, state_unavailable, throttled] : cases) {
    time_ += hours(24);
    clock_.advance(hours(24));
    if (spared > 0) aws_.spare(operation, spared);
    aws_.refuse(operation, refusal);
    const WeeklyRecord record = run();
    EXPECT_EQ(record.state_unavailable, state_unavailable) << operation << spared;
    EXPECT_EQ(record.throttled, throttled) << operation << spared;
    clock_.advance(minutes(3));
    const WeeklyRecord again = run();
    EXPECT_FALSE(again.state_unavailable) << operation << spared;
    EXPECT_EQ(again.throttled, 0U) << operation << spared;
  }
}

TEST_F(WeeklyTest, S2_WhatSnsRefusedIsSentByTheNextTryOrASweep) {
  aws_.refuse("Publish", kDenied);
  ASSERT_TRUE(run().error);
  request_ = "another";
  const WeeklyRecord other = run();  // the claim is fresh, and the first may have died
  ASSERT_TRUE(other.error);
  EXPECT_EQ(other.error->code, ErrorCode::kUnavailable);
  EXPECT_EQ(notified_times(), 0U);
  clock_.advance(minutes(3));
  sweep_now();
  EXPECT_EQ(notified_times(), 1U);
  EXPECT_EQ(attribute("outcome"), "report");
  EXPECT_EQ(run().notice, NoticeResult::kSentBefore);
  sweep_now();
  EXPECT_EQ(notified_times(), 1U);
}

// Killed before or after each call in turn: a next try tells, and at most one report goes out
// twice.
TEST_F(WeeklyTest, S2_KilledBetweenAnyTwoCallsItIsToldAtLeastOnce) {
  place("done", "Completed", "nlp");
  constexpr int kCalls = 6;  // GetItem, two of Search, PutItem, Publish, PutItem
  std::size_t twice = 0;
  for (int call = 0; call < kCalls; ++call)
    for (const bool after : {false, true}) {
      const std::size_t before = notified_times();
      time_ += hours(24);
      clock_.advance(hours(24));
      request_ = fmt::format("request-{}-{}", call, after);
      aws_.death = {static_cast<int>(aws_.calls.size()) + call, after};
      EXPECT_THROW(run(), testing::Killed) << call;
      aws_.death = {};
      clock_.advance(minutes(1));
      const WeeklyRecord record = run();
      EXPECT_FALSE(record.error) << call;
      const std::size_t told = notified_times() - before;
      EXPECT_GE(told, 1U) << call << after;
      EXPECT_LE(told, 2U) << call << after;
      if (told == 2) ++twice;
    }
  EXPECT_EQ(twice, 2U);  // after Publish, and before what notes that it was sent
}

TEST_F(WeeklyTest, S2_AMomentToComeIsNotReportedOn) {
  place("done", "Completed", "nlp");
  time_ += minutes(10);
  const WeeklyRecord record = run();
  EXPECT_EQ(record.week.until, std::chrono::floor<seconds>(clock_.now()));
  EXPECT_EQ(record.week.all.ended.jobs, 1U);
}

TEST_F(WeeklyTest, S2_IsInThePolicysFormat) {
  place("done", "Completed", "nlp");
  EXPECT_EQ(run(policy(kNoP5, "enforce", R"("notify":{"format":"json"},)")).notice,
            NoticeResult::kSent);
  const auto message = json::Document::parse(aws_.notices().back().body);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->root().find("outcome")->as_string(), "report");
  EXPECT_EQ(message->root().find("all")->find("without_price")->as_number(), 1);
}

}  // namespace
}  // namespace trainwarden::actions::weekly_test
