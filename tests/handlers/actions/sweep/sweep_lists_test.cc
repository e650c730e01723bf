// Sweeps whose time does not suffice for their lists (S1): none starves the others, and what was
// cut off is looked at one by one. The time is 320 s: pages of alarms are begun until 40 s, of
// alarms in ALARM until 60, of running jobs until 120, of ended ones until 160; looks go on until
// 240 s.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_test {
namespace {

using std::chrono::seconds;

constexpr const char* kNothing = R"(
  { "name": "never", "match": { "job": { "TrainingJobName": ["?"] } }, "actions": ["stop"] })";

constexpr const char* kOnAlarm = R"({"version":1,"mode":"enforce",
  "watches":{"idle":{"metric":"GPUUtilization","statistic":"Maximum","period_seconds":300,"periods":3,"at_most":1}},
  "rules":[{"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]},
           {"name":"s","match":{"alarm":{"state":["ALARM"]}},"actions":["stop"]}]})";

std::string alarm(const std::string& job, const std::string& state = "OK") {
  return R"({"AlarmName":"trainwarden/)" + job + R"(/idle","StateValue":")" + state + "\"}";
}

std::string with_next(std::string page, const std::string& token) {
  page.insert(page.size() - 1, R"(,"NextToken":")" + token + "\"");
  return page;
}

std::string alarms(const std::string& list) { return R"({"MetricAlarms":[)" + list + "]}"; }

class SlowLists : public SweepTest {
 protected:
  SlowLists() { left_ = seconds(320); }

  void expect_slowly(const std::string& wanted, int takes, const std::string& body) {
    transport_.expect(wanted, [this, takes, body](const http::Request&) -> Result<http::Response> {
      clock_.sleep_for(seconds(takes));
      return http::Response{200, {}, body};
    });
  }
  void expect_time_out(const std::string& wanted, int after) {
    transport_.expect(wanted, [this, after](const http::Request&) -> Result<http::Response> {
      clock_.sleep_for(seconds(after));
      return fail(ErrorCode::kTimeout, "scripted");
    });
  }
  void expect_gone(const std::string& job) {
    transport_.expect(
        "\"TrainingJobName\":\"" + job + "\"", 400,
        R"({"__type":"ValidationException","message":"Requested resource not found."})");
    transport_.expect(R"("AlarmNames":["trainwarden/)" + job + "/idle\"]", 200);
  }
  // An alarm in ALARM of a job that does not train: asked for what an end would need, and again
  // for W4.
  void expect_unconfirmed(const std::string& job, int takes) {
    const std::string describe = "{" + members(job, "InProgress", "Downloading") + "}";
    expect_slowly("\"TrainingJobName\":\"" + job + "\"", takes, describe);
    transport_.expect("SageMaker.DescribeTrainingJob", 200, describe);
  }
  static rules::Policy on_alarm() {
    auto parsed = rules::parse_policy(kOnAlarm);
    EXPECT_TRUE(parsed) << parsed.error().message;
    return *std::move(parsed);
  }
};

TEST_F(SlowLists, S1_RunningJobsThatDoNotFitKeepNothingFromTheOtherLists) {
  constexpr const char* kFailed = R"(
    { "name": "tell", "match": { "job": { "TrainingJobStatus": ["Failed"] } }, "actions": ["notify"] })";
  transport_.expect(
      "DescribeAlarms", 200,
      alarms(alarm("done") + "," + alarm("gone") + "," + alarm("one") + "," + alarm("other")));
  for (const char* token : {"b", "c", "d", "e"})
    expect_slowly("SageMaker.Search", 30, with_next(page({found("one", kTagged)}), token));
  transport_.expect("SageMaker.Search", 200,
                    page({found("done", kTagged, "Completed"), found("f", kTagged, "Failed")}));
  transport_.expect("SageMaker.Search", 200, page({}));
  // Search says that it ended; then the failure, and last what no list told of.
  transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + members("done", "Completed") + "}");
  transport_.expect(R"("AlarmNames":["trainwarden/done/idle"])", 200);
  transport_.expect("SageMaker.DescribeTrainingJob", 200,
                    "{" + members("f", "Failed", "Failed") + "}");
  transport_.expect("SageMaker.ListTags", 200, R"({"Tags":[]})");
  expect_gone("gone");
  transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + members("other") + "}");
  const SweepReport report = run(policy(kFailed));
  EXPECT_FALSE(report.failure());
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.orphans, 2U);
  EXPECT_EQ(report.looked_at, 4U);
  EXPECT_EQ(report.errors, std::vector<std::string>{"Search: more pages than there was time for"});
}

TEST_F(SlowLists, S1_ThoseInAlarmAreListedWhereAllAlarmsDoNotFit) {
  expect_slowly("DescribeAlarms", 20, with_next(alarms(alarm("a")), "b"));
  expect_slowly("DescribeAlarms", 20, with_next(alarms(alarm("b")), "c"));
  transport_.expect(R"("StateValue":"ALARM")", 200, alarms(alarm("z", "ALARM")));
  for (int i = 0; i < 4; ++i) transport_.expect("SageMaker.Search", 200, page({}));
  expect_unconfirmed("z", 0);
  expect_gone("a");
  expect_gone("b");
  const SweepReport report = run(on_alarm());
  EXPECT_FALSE(report.failure());
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.in_alarm, 1U);
  EXPECT_EQ(report.orphans, 2U);
  ASSERT_FALSE(records_.empty());
  EXPECT_EQ(records_[0].job, "z");
  EXPECT_TRUE(records_[0].unconfirmed);
}

// Of a job whose alarms the list did not come to, nobody knows; before that, one is missing.
TEST_F(SlowLists, W2_W3_AlarmsAreMissingOrLeftOverAlsoBehindTheCut) {
  config_.alarm_topic = "arn:aws:sns:eu-central-1:111122223333:trainwarden-alarms";
  expect_slowly("DescribeAlarms", 40, with_next(alarms(alarm("m")), "b"));
  transport_.expect(R"("StateValue":"ALARM")", 200, alarms(""));
  transport_.expect("SageMaker.Search", 200,
                    page({found("z", kTagged), found("m", kTagged), found("b", kTagged)}));
  transport_.expect("SageMaker.Search", 200, page({}));
  transport_.expect("SageMaker.Search", 200,
                    page({found("e", kTagged, "Completed"), found("y", kTagged, "Completed")}));
  transport_.expect("SageMaker.Search", 200, page({}));
  for (const std::string job : {"b", "z", "m"}) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + members(job) + "}");
    transport_.expect("\"AlarmNamePrefix\":\"trainwarden/" + job + "/\"", 200, alarms(""));
    transport_.expect("\"AlarmName\":\"trainwarden/" + job + "/idle\"", 200);
    transport_.expect("SageMaker.DescribeTrainingJob", 200, "{" + members(job) + "}");
  }
  transport_.expect("\"TrainingJobName\":\"y\"", 200,
                    "{" + members("y", "Completed", "Completed") + "}");
  transport_.expect("\"AlarmNamePrefix\":\"trainwarden/y/\"", 200, alarms(alarm("y")));
  transport_.expect(R"("AlarmNames":["trainwarden/y/idle"])", 200);
  const SweepReport report = run(on_alarm());
  EXPECT_FALSE(report.failure());
  EXPECT_EQ(report.to_look_at, 4U);
  EXPECT_EQ(report.looked_at, 4U);
}

TEST_F(SlowLists, S1_APageThatTimeCutsOffIsNoFailure) {
  transport_.expect("DescribeAlarms", 200, alarms(alarm("gone")));
  expect_time_out("SageMaker.Search", 180);  // 140 s are left: what running jobs may take is over
  transport_.expect("SageMaker.Search", 200, page({}));
  transport_.expect("SageMaker.Search", 200, page({}));
  expect_gone("gone");
  const SweepReport report = run(policy(kNothing));
  EXPECT_FALSE(report.failure());
  EXPECT_TRUE(report.incomplete);
  EXPECT_EQ(report.orphans, 1U);
}

TEST_F(SlowLists, F1_ATimeOutWithTimeLeftIsAFailure) {
  transport_.expect("DescribeAlarms", 200, alarms(alarm("a")));
  expect_time_out("SageMaker.Search", 30);
  transport_.expect("SageMaker.Search", 200, page({})).expect("SageMaker.Search", 200, page({}));
  const SweepReport report = run(policy(kNothing));
  ASSERT_TRUE(report.failure());
  EXPECT_EQ(report.failure()->code, ErrorCode::kTimeout);
  EXPECT_EQ(report.looked_at, 0U);
}

TEST_F(SlowLists, S1_AlarmsInAlarmDoNotTakeTheTimeOfLeftOverOnes) {
  std::string firing;
  for (const char* job : {"a", "b", "c", "d", "e", "f", "g", "h"})
    firing += alarm(job, "ALARM") + ",";
  transport_.expect("DescribeAlarms", 200, alarms(firing + alarm("gone")));
  std::vector<std::string> jobs;
  for (const char* job : {"a", "b", "c", "d", "e", "f", "g", "h"})
    jobs.push_back(found(job, kTagged));
  transport_.expect("SageMaker.Search", 200, page(jobs));
  for (int i = 0; i < 3; ++i) transport_.expect("SageMaker.Search", 200, page({}));
  // 240 s are for looks, and three eighths of them for alarms in ALARM.
  for (const std::string job : {"a", "b"}) {
    expect_unconfirmed(job, 50);
  }
  expect_gone("gone");
  for (const std::string job : {"c", "d", "e"}) expect_unconfirmed(job, 50);
  const SweepReport report = run(on_alarm());
  EXPECT_EQ(report.orphans, 1U);
  EXPECT_EQ(report.looked_at, 6U);
}

}  // namespace
}  // namespace trainwarden::actions::sweep_test
