// What silence proves (policy.md W4): from the segment's own first datapoint on, and beside a
// witness.
#include "tests/handlers/rules/alarms/confirmation_support.h"

namespace trainwarden::rules::confirmation::confirmation_silence_test {
namespace {

using Kind = Judgement::Kind;

// A datapoint each minute of [begin, end).
std::vector<Datapoint> each_minute(int begin, int end) {
  std::vector<Datapoint> out;
  for (int minute = begin; minute < end; ++minute) out.push_back({at(minute), 1});
  return out;
}

// A job with a loss until twenty minutes ago.
Evidence silent_loss() { return {.data = {{}}, .history = HostData{each_minute(-270, -20)}}; }

Watch silent_cpu() {
  Watch watch = heartbeat();
  watch.source = Watch::Source::kInstance;
  watch.metric = "CPUUtilization";
  return watch;
}

Why blindness(const Judgement& judgement) {
  return judgement.blind ? judgement.blind->why : Why::kGone;
}

TEST(ConfirmationSilence, W4_AMetricsOutageStopsNone) {
  Evidence evidence = silent_loss();
  evidence.witnesses.hosts.resize(2);
  EXPECT_EQ(planned(heartbeat()).judge(evidence).kind, Kind::kAskLog);
  for (const LogFinding log : {LogFinding::kSilent, LogFinding::kMayHoldIt}) {
    evidence.log = log;
    const Judgement judgement = planned(heartbeat()).judge(evidence);
    EXPECT_EQ(judgement.kind, Kind::kRefuted);
    EXPECT_EQ(blindness(judgement), Why::kNoMetricArrives);
  }
}

// It ends: the first that arrives again is not the loss.
TEST(ConfirmationSilence, W4_TheEndAndTheBeginOfAnOutageAreNoWitnesses) {
  for (const auto& [begin, end] : {std::pair{-4, 0}, std::pair{-40, -11}}) {
    Evidence evidence = silent_loss();
    evidence.witnesses.hosts = {each_minute(begin, end), each_minute(begin, end)};
    evidence.witnesses.algorithms = each_minute(begin, end);
    evidence.log = LogFinding::kSilent;
    const Judgement judgement = planned(heartbeat()).judge(evidence);
    EXPECT_EQ(judgement.kind, Kind::kRefuted);
    EXPECT_EQ(blindness(judgement), Why::kNothingWitnesses);
  }
}

TEST(ConfirmationSilence, W4_AnotherMetricOfAnAlgorithmWitnesses) {
  Evidence evidence = silent_loss();
  evidence.witnesses.algorithms = each_minute(-20, 0);
  EXPECT_EQ(planned(heartbeat()).judge(evidence).kind, Kind::kConfirmed);
  EXPECT_TRUE(planned(heartbeat()).judge(evidence).rests_on_silence);
  evidence.witnesses.algorithms.clear();
  evidence.witnesses.own = each_minute(-20, 0);
  EXPECT_EQ(planned(heartbeat()).judge(evidence).kind, Kind::kConfirmed);
}

TEST(ConfirmationSilence, W4_AHostsCpuAloneProvesNothingAboutTheAlgorithm) {
  Evidence evidence = silent_loss();
  evidence.witnesses.hosts = {each_minute(-20, 0), each_minute(-20, 0)};
  EXPECT_EQ(planned(heartbeat()).judge(evidence).kind, Kind::kAskLog);
  evidence.log = LogFinding::kMayHoldIt;
  EXPECT_EQ(blindness(planned(heartbeat()).judge(evidence)), Why::kNothingWitnesses);
  evidence.log = LogFinding::kSilent;
  EXPECT_EQ(planned(heartbeat()).judge(evidence).kind, Kind::kConfirmed);
  evidence.witnesses.hosts[1].clear();  // that machine's way may be broken, its log with it
  EXPECT_EQ(blindness(planned(heartbeat()).judge(evidence)), Why::kNothingWitnesses);
}

TEST(ConfirmationSilence, W4_ALogThatSpeaksOfOtherThingsWitnesses) {
  Evidence evidence = silent_loss();
  evidence.log = LogFinding::kOtherLines;
  EXPECT_EQ(planned(heartbeat()).judge(evidence).kind, Kind::kConfirmed);
}

TEST(ConfirmationSilence, W4_AnotherMetricOfTheSameHostWitnesses) {
  Evidence evidence{.data = {{}, {}}, .history = HostData(2, each_minute(-270, -20))};
  evidence.witnesses.hosts = {each_minute(-20, 0), {}};
  EXPECT_EQ(blindness(planned(silent_cpu()).judge(evidence)), Why::kNothingWitnesses);
  evidence.witnesses.hosts[1] = each_minute(-20, 0);
  EXPECT_EQ(planned(silent_cpu()).judge(evidence).kind, Kind::kConfirmed);
  evidence.witnesses.hosts = HostData(2);
  evidence.witnesses.algorithms = each_minute(-20, 0);  // comes another way
  EXPECT_EQ(blindness(planned(silent_cpu()).judge(evidence)), Why::kNoMetricArrives);
}

TEST(ConfirmationSilence, W4_WhatIsMeasuredNeedsNoWitness) {
  Watch watch = gpu_idle();
  watch.missing = Watch::Missing::kBreaching;
  const std::vector<Datapoint> idle = {{at(-17), 0}, {at(-12), 0}, {at(-7), 0}};
  const Judgement judgement = planned(watch).judge({.data = {idle, idle}});
  EXPECT_EQ(judgement.kind, Kind::kConfirmed);
  EXPECT_FALSE(judgement.rests_on_silence);
}

TEST(ConfirmationSilence, W4_AnInstanceMetricThatTheJobNeverHadStopsNone) {
  Evidence evidence{.data = {{}, {}}};
  evidence.witnesses.hosts = HostData(2, each_minute(-20, 0));
  EXPECT_EQ(planned(silent_cpu()).judge(evidence).kind, Kind::kAskHistory);
  evidence.history = HostData(2);
  const Judgement judgement = planned(silent_cpu()).judge(evidence);
  EXPECT_EQ(judgement.kind, Kind::kRefuted);
  EXPECT_NE(said(judgement).find("the job never had a datapoint of it"), std::string::npos);
}

// Two segments: 50 minutes to the first loss; interrupted; 40 minutes into the second.
const Job kLoading{.transitions = {{"Starting", -300},
                                   {"Training", -280},
                                   {"Interrupted", -60},
                                   {"Starting", -50},
                                   {"Training", -40}}};

TEST(ConfirmationSilence, W4_AJobThatResumesIsNotSilentWhileItLoads) {
  Evidence evidence = {.data = {{}}, .history = HostData{each_minute(-230, -60)}};
  evidence.witnesses.hosts = HostData(2, each_minute(-40, 0));
  evidence.witnesses.algorithms = each_minute(-40, 0);
  const Judgement judgement = planned(heartbeat(), kLoading).judge(evidence);
  EXPECT_EQ(judgement.kind, Kind::kRefuted);
  EXPECT_NE(said(judgement).find("no datapoint since Training began at "), std::string::npos);
  // It hangs after its first loss.
  evidence.history = HostData{each_minute(-20, -15)};
  EXPECT_EQ(planned(heartbeat(), kLoading).judge(evidence).kind, Kind::kConfirmed);
}

TEST(ConfirmationSilence, W4_FirstWithinSaysHowLongASegmentMayTake) {
  Watch watch = heartbeat();
  Evidence evidence = {.data = {{}}, .history = HostData(1)};
  evidence.witnesses.algorithms = each_minute(-40, 0);
  watch.first_within_seconds = 28 * 60;  // silent from -12 on: the window's begin
  EXPECT_EQ(planned(watch, kLoading).judge(evidence).kind, Kind::kConfirmed);
  watch.first_within_seconds = 29 * 60;
  EXPECT_EQ(planned(watch, kLoading).judge(evidence).kind, Kind::kRefuted);
  watch.first_within_seconds = 28 * 60;
  evidence.witnesses = {};
  evidence.log = LogFinding::kSilent;
  EXPECT_EQ(blindness(planned(watch, kLoading).judge(evidence)), Why::kNoMetricArrives);
}

TEST(ConfirmationSilence, W4_AFinalMetricOfDescribeAcquitsAndConvictsNobody) {
  const auto judged = [](int minute, const char* metric) {
    const json::Document job = test::doc(fmt::format(
        R"({{"TrainingJobName": "train-1", "TrainingJobStatus": "InProgress",
             "SecondaryStatus": "Training", "CreationTime": {0}, "SecondaryStatusTransitions":
             [{{"Status": "Training", "StartTime": {0}}}], "FinalMetricDataList":
             [{{"MetricName": "{2}", "Value": 1, "Timestamp": {1}}}]}})",
        epoch(-280), epoch(minute), metric));
    const auto plan =
        Confirmation::plan(heartbeat(), "train-1", read_training_job(job.root()), kNow);
    Evidence evidence = silent_loss();
    evidence.witnesses.algorithms = each_minute(-20, 0);
    return plan->judge(evidence).kind;
  };
  EXPECT_EQ(judged(-5, "train:loss"), Kind::kRefuted);
  EXPECT_EQ(judged(-20, "train:loss"), Kind::kConfirmed);
  EXPECT_EQ(judged(-5, "validation:loss"), Kind::kConfirmed);
}

TEST(ConfirmationSilence, W4_TheWitnessIsAskedForInTheSameCall) {
  const auto requests = planned(heartbeat()).requests();
  ASSERT_EQ(requests.size(), 1U);
  const std::string queries = json::to_text(requests[0].queries.root());
  EXPECT_NE(
      queries.find(
          R"(SEARCH('{\"/aws/sagemaker/TrainingJobs\",TrainingJobName}', 'SampleCount', 60))"),
      std::string::npos)
      << queries;
  EXPECT_NE(queries.find(R"("Value":"train-1/algo-2")"), std::string::npos);
  const std::string cpu = json::to_text(planned(silent_cpu()).requests()[0].queries.root());
  EXPECT_NE(cpu.find("MemoryUtilization"), std::string::npos);
  EXPECT_EQ(cpu.find("SEARCH"), std::string::npos);
  // Where only datapoints count, nothing more is asked for.
  EXPECT_EQ(planned(gpu_idle()).requests()[0].queries.root().size(), 2U);
}

}  // namespace
}  // namespace trainwarden::rules::confirmation::confirmation_silence_test
