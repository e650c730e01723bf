// How often a sweep calls AWS, how many calls it takes, and in what time (policy.md S1): 75 ms a
// call, on virtual time.
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::sweep_pace_test {
namespace {

constexpr const char* kWatches = R"("watches":{"idle":{"metric":"GPUUtilization",
  "statistic":"Maximum","period_seconds":300,"periods":3,"at_most":1}},)";
constexpr const char* kWatchAll = R"(
  {"name":"w","match":{"job":{"SecondaryStatus":["Training"]}},"actions":[{"watch":["idle"]}]})";

class SweepPaceTest : public SweepTest {
 protected:
  SweepPaceTest() {
    aws_.slow("*", milliseconds(75), 1'000'000);
    pace_ = &five_a_second_;
    aws_.meanwhile = [this](int) {
      if (aws_.batches.size() != batch_) sent_at_ = clock_.now();
      batch_ = aws_.batches.size();
      sent_[service()].push_back(sent_at_);
    };
  }

  static rules::Policy watching() {
    return policy(std::string(kWatchAll) + "," + kTeam, "enforce", kWatches);
  }
  void place_many(int jobs) {
    for (int i = 0; i < jobs; ++i) place(fmt::format("job-{}", i), kOrderly);
  }
  // Of the last request, as it is signed.
  std::string service() const {
    const auto& headers = aws_.requests.back().headers;
    const std::string signature =
        std::ranges::find(headers, "Authorization", &http::Header::name)->value;
    const std::string before = "/eu-central-1/";
    const auto at = signature.find(before) + before.size();
    return signature.substr(at, signature.find('/', at) - at);
  }
  // The most calls to one service that began within one second.
  std::ptrdiff_t most_in_a_second() const {
    std::ptrdiff_t most = 0;
    for (const auto& [service, times] : sent_)
      for (const auto begin : times)
        most = std::max(most, std::ranges::count_if(times, [&](auto at) {
                          return at >= begin && at - begin < seconds(1);
                        }));
    return most;
  }
  std::ptrdiff_t sent(const std::string& service) const {
    const auto found = sent_.find(service);
    return found == sent_.end() ? 0 : std::ssize(found->second);
  }
  milliseconds time_of(const rules::Policy& with) {
    sent_.clear();
    aws_.calls.clear();
    const auto begin = clock_.now();
    EXPECT_FALSE(run(with).failure());
    return clock_.now() - begin;
  }

  aws::Pace five_a_second_;
  std::size_t batch_ = 0;  // the number of the one that goes out
  sys_millis sent_at_;
  std::map<std::string, std::vector<sys_millis>> sent_;
};

TEST_F(SweepPaceTest, S1_ListsOfServicesThatDoNotDependOnEachOtherAreTakenBesideEachOther) {
  constexpr int kJobs = 1500;
  place_many(kJobs);
  left_ = hours(2);
  run(watching());  // puts the alarms
  left_ = seconds(300);
  const milliseconds took = time_of(watching());
  EXPECT_EQ(aws_.count("DescribeAlarms"), 15);
  EXPECT_EQ(aws_.count("Search"), 16) << "fifteen pages, and one of jobs that ended";
  EXPECT_EQ(sent("sagemaker"), aws_.count("Search"));
  EXPECT_LT(took, seconds(5)) << "one after the other they are more than 6 s at five a second";
  EXPECT_LE(most_in_a_second(), 5);
}

TEST_F(SweepPaceTest, S1_NeverMoreThanFiveCallsASecondToOneServiceWhateverASweepDoes) {
  for (const char* job : {"a", "b", "c", "d"}) place(job);  // stopped
  place_many(20);                                           // without their alarms
  for (int i = 0; i < 30; ++i) put_alarm(fmt::format("gone-{}/idle", i));
  place_ended("f", "Failed", hours(1));
  time_of(watching());
  EXPECT_EQ(aws_.count("StopTrainingJob"), 4);
  EXPECT_EQ(aws_.count("PutMetricAlarm"), 20);
  EXPECT_EQ(aws_.count("DeleteAlarms"), 1);
  EXPECT_LE(most_in_a_second(), 5);
  EXPECT_GE(sent_.size(), 3U) << "of SageMaker, CloudWatch and DynamoDB";
}

TEST_F(SweepPaceTest, S1_W2_AMissingAlarmCostsALookAtItsJobAndAPut) {
  constexpr int kJobs = 200;
  place_many(kJobs);
  const milliseconds took = time_of(policy(kWatchAll, "enforce", kWatches));
  EXPECT_EQ(aws_.alarms().size(), 200U);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), kJobs);
  EXPECT_EQ(aws_.count("ListTags"), 0);
  EXPECT_EQ(aws_.count("PutMetricAlarm"), kJobs);
  EXPECT_LT(took, seconds(70)) << "CloudWatch takes three a second";
  EXPECT_LE(most_in_a_second(), 5);
}

TEST_F(SweepPaceTest, S1_W2_LooksAtJobsWithoutAlarmsOverlapWhereAnswersAreSlow) {
  aws_.faults.clear();
  aws_.slow("*", milliseconds(300), 1'000'000);
  place_many(60);
  const milliseconds took = time_of(policy(kWatchAll, "enforce", kWatches));
  EXPECT_EQ(aws_.alarms().size(), 60U);
  EXPECT_LT(took, seconds(28)) << "one after the other they are 36 s";
}

// The rule asks for a tag: the tags of those jobs are looked at, and of no others.
TEST_F(SweepPaceTest, W2_ARuleOnTagsWatchesByTheTags) {
  place("job-1", kOrderly);
  place("job-2", {{"team", "other"}});
  run(policy(R"({"name":"w","match":{"job":{"SecondaryStatus":["Training"]},
                 "tags":{"team":["vision"]}},"actions":[{"watch":["idle"]}]})",
             "enforce", kWatches));
  EXPECT_EQ(aws_.alarms(), Names{"trainwarden/job-1/idle"});
}

// Search says that it trains, and it has ended: nothing is put on Search's word.
TEST_F(SweepPaceTest, S1_W2_AJobThatEndedSinceItWasListedGetsNoAlarm) {
  place("job-1", kOrderly);
  aws_.before("DescribeTrainingJob", [this] { aws_.enter("job-1", "Completed"); });
  run(policy(kWatchAll, "enforce", kWatches));
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(SweepPaceTest, S1_W3_AJobThatEndsWhileItsAlarmIsPutIsSeenToByTheNextSweep) {
  place("job-1", kOrderly);
  aws_.before("PutMetricAlarm", [this] { aws_.enter("job-1", "Completed"); });
  const rules::Policy with = policy(kWatchAll, "enforce", kWatches);
  run(with);
  EXPECT_EQ(run(with).orphans, 1U);
  EXPECT_TRUE(aws_.alarms().empty());
}

TEST_F(SweepPaceTest, W2_AJobThatCannotBeDescribedKeepsNoOtherFromItsAlarm) {
  for (const char* job : {"a", "b", "c"}) place(job, kOrderly);
  aws_.faults.clear();
  aws_.refuse("DescribeTrainingJob", kDenied);
  const rules::Policy with = policy(kWatchAll, "enforce", kWatches);
  const SweepReport report = run(with);
  EXPECT_EQ(report.put, 2U);
  EXPECT_EQ(report.failed, 1U);
  EXPECT_EQ(run(with).put, 1U);
}

}  // namespace
}  // namespace trainwarden::actions::sweep_pace_test
