// When watches would have called, and what confirmation would have said (issue 17, 3; policy.md
// W4).
#include "handlers/rules/backtest/watch_replay.h"

#include <gtest/gtest.h>

#include "handlers/rules/job/job_at.h"
#include "tests/handlers/rules/backtest/replay_support.h"

namespace trainwarden::rules::watch_replay_test {
namespace {

using replay_test_support::add_metric;
using replay_test_support::kHour;
using replay_test_support::kMonday;
using replay_test_support::MadeUp;
using std::chrono::minutes;
using std::chrono::seconds;

Policy watching(std::string_view watch) {
  return test::policy(fmt::format(
      R"({{"version": 1, "mode": "enforce", "watches": {{"w": {}}},
           "rules": [{{"name": "watch", "match": {{"job": {{"SecondaryStatus": ["Training"]}}}}, "actions": [{{"watch": ["w"]}}]}}]}})",
      watch));
}

constexpr const char* kIdle =
    R"({"metric": "GPUUtilization", "statistic": "Average", "period_seconds": 60, "periods": 10,
        "at_most": 5, "missing": "notBreaching", "warmup_seconds": 1800})";
constexpr const char* kSilent =
    R"({"metric": "GPUUtilization", "statistic": "Average", "period_seconds": 60, "periods": 10,
        "at_most": 5, "missing": "breaching", "warmup_seconds": 600})";

// What came of the first call: nullopt where there was none.
struct Heard {
  sys_seconds at;
  bool confirmed = false;
  std::optional<bool> lasted = {};
};

class Replayed {
 public:
  Replayed(std::string_view watch, KeptJob job) : policy_(watching(watch)), job_(std::move(job)) {}

  WatchReplay replay() const { return {policy_, *job_.sources.job(), job_.series}; }
  bool confirms(sys_seconds at) const {
    const json::Document then = job_at(*job_.sources.job(), at);
    const auto judged = replay().judge(0, read_training_job(then.root()), at);
    return judged && judged->kind == Judgement::Kind::kConfirmed;
  }
  std::optional<Heard> first() const {
    const auto calls = replay().calls();
    if (calls.empty()) return std::nullopt;
    const sys_seconds at = calls.front().at;
    return Heard{at, confirms(at), replay().lasted(0, at)};
  }

 private:
  Policy policy_;
  KeptJob job_;
};

Replayed idle(const MadeUp& job, auto value, std::string_view watch = kIdle) {
  KeptJob kept = replay_test_support::kept(job);
  add_metric(kept, job, "GPUUtilization", "Average", value);
  for (const char* const witness : {"CPUUtilization", "MemoryUtilization"})
    add_metric(kept, job, witness, "SampleCount", [](int, int) { return std::optional(1.0); });
  return {watch, std::move(kept)};
}

std::optional<double> number(double value) { return value; }

// Minute 0 is ten minutes after kMonday.
sys_seconds minute(int number) { return kMonday + seconds(600) + minutes(number); }

TEST(WatchReplay, AHangAnHourIntoTrainingIsConfirmedAndLasts) {
  const auto heard = idle({}, [](int, int at) { return number(at < 60 ? 80 : 0); }).first();
  ASSERT_TRUE(heard);
  // Ten periods breach at minute 70, and the last one arrives two minutes later.
  EXPECT_EQ(heard->at, minute(72));
  EXPECT_TRUE(heard->confirmed);
  EXPECT_EQ(heard->lasted, true);
}

TEST(WatchReplay, ABusyJobCallsNobody) {
  EXPECT_FALSE(idle({}, [](int, int at) { return number(at % 9 == 0 ? 0 : 90); }).first());
}

TEST(WatchReplay, ABreachThatEndsCameBack) {
  const auto heard =
      idle({}, [](int, int at) { return number(at >= 60 && at < 90 ? 0 : 80); }).first();
  ASSERT_TRUE(heard && heard->confirmed);
  EXPECT_EQ(heard->lasted, false);
}

TEST(WatchReplay, AMomentOfWorkIsNoComingBack) {
  // Nine good minutes are fewer than the watch is long.
  const auto heard = idle({}, [](int, int at) {
                       return number(at < 60 || (at >= 100 && at < 109) ? 80 : 0);
                     }).first();
  ASSERT_TRUE(heard && heard->confirmed);
  EXPECT_EQ(heard->lasted, true);
}

TEST(WatchReplay, WhatFlickersToTheEndIsNotTold) {
  const auto heard = idle({}, [](int, int at) {
                       return number(at < 60 ? 80 : at < 75 ? 0 : at % 2 == 0 ? 80 : 0);
                     }).first();
  ASSERT_TRUE(heard && heard->confirmed);
  EXPECT_EQ(heard->lasted, std::nullopt);
}

TEST(WatchReplay, LoadingDataForTwentyMinutesIsNotConfirmed) {
  const auto heard = idle({}, [](int, int at) { return number(at < 20 ? 0 : 90); }).first();
  ASSERT_TRUE(heard);  // CloudWatch knows nothing of a warm-up
  EXPECT_FALSE(heard->confirmed);
}

TEST(WatchReplay, AnOutageOfAllMetricsConfirmsNothing) {
  KeptJob kept = replay_test_support::kept({});
  const auto gone = [](int, int at) { return at < 60 ? number(80) : std::nullopt; };
  add_metric(kept, {}, "GPUUtilization", "Average", gone);
  for (const char* const witness : {"CPUUtilization", "MemoryUtilization"})
    add_metric(kept, {}, witness, "SampleCount", gone);
  const auto heard = Replayed(kSilent, std::move(kept)).first();
  ASSERT_TRUE(heard);
  EXPECT_FALSE(heard->confirmed);
}

TEST(WatchReplay, ASilenceBesideAWitnessIsConfirmed) {
  const auto heard =
      idle({}, [](int, int at) { return at < 60 ? number(80) : std::nullopt; }, kSilent).first();
  ASSERT_TRUE(heard);
  EXPECT_TRUE(heard->confirmed);
  EXPECT_EQ(heard->lasted, true);
}

TEST(WatchReplay, AGapOfDataUnderWayIsNoSilence) {
  // Each datapoint is judged only once it must have arrived.
  const auto job = idle({}, [](int, int) { return number(80); }, kSilent);
  EXPECT_FALSE(job.first());
  for (int at = 40; at < 120; at += 7) EXPECT_FALSE(job.confirms(minute(at)));
}

TEST(WatchReplay, EveryHostAndAnyHost) {
  MadeUp two;
  two.machines = 2;
  const auto one_hangs = [](int host, int at) { return number(host == 2 && at >= 60 ? 0 : 80); };
  EXPECT_FALSE(idle(two, one_hangs).first());
  const auto any =
      idle(two, one_hangs,
           R"({"metric": "GPUUtilization", "statistic": "Average", "period_seconds": 60,
                            "periods": 10, "at_most": 5, "missing": "notBreaching", "hosts": "any"})")
          .first();
  ASSERT_TRUE(any);
  EXPECT_TRUE(any->confirmed);
  EXPECT_EQ(any->lasted, true);
}

TEST(WatchReplay, MoreHostsThanAnAlarmTakes) {
  MadeUp many;
  many.machines = 12;
  many.ends = 2 * kHour;
  // The first ten hang: their alarm calls, and the confirmation asks the others, too.
  const auto ten =
      idle(many, [](int host, int at) { return number(host <= 10 && at >= 60 ? 0 : 80); }).first();
  ASSERT_TRUE(ten);
  EXPECT_FALSE(ten->confirmed);
  const auto all = idle(many, [](int, int at) { return number(at >= 60 ? 0 : 80); }).first();
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->confirmed);
}

TEST(WatchReplay, NothingIsConfirmedBetweenTwoSegments) {
  MadeUp spot;
  spot.segments = {{600, 2 * kHour}, {3 * kHour, 4 * kHour}};
  const auto job = idle(
      spot, [](int, int at) { return at < 110 || at >= 175 ? number(80) : std::nullopt; }, kSilent);
  // The machines are gone from minute 110 to 170.
  for (int at = 112; at < 172; at += 5) EXPECT_FALSE(job.confirms(minute(at))) << at;
}

TEST(WatchReplay, WhatCloudWatchDoesNotKeepIsUnknown) {
  KeptJob cut = replay_test_support::kept({});
  add_metric(cut, {}, "GPUUtilization", "Average", [](int, int) { return number(0); });
  for (KeptSeries& series : cut.series) series.span.cut = true;
  const Policy policy = watching(kIdle);
  const WatchReplay replay(policy, *cut.sources.job(), cut.series);
  EXPECT_EQ(replay.unkept(0), Unkept::kTooOld);
  EXPECT_TRUE(replay.calls().empty());
  EXPECT_EQ(replay.lasted(0, minute(90)), std::nullopt);
}

TEST(WatchReplay, WhatTheExportLacksIsUnknown) {
  const KeptJob none = replay_test_support::kept({});
  const Policy policy = watching(kIdle);
  const WatchReplay replay(policy, *none.sources.job(), none.series);
  EXPECT_EQ(replay.unkept(0), Unkept::kMissing);
  EXPECT_FALSE(replay.judge(0, *none.sources.job(), minute(90)));
}

TEST(WatchReplay, AWatchThatDoesNotFitTheMachinesLacksNothing) {
  MadeUp cpu;
  cpu.type = "ml.m5.xlarge";
  const KeptJob job = replay_test_support::kept(cpu);
  const Policy policy = watching(kIdle);
  const WatchReplay replay(policy, *job.sources.job(), job.series);
  EXPECT_EQ(replay.unkept(0), std::nullopt);
  EXPECT_TRUE(replay.calls().empty());
}

constexpr const char* kMean =
    R"({"metric": "GPUUtilization", "statistic": "Average", "period_seconds": 60, "periods": 10,
  "at_most": 50, "missing": "notBreaching", "hosts": "mean"})";
TEST(WatchReplay, AMeanWithoutAHostIsNotTold) {
  MadeUp two;
  two.machines = 2;
  const auto heard = idle(
                         two,
                         [](int host, int at) {
                           return at < 60     ? number(80)
                                  : at < 80   ? number(0)
                                  : host == 1 ? number(90)
                                              : std::nullopt;
                         },
                         kMean)
                         .first();
  ASSERT_TRUE(heard && heard->confirmed);
  EXPECT_EQ(heard->lasted, std::nullopt);
}
TEST(WatchReplay, AMeanThatStaysLowLasts) {
  MadeUp two;
  two.machines = 2;
  const auto heard =
      idle(
          two, [](int host, int at) { return number(at < 60     ? 80
                                                    : host == 1 ? 90
                                                                : 0); }, kMean)
          .first();
  ASSERT_TRUE(heard && heard->confirmed);
  EXPECT_EQ(heard->lasted, true);
}
TEST(WatchReplay, AMeanThatRisesCameBack) {
  MadeUp two;
  two.machines = 2;
  const auto heard = idle(
                         two,
                         [](int host, int at) {
                           return number(at < 60 || at >= 90 ? 80 : host == 1 ? 90 : 0);
                         },
                         kMean)
                         .first();
  ASSERT_TRUE(heard && heard->confirmed);
  EXPECT_EQ(heard->lasted, false);
}
TEST(WatchReplay, AnOutageAfterTheCallIsNotTold) {
  KeptJob kept = replay_test_support::kept({});
  add_metric(kept, {}, "GPUUtilization", "Average",
             [](int, int at) { return at < 60 ? number(80) : std::nullopt; });
  for (const char* const witness : {"CPUUtilization", "MemoryUtilization"})
    add_metric(kept, {}, witness, "SampleCount",
               [](int, int at) { return at < 90 ? number(1) : std::nullopt; });
  const auto heard = Replayed(kSilent, std::move(kept)).first();
  ASSERT_TRUE(heard && heard->confirmed);
  EXPECT_EQ(heard->lasted, std::nullopt);
}

}  // namespace
}  // namespace trainwarden::rules::watch_replay_test
