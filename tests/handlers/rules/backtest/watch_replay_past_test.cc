// Watches that compare with the job's own past, replayed (policy.md W6).
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "handlers/rules/alarms/measured_text.h"
#include "handlers/rules/backtest/watch_replay.h"
#include "handlers/rules/job/job_at.h"
#include "tests/handlers/rules/backtest/replay_support.h"

namespace trainwarden::rules::watch_replay_past_test {
namespace {

using replay_test_support::kHour;
using replay_test_support::kMonday;
using replay_test_support::MadeUp;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Policy& comparing() {
  static const Policy policy = test::policy(
      R"({"version": 1, "mode": "enforce", "watches": {"slower": {"metric": "speed",
          "source": "algorithm", "statistic": "Average", "period_seconds": 300, "periods": 6,
          "drop_to": 0.6}},
          "rules": [{"name": "watch", "match": {"job": {"SecondaryStatus": ["Training"]}},
                     "actions": [{"watch": ["slower"]}]}]})");
  return policy;
}

// A job of twelve hours. value(hour): what it prints then; nullopt: nothing.
template <class Value>
KeptJob printing(Value value, bool cut = false) {
  const MadeUp job{.ends = 12 * kHour, .more = R"(, "AlgorithmSpecification": {"MetricDefinitions":
                              [{"Name": "speed", "Regex": "x"}]})"};
  KeptJob out = replay_test_support::kept(job);
  KeptSeries series;
  series.what = {"speed", "Average", 300, "job", "TrainingJobName", job.name};
  series.span = {kMonday + minutes(10), kMonday + seconds(job.ends), cut};
  for (int minute = 0; minute < 12 * 60 - 10; minute += 5)
    series.values.push_back(value(minute / 60.0));
  out.series.push_back(std::move(series));
  return out;
}

std::optional<double> number(double value) { return value; }

struct Heard {
  sys_seconds at;
  bool confirmed;
  std::string text;
  std::optional<bool> lasted;
};

std::optional<Heard> heard(const KeptJob& job) {
  const WatchReplay replay(comparing(), *job.sources.job(), job.series);
  const auto calls = replay.calls();
  if (calls.empty()) return std::nullopt;
  const sys_seconds at = calls.front().at;
  const json::Document then = job_at(*job.sources.job(), at);
  const auto judged = replay.judge(0, read_training_job(then.root()), at);
  return Heard{at, judged && judged->kind == Judgement::Kind::kConfirmed,
               judged && judged->measured ? text(*judged->measured) : "", replay.lasted(0, at)};
}

TEST(WatchReplayPast, W6_ADropAfterNineHoursIsHeardAndConfirmed) {
  const auto found = heard(printing([](double hour) { return number(hour < 9 ? 100 : 50); }));
  ASSERT_TRUE(found);
  // Six periods later, and two minutes for them to arrive.
  EXPECT_EQ(found->at, kMonday + minutes(10) + hours(9) + minutes(32));
  EXPECT_TRUE(found->confirmed);
  EXPECT_NE(found->text.find("below 60 (0.6 of 100, the median"), std::string::npos) << found->text;
  EXPECT_EQ(found->lasted, true);
}

TEST(WatchReplayPast, W6_ADropThatEndsCameBack) {
  const auto found =
      heard(printing([](double hour) { return number(hour >= 8 && hour < 9 ? 50 : 100); }));
  ASSERT_TRUE(found && found->confirmed);
  EXPECT_EQ(found->lasted, false);
}

TEST(WatchReplayPast, W6_AJobThatAlwaysWasAsSlowCallsNobody) {
  EXPECT_FALSE(heard(printing([](double) { return number(50); })));
}

// The alarm is put when the past is known: it calls then, of a drop that began before.
TEST(WatchReplayPast, W6_NothingCallsBeforeSixHours) {
  const auto found = heard(printing([](double hour) { return number(hour < 4 ? 100 : 50); }));
  ASSERT_TRUE(found);
  EXPECT_GE(found->at, kMonday + minutes(10) + hours(6) + minutes(10));
  EXPECT_LT(found->at, kMonday + minutes(10) + hours(6) + minutes(20));
  EXPECT_TRUE(found->confirmed);
}

TEST(WatchReplayPast, W6_WithoutAPastNothingCalls) {
  EXPECT_FALSE(heard(printing([](double hour) { return number(hour < 6 ? 0 : -100); })));
  EXPECT_FALSE(heard(printing([](double hour) {
    return hour < 2 ? number(100) : hour < 7 ? std::nullopt : number(1);
  }))) << "too few datapoints in the first six hours";
}

TEST(WatchReplayPast, W6_WhereTheFirstHoursAreNotKeptNothingIsDecided) {
  const KeptJob job = printing([](double hour) { return number(hour < 9 ? 100 : 50); }, true);
  const WatchReplay replay(comparing(), *job.sources.job(), job.series);
  EXPECT_EQ(replay.unkept(0), Unkept::kTooOld);
  EXPECT_TRUE(replay.calls().empty());
  KeptJob without = printing([](double) { return number(100); });
  without.series.clear();
  const WatchReplay missing(comparing(), *without.sources.job(), without.series);
  EXPECT_EQ(missing.unkept(0), Unkept::kMissing);
  EXPECT_TRUE(missing.calls().empty());
}

}  // namespace
}  // namespace trainwarden::rules::watch_replay_past_test
