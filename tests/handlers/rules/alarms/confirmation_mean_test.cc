// Verdicts over the mean of all hosts.
#include <map>

#include "tests/handlers/rules/alarms/confirmation_support.h"

namespace trainwarden::rules::confirmation::confirmation_mean_test {
namespace {

using Kind = Judgement::Kind;
// Minute of the period's begin → value.
using MinuteValues = std::map<int, double>;

// Below 40 % of four GPUs, as the mean of all hosts.
Watch fleet_use() {
  Watch watch = gpu_idle();
  watch.name = "fleet-use";
  watch.statistic = "Average";
  watch.comparison = Watch::Comparison::kBelow;
  watch.threshold = 40;  // of 400: 160 a host
  watch.hosts = Watch::Hosts::kMean;
  return watch;
}

Watch fleet_full() {
  Watch watch = fleet_use();
  watch.metric = "GPUMemoryUtilization";
  watch.comparison = Watch::Comparison::kAtLeast;
  watch.threshold = 95;  // 380 a host
  return watch;
}

Job of(int hosts) {
  return {.config =
              fmt::format(R"({{"InstanceType": "ml.g5.12xlarge", "InstanceCount": {}}})", hosts)};
}

HostData hosts_with(const std::vector<MinuteValues>& hosts) {
  HostData out;
  for (const MinuteValues& series : hosts) {
    out.emplace_back();
    for (const auto& [minute, value] : series) out.back().push_back({at(minute), value});
  }
  return out;
}

Judgement judged(const Watch& watch, const std::vector<MinuteValues>& hosts,
                 const Job& job = of(2)) {
  return planned(watch, job).judge({.data = hosts_with(hosts)});
}

MinuteValues all(double value) { return {{-15, value}, {-10, value}, {-5, value}}; }

TEST(ConfirmationMean, W1_TheMeanOfAllHostsCountsAndNotEachOfThem) {
  const Judgement low = judged(fleet_use(), {all(300), all(10)});
  EXPECT_EQ(low.kind, Kind::kConfirmed);
  EXPECT_FALSE(low.rests_on_silence);
  EXPECT_EQ(
      said(low),
      "Average GPUUtilization of train-1 below 160 % (40 % for each of 4 GPUs) in 3 of 3 periods "
      "of 300 s: the mean of 2 hosts: 155, 155, 155 (38.75, 38.75, 38.75 per GPU)");
  EXPECT_EQ(judged(fleet_use(), {all(300), all(20)}).kind, Kind::kRefuted);  // 160
  EXPECT_EQ(judged(fleet_full(), {all(400), all(360)}).kind, Kind::kConfirmed);
  EXPECT_EQ(judged(fleet_full(), {all(400), all(359)}).kind, Kind::kRefuted);
}

TEST(ConfirmationMean, W1_TheHostsNeedNotBreachInTheSamePeriods) {
  // 150 each time, by another host.
  EXPECT_EQ(
      judged(fleet_use(), {{{-15, 300}, {-10, 0}, {-5, 300}}, {{-15, 0}, {-10, 300}, {-5, 0}}})
          .kind,
      Kind::kConfirmed);
  const Judgement once = judged(fleet_use(), {{{-15, 300}, {-10, 300}, {-5, 10}}, all(100)});
  EXPECT_EQ(once.kind, Kind::kRefuted);
  EXPECT_NE(said(once).find("the mean of 2 hosts breaches in 1 periods, 3 must (55, 200, 200)"),
            std::string::npos)
      << said(once);
}

TEST(ConfirmationMean, W4_ASilentHostIsNotTakenForAnIdleOne) {
  const Judgement silent = judged(fleet_use(), {all(10), {}});
  EXPECT_EQ(silent.kind, Kind::kRefuted);
  EXPECT_NE(said(silent).find("algo-2: it has no datapoints"), std::string::npos) << said(silent);
  EXPECT_EQ(judged(fleet_use(), {all(10)}).kind, Kind::kRefuted);
  // For ten minutes; what was before does not speak for it.
  EXPECT_EQ(judged(fleet_use(), {all(10), {{-25, 10}, {-20, 10}, {-15, 10}}}).kind, Kind::kRefuted);
  // Nor where silence breaches.
  Watch breaching = fleet_use();
  breaching.missing = Watch::Missing::kBreaching;
  EXPECT_EQ(judged(breaching, {all(10), {}}).kind, Kind::kRefuted);
  EXPECT_EQ(judged(breaching, {{}, {}}).kind, Kind::kRefuted);
  EXPECT_EQ(judged(breaching, {all(10), all(10)}).kind, Kind::kConfirmed);
}

TEST(ConfirmationMean, W4_OfAHighMeanWhatIsMissingCountsAsNothing) {
  EXPECT_EQ(judged(fleet_full(), {all(400), {}}).kind, Kind::kRefuted);
  Watch watch = fleet_full();
  watch.threshold = 50;  // 200 a host
  EXPECT_EQ(judged(watch, {all(400), {}}).kind, Kind::kConfirmed);
  EXPECT_EQ(judged(watch, {all(399), {}}).kind, Kind::kRefuted);
}

TEST(ConfirmationMean, W4_GapsAreSteppedOverAndOldDatapointsConfirmNothing) {
  EXPECT_EQ(
      judged(fleet_use(), {{{-20, 10}, {-15, 10}, {-5, 10}}, {{-20, 9}, {-15, 9}, {-5, 9}}}).kind,
      Kind::kConfirmed);
  EXPECT_EQ(
      judged(fleet_use(), {{{-25, 10}, {-20, 10}, {-15, 10}}, {{-25, 9}, {-20, 9}, {-15, 9}}}).kind,
      Kind::kRefuted);
  // Before the Training segment.
  Job young = of(2);
  young.transitions = {
      {"Starting", -300}, {"Training", -200}, {"Interrupted", -100}, {"Training", -31}};
  EXPECT_EQ(judged(fleet_use(), {{{-40, 10}, {-35, 10}, {-5, 10}}, all(10)}, young).kind,
            Kind::kRefuted);
}

TEST(ConfirmationMean, W4_AHostThatIsBusyByNowRefutes) {
  const Judgement busy = judged(fleet_use(), {{{-15, 9}, {-10, 9}, {-5, 9}, {0, 400}}, all(9)});
  EXPECT_EQ(busy.kind, Kind::kRefuted);
  EXPECT_NE(said(busy).find("the mean of 2 hosts no longer breaches: 200 at "), std::string::npos)
      << said(busy);
}

TEST(ConfirmationMean, W4_OfDifferentMachinesThoseThatNeverHadTheMetricHaveNoPart) {
  Job mixed;
  mixed.config = R"({"InstanceGroups": [
      {"InstanceGroupName": "a", "InstanceType": "ml.g5.12xlarge", "InstanceCount": 1},
      {"InstanceGroupName": "b", "InstanceType": "ml.c5.xlarge", "InstanceCount": 1}]})";
  const Confirmation plan = planned(fleet_use(), mixed);
  const HostData data = hosts_with({all(10), {}});
  const Judgement asked = plan.judge({.data = data});
  ASSERT_EQ(asked.kind, Kind::kAskHistory);
  EXPECT_EQ(asked.silent, (std::vector<std::int64_t>{2}));
  const HostData never = hosts_with({{}, {}});
  EXPECT_EQ(plan.judge({.data = data, .history = never}).kind, Kind::kConfirmed);
  const HostData once = hosts_with({{}, {{-200, 50}}});
  EXPECT_EQ(plan.judge({.data = data, .history = once}).kind, Kind::kRefuted);
}

TEST(ConfirmationMean, W1_OfMoreThanTenHostsAllCount) {
  std::vector<MinuteValues> hosts(25, all(10));
  hosts[24] = all(400);
  EXPECT_EQ(judged(fleet_use(), hosts, of(25)).kind, Kind::kConfirmed);
  for (std::size_t i = 10; i < 25; ++i) hosts[i] = all(400);
  EXPECT_EQ(judged(fleet_use(), hosts, of(25)).kind, Kind::kRefuted);
  hosts.resize(24);
  EXPECT_EQ(judged(fleet_use(), hosts, of(25)).kind, Kind::kRefuted);
}

}  // namespace
}  // namespace trainwarden::rules::confirmation::confirmation_mean_test
