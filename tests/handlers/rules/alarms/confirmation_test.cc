// Verdicts over datapoints.
#include "handlers/rules/alarms/confirmation.h"

#include <fmt/core.h>

#include <map>

#include "tests/handlers/rules/alarms/confirmation_support.h"

namespace trainwarden::rules::confirmation::confirmation_test {
namespace {

using test::doc;

// Minute of the period's begin → value.
using Series = std::map<int, double>;

HostData data(const std::vector<Series>& hosts) {
  HostData out;
  for (const Series& series : hosts) {
    out.emplace_back();
    for (const auto& [minute, value] : series) out.back().push_back({at(minute), value});
  }
  return out;
}

// Everything that could witness a silence arrives all the while.
Evidence evidence(const std::vector<Series>& hosts,
                  std::optional<std::vector<Series>> history = std::nullopt) {
  Evidence out{.data = data(hosts)};
  for (int minute = -40; minute < 0; ++minute) {
    out.witnesses.algorithms.push_back({at(minute), 1});
    out.witnesses.hosts.resize(hosts.size());
    for (auto& host : out.witnesses.hosts) host.push_back({at(minute), 1});
  }
  if (history) out.history = data(std::as_const(*history));
  return out;
}

bool confirmed(const Watch& watch, const std::vector<Series>& hosts, const Job& job = {}) {
  const Judgement judgement = planned(watch, job).judge(evidence(hosts));
  EXPECT_NE(judgement.kind, Judgement::Kind::kAskHistory);
  return judgement.kind == Judgement::Kind::kConfirmed;
}

std::string told(const Watch& watch, const std::vector<Series>& hosts, const Job& job = {}) {
  return said(planned(watch, job).judge(evidence(hosts)));
}

const Series kIdle = {{-15, 0}, {-10, 0.3}, {-5, 4}};
const Series kBusy = {{-15, 399}, {-10, 380.5}, {-5, 391}};

TEST(Confirmation, W4_EveryHostMustBreach) {
  EXPECT_TRUE(confirmed(gpu_idle(), {kIdle, kIdle}));
  EXPECT_FALSE(confirmed(gpu_idle(), {kIdle, kBusy}));
  EXPECT_FALSE(confirmed(gpu_idle(), {kBusy, kIdle}));
  EXPECT_FALSE(confirmed(gpu_idle(), {kIdle, {{-15, 0}, {-10, 4.01}, {-5, 0}}}));
}

TEST(Confirmation, W4_OneHostIsEnoughForAny) {
  Watch watch = gpu_idle();
  watch.hosts = Watch::Hosts::kAny;
  EXPECT_TRUE(confirmed(watch, {kBusy, kIdle}));
  EXPECT_TRUE(confirmed(watch, {kIdle, {}}));
  EXPECT_FALSE(confirmed(watch, {kBusy, kBusy}));
  EXPECT_FALSE(confirmed(watch, {kBusy, {}}));
}

TEST(Confirmation, W4_TheTextNamesHostsAndValues) {
  EXPECT_EQ(
      told(gpu_idle(), {kIdle, kIdle}),
      "Maximum GPUUtilization of train-1 at most 4 % (1 % for each of 4 GPUs) in 3 of 3 periods of "
      "300 s: "
      "algo-1: 4, 0.3, 0 (1, 0.075, 0 per GPU); algo-2: 4, 0.3, 0 (1, 0.075, 0 per GPU)");
  EXPECT_EQ(
      told(gpu_idle(), {kIdle, kBusy}),
      "Maximum GPUUtilization of train-1 at most 4 % (1 % for each of 4 GPUs) in 3 of 3 periods of "
      "300 s: "
      "algo-2: 0 datapoints breach, 3 must (391, 380.5, 399)");
  EXPECT_EQ(
      told(gpu_idle(), {kIdle, {}}),
      "Maximum GPUUtilization of train-1 at most 4 % (1 % for each of 4 GPUs) in 3 of 3 periods of "
      "300 s: "
      "algo-2: it has no datapoints");
}

TEST(Confirmation, W4_TheTextStaysShortOnAThousandHosts) {
  const Job job{.config = R"({"InstanceType": "ml.g5.12xlarge", "InstanceCount": 1000})"};
  const std::string text = told(gpu_idle(), std::vector<Series>(1000, kIdle), job);
  EXPECT_TRUE(text.ends_with("algo-3: 4, 0.3, 0 (1, 0.075, 0 per GPU); and 997 more")) << text;
}

TEST(Confirmation, W4_AHostWithoutDatapointsConfirmsNothing) {
  for (const auto missing :
       {Watch::Missing::kNotBreaching, Watch::Missing::kMissing, Watch::Missing::kIgnore}) {
    Watch watch = gpu_idle();
    watch.missing = missing;
    EXPECT_FALSE(confirmed(watch, {kIdle, {}}));
    EXPECT_FALSE(confirmed(watch, {{}, {}}));
    EXPECT_FALSE(confirmed(watch, {kIdle}));  // no answer for the second at all
  }
}

TEST(Confirmation, W4_MOfN) {
  Watch watch = gpu_idle();
  watch.datapoints = 2;
  EXPECT_TRUE(confirmed(watch, {kIdle, {{-15, 0}, {-10, 399}, {-5, 0}}}));
  EXPECT_FALSE(confirmed(watch, {kIdle, {{-15, 0}, {-10, 399}, {-5, 399}}}));
  // The newest three count, not the best two of the six that were asked for.
  EXPECT_FALSE(
      confirmed(watch, {kIdle, {{-30, 0}, {-25, 0}, {-20, 0}, {-15, 399}, {-10, 399}, {-5, 0}}}));
}

// Each host breaches in two of three periods, but never all at once: an alarm over their MAX stands
// in OK, and a message that says otherwise is stale or forged.
TEST(Confirmation, W4_MOfNCountsPeriodsInWhichAllHostsBreach) {
  Watch watch = gpu_idle();
  watch.datapoints = 2;
  const Series early = {{-15, 0}, {-10, 0}, {-5, 399}};
  const Series late = {{-15, 399}, {-10, 0}, {-5, 0}};
  EXPECT_FALSE(confirmed(watch, {early, late}));
  EXPECT_TRUE(
      told(watch, {early, late}).ends_with("the hosts breach together in 1 periods, 2 must"));
  EXPECT_TRUE(confirmed(watch, {early, early}));
  EXPECT_TRUE(confirmed(watch, {early, kIdle}));
  watch.hosts = Watch::Hosts::kAny;  // one host alone does it
  EXPECT_TRUE(confirmed(watch, {early, late}));
  watch.hosts = Watch::Hosts::kEvery;
  // A host's gap is no sign of life, and none of idleness.
  EXPECT_TRUE(confirmed(watch, {early, {{-20, 0}, {-15, 0}, {-5, 399}}}));
  EXPECT_FALSE(confirmed(watch, {early, {{-20, 0}, {-15, 399}, {-10, 0}}}));

  Watch silent = heartbeat();
  silent.source = Watch::Source::kInstance;
  silent.metric = "CPUUtilization";
  silent.periods = 4;
  silent.datapoints = 2;
  // The window ends at -2: its periods begin at -6, -5, -4 and -3.
  EXPECT_FALSE(confirmed(silent, {{{-6, 5}, {-5, 5}}, {{-4, 5}, {-3, 5}}}));
  EXPECT_TRUE(confirmed(silent, {{{-6, 5}, {-5, 5}}, {{-6, 5}, {-5, 5}}}));
}

TEST(Confirmation, W4_EveryComparison) {
  Watch watch = gpu_idle();
  watch.per_gpu = false;
  watch.periods = watch.datapoints = 1;
  watch.threshold = 50;
  const auto breaches = [&](Watch::Comparison comparison, double value) {
    watch.comparison = comparison;
    return confirmed(watch, {{{-5, value}}, {{-5, value}}});
  };
  EXPECT_TRUE(breaches(Watch::Comparison::kAtMost, 50));
  EXPECT_FALSE(breaches(Watch::Comparison::kAtMost, 50.5));
  EXPECT_TRUE(breaches(Watch::Comparison::kBelow, 49.5));
  EXPECT_FALSE(breaches(Watch::Comparison::kBelow, 50));
  EXPECT_TRUE(breaches(Watch::Comparison::kAtLeast, 50));
  EXPECT_FALSE(breaches(Watch::Comparison::kAtLeast, 49.5));
  EXPECT_TRUE(breaches(Watch::Comparison::kAbove, 50.5));
  EXPECT_FALSE(breaches(Watch::Comparison::kAbove, 50));
}

TEST(Confirmation, W4_GapsAreSteppedOverAsAnAlarmDoes) {
  // Three datapoints among the last five periods.
  EXPECT_TRUE(confirmed(gpu_idle(), {kIdle, {{-25, 0}, {-20, 0}, {-10, 0}}}));
  // Two are not three: a gap is no datapoint.
  EXPECT_FALSE(confirmed(gpu_idle(), {kIdle, {{-10, 0}, {-5, 0}}}));
}

TEST(Confirmation, W4_DatapointsThatAreOldSayNothingAboutNow) {
  // The last one ended eight minutes ago; a period and two minutes are allowed.
  EXPECT_TRUE(confirmed(gpu_idle(), {kIdle, {{-22, 0}, {-17, 0}, {-12, 0}}}));
  EXPECT_FALSE(confirmed(gpu_idle(), {kIdle, {{-23, 0}, {-18, 0}, {-13, 0}}}));
}

TEST(Confirmation, W4_ADatapointOnItsWayIsNotAnAbsentOne) {
  // Of a watch by the minute, the last two have not arrived yet.
  Watch watch = gpu_idle();
  watch.period_seconds = 60;
  EXPECT_TRUE(confirmed(watch, {{{-5, 0}, {-4, 0}, {-3, 0}}, {{-5, 0}, {-4, 0}, {-3, 0}}}));
  // Nor does a period that is not over count.
  EXPECT_FALSE(confirmed(watch, {{{-2, 0}, {-1, 0}, {0, 0}}, {{-3, 0}, {-2, 0}, {-1, 0}}}));
}

// Segments.

const Job kResumed{.transitions = {{"Starting", -300},
                                   {"Training", -280},
                                   {"Interrupted", -60},
                                   {"Starting", -50},
                                   {"Downloading", -48},
                                   {"Training", -31}}};

TEST(Confirmation, W4_AfterASpotInterruptionTheOldSegmentDoesNotCount) {
  Watch watch = gpu_idle();
  watch.period_seconds = 600;
  EXPECT_TRUE(
      confirmed(watch, {{{-30, 0}, {-20, 0}, {-10, 0}}, {{-30, 0}, {-20, 0}, {-10, 0}}}, kResumed));
  // The third datapoint began a minute before the segment.
  EXPECT_FALSE(
      confirmed(watch, {{{-32, 0}, {-20, 0}, {-10, 0}}, {{-32, 0}, {-20, 0}, {-10, 0}}}, kResumed));
  EXPECT_FALSE(confirmed(watch,
                         {{{-90, 0}, {-80, 0}, {-70, 0}, {-20, 0}, {-10, 0}},
                          {{-90, 0}, {-80, 0}, {-70, 0}, {-20, 0}, {-10, 0}}},
                         kResumed));
}

TEST(Confirmation, W4_InAPartialSegmentSilenceCountsOnlyWithinIt) {
  // Of six periods of ten minutes the segment (since -31, window until -2) holds two.
  Watch watch = heartbeat();
  watch.period_seconds = 600;
  watch.periods = 6;
  watch.datapoints = 3;
  EXPECT_EQ(restart_refusal(watch, kResumed),
            "the current Training segment is too young: since 2026-07-02T13:25:00Z only 2 of the 3 "
            "periods of 600 s that must breach are over");
  watch.datapoints = 2;
  const std::vector<Series> history = {{{-31, 1}}};
  watch.period_seconds = 480;
  EXPECT_EQ(planned(watch, kResumed).judge(evidence({{}}, history)).kind,
            Judgement::Kind::kConfirmed);
  // One whole period of silence since the first datapoint.
  watch.period_seconds = 600;
  const std::vector<Series> late = {{{-20, 1}}};
  EXPECT_EQ(planned(watch, kResumed).judge(evidence({{}}, late)).kind, Judgement::Kind::kRefuted);
  EXPECT_EQ(planned(watch, kResumed).judge(evidence({{{-12, 1}}}, history)).kind,
            Judgement::Kind::kRefuted);
}

// Silence.

TEST(Confirmation, W4_SilenceIsNeverReadFromWhatMayBeOnItsWay) {
  // The last loss came in the minute -12 … -11: eleven minutes ago. But what came after -2 may
  // still be on its way, so that only nine silent minutes are certain.
  EXPECT_FALSE(confirmed(heartbeat(), {{{-12, 1}}}));
  // A minute earlier it is ten.
  EXPECT_TRUE(confirmed(heartbeat(), {{{-13, 1}}}));
}

TEST(Confirmation, W4_ASignOfLifeAfterTheWindowRefutes) {
  EXPECT_FALSE(confirmed(heartbeat(), {{{-1, 1}}}));
  EXPECT_FALSE(confirmed(heartbeat(), {{{-2, 3}}}));
  EXPECT_EQ(told(heartbeat(), {{{-1, 1}}}),
            "SampleCount train:loss of train-1 below 1 in 10 of 10 periods of 60 s: train:loss: it "
            "no longer breaches: 1 at 2026-07-02T13:55:00Z");
}

TEST(Confirmation, W4_AnAlgorithmWatchConfirmsNothingBeforeTheJobsFirstDatapoint) {
  const Confirmation plan = planned(heartbeat());
  const Judgement asks = plan.judge(evidence({{}}));
  ASSERT_EQ(asks.kind, Judgement::Kind::kAskHistory);
  EXPECT_EQ(asks.silent, (std::vector<std::int64_t>{1}));
  const std::vector<Series> never = {{}};
  EXPECT_EQ(plan.judge(evidence({{}}, never)).kind, Judgement::Kind::kRefuted);
  EXPECT_EQ(said(plan.judge(evidence({{}}, never))),
            "SampleCount train:loss of train-1 below 1 in 10 of 10 periods of 60 s: train:loss: "
            "the job never "
            "had a datapoint of it");
  const std::vector<Series> once = {{{-250, 1}}};
  const Judgement silent = plan.judge(evidence({{}}, once));
  EXPECT_EQ(silent.kind, Judgement::Kind::kConfirmed);
  EXPECT_EQ(said(silent),
            "SampleCount train:loss of train-1 below 1 in 10 of 10 periods of 60 s: train:loss: 10 "
            "periods without a datapoint");
}

TEST(Confirmation, W4_TheHistoryIsOneCoarseQueryOverTheSegment) {
  // Training for less than five hours: periods of five minutes are 56 datapoints.
  const auto requests = planned(heartbeat()).history_requests(std::vector<std::int64_t>{1});
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].begin, at(-280));
  EXPECT_EQ(requests[0].end, at(0));
  EXPECT_NE(json::to_text(requests[0].queries.root()).find(R"("Period":300,"Stat":"SampleCount")"),
            std::string::npos);
  // Twenty days ago, where CloudWatch has five minutes at the finest: periods of six hours.
  const Job old{.created = -20 * 24 * 60, .transitions = {{"Training", -20 * 24 * 60}}};
  EXPECT_NE(json::to_text(planned(heartbeat(), old)
                              .history_requests(std::vector<std::int64_t>{1})[0]
                              .queries.root())
                .find(R"("Period":21600,)"),
            std::string::npos);
}

TEST(Confirmation, W4_ASilentHostBreachesWhereMissingIsBreaching) {
  Watch watch = gpu_idle();
  watch.missing = Watch::Missing::kBreaching;
  // The window is -17 … -2. Both hosts had the metric before.
  const auto confirmed = [&](const Watch& with, const std::vector<Series>& hosts) {
    const std::vector<Series> before = {{{-100, 399}}, {{-100, 399}}};
    return planned(with).judge(evidence(hosts, before)).kind == Judgement::Kind::kConfirmed;
  };
  EXPECT_TRUE(confirmed(watch, {{{-17, 0}, {-12, 0}, {-7, 0}}, {}}));
  EXPECT_TRUE(confirmed(watch, {{{-17, 0}, {-7, 0}}, {}}));
  EXPECT_FALSE(confirmed(watch, {{{-17, 0}, {-12, 0}, {-7, 0}}, {{-12, 200}}}));
  const std::vector<Series> before = {{{-100, 399}}, {{-100, 399}}};
  EXPECT_EQ(
      said(planned(watch).judge(evidence({{{-17, 0}, {-7, 0}}, {}}, before))),
      "Maximum GPUUtilization of train-1 at most 4 % (1 % for each of 4 GPUs) in 3 of 3 periods "
      "of 300 s: algo-1: 0, 0 (0, 0 per GPU), and 1 periods without a datapoint; algo-2: 3 periods "
      "without a datapoint");
}

TEST(Confirmation, W4_CountsThatStillGrowAreNotBelieved) {
  Watch watch = gpu_idle();
  watch.per_gpu = false;
  watch.statistic = "SampleCount";
  watch.comparison = Watch::Comparison::kBelow;
  watch.threshold = 5;
  watch.periods = watch.datapoints = 1;
  // The period -5 … 0 has 3 of its 5 samples yet; the one that ended at -2 had all.
  EXPECT_EQ(planned(watch).requests()[0].begin, at(-2 - 20));
  EXPECT_FALSE(confirmed(watch, {{{-7, 5}, {-2, 1}}, {{-7, 5}, {-2, 1}}}));
  EXPECT_TRUE(confirmed(watch, {{{-7, 4}, {-2, 1}}, {{-7, 2}, {-2, 1}}}));
  EXPECT_FALSE(confirmed(watch, {{{-7, 4}, {-2, 5}}, {{-7, 2}, {-2, 1}}}));
}

// Machines of several types.

const Job kMixed{.config = R"({"InstanceGroups": [
  {"InstanceGroupName": "gpu", "InstanceType": "ml.g5.12xlarge", "InstanceCount": 1},
  {"InstanceGroupName": "cpu", "InstanceType": "ml.c5.4xlarge", "InstanceCount": 1}]})"};

TEST(Confirmation, W1_HostsThatNeverHadTheMetricAreIgnored) {
  const Confirmation plan = planned(gpu_idle(), kMixed);
  const Judgement asks = plan.judge(evidence({kIdle, {}}));
  ASSERT_EQ(asks.kind, Judgement::Kind::kAskHistory);
  EXPECT_EQ(asks.silent, (std::vector<std::int64_t>{2}));
  const std::vector<Series> never = {{}, {}};
  EXPECT_EQ(plan.judge(evidence({kIdle, {}}, never)).kind, Judgement::Kind::kConfirmed);
  const std::vector<Series> fell_silent = {{}, {{-200, 5}}};
  EXPECT_EQ(plan.judge(evidence({kIdle, {}}, fell_silent)).kind, Judgement::Kind::kRefuted);
  EXPECT_EQ(plan.judge(evidence({{}, {}}, never)).kind, Judgement::Kind::kRefuted);
}

TEST(Confirmation, W4_HistoryIsNotAskedForWhereItCannotMatter) {
  const Confirmation plan = planned(gpu_idle(), kMixed);
  EXPECT_EQ(plan.judge(evidence({kBusy, {}})).kind, Judgement::Kind::kRefuted);
  Watch any = gpu_idle();
  any.hosts = Watch::Hosts::kAny;
  EXPECT_EQ(planned(any, kMixed).judge(evidence({kIdle, {}})).kind, Judgement::Kind::kConfirmed);
  EXPECT_EQ(planned(any, kMixed).judge(evidence({kBusy, {}})).kind, Judgement::Kind::kRefuted);
}

}  // namespace
}  // namespace trainwarden::rules::confirmation::confirmation_test
