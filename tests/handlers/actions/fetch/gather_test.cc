// What gather fetches after DescribeTrainingJob: the end of the job's logs, and the fleet. F1: each
// ends as known or as unavailable.
#include "handlers/actions/fetch/gather.h"

#include "tests/handlers/actions/action_fixture.h"

namespace trainwarden::actions::gather_test {
namespace {

using rules::Source;

const localaws::AwsError kNotThere{400, "ValidationException", "Requested resource not found."};
constexpr const char* kGroup = "/aws/sagemaker/TrainingJobs";

class GatherTest : public ActionTest {
 protected:
  Gathered get(rules::SourceSet needs) {
    sources_ = rules::Sources(rules::JobEvent{.job_name = "job-1"});
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_);
    return gather(sources_, needs, {*aws::JobName::parse("job-1"), testing::arn_of("job-1")}, apis);
  }
  // The document of a source, or why there is none.
  std::string found(Source source) const {
    if (const auto document = sources_.known(source)) return json::to_text(*document);
    const Error* const error = sources_.unavailable(source);
    return error != nullptr ? "unavailable: " + error->message : "unknown";
  }
  bool unavailable(Source source) const { return sources_.unavailable(source) != nullptr; }
  std::string logs() {
    EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
    return found(Source::kLogs);
  }
  std::string fleet() {
    EXPECT_EQ(get({Source::kDescribe, Source::kFleet}), Gathered::kJob);
    return found(Source::kFleet);
  }

  void place_failed(seconds since = kSince, seconds ran = hours(2)) {
    aws_.place({.status = "Failed", .secondary = "Failed", .age = since + ran, .since = since});
  }
  // Lines of one moment, so long before or after the job's end.
  void log(seconds from_end, const std::vector<std::string>& lines,
           const std::string& stream = "job-1/algo-1-1") {
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}"}})", kGroup, stream));
    const auto at = (kEnd + from_end).time_since_epoch().count();
    std::string events;
    for (const std::string& line : lines)
      events += fmt::format(R"({}{{"timestamp":{},"message":"{}"}})", events.empty() ? "" : ",", at,
                            line);
    ASSERT_TRUE(
        aws_.call("PutLogEvents",
                  fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}","logEvents":[{}]}})",
                              kGroup, stream, events)));
  }

  static constexpr seconds kSince{400};
  static constexpr sys_millis kEnd = kBegin - kSince;
  rules::Sources sources_{rules::JobEvent{.job_name = "job-1"}};
};

TEST_F(GatherTest, LogsAreReadOnAllHostsUpToTheEndOfTheJob) {
  place_failed();
  log(seconds(-590), {"a"});
  log(seconds(-10), {"b"}, "job-1/algo-2-1");
  log(seconds(290), {"c"});
  log(seconds(-610), {"earlier"});
  log(seconds(310), {"later"});
  log(seconds(-10), {"another job's"}, "job-1-b/algo-1-1");
  EXPECT_EQ(logs(), R"({"tail":["a","b","c"]})");
}

TEST_F(GatherTest, TheWindowIsWidenedOnceWhereItIsEmpty) {
  place_failed();
  log(-hours(2) + seconds(1), {"long ago"});
  EXPECT_EQ(logs(), R"({"tail":["long ago"]})");
}

TEST_F(GatherTest, AJobThatWroteNothingHasAnEmptyTail) {
  place_failed();
  EXPECT_EQ(logs(), R"({"tail":[]})");  // there is not even the log group
  log(seconds(0), {"x"}, "job-2/algo-1-1");
  EXPECT_EQ(logs(), R"({"tail":[]})");
}

TEST_F(GatherTest, F1_NothingYetOfAJobThatHasJustEndedIsNotNothing) {
  place_failed(seconds(119), minutes(1));
  logs();
  EXPECT_TRUE(unavailable(Source::kLogs));
  aws_.pass(seconds(2));
  EXPECT_EQ(logs(), R"({"tail":[]})");
}

TEST_F(GatherTest, F1_LogsThatMayNotBeReadAreUnavailable) {
  place_failed();
  aws_.refuse("FilterLogEvents", kDenied);
  logs();
  EXPECT_TRUE(unavailable(Source::kLogs));
}

// The end comes first; where the service does not know that, in several pages.
TEST_F(GatherTest, OfLongLogsTheEndIsKept) {
  place_failed();
  for (int i = 0; i < 12; ++i)
    log(seconds(i - 60), std::vector<std::string>(100, std::string(1000, 'x')));
  log(seconds(0), {"the last"});
  EXPECT_TRUE(logs().ends_with(R"("the last"]})"));
  EXPECT_EQ(aws_.count("FilterLogEvents"), 1);
  const auto tail = *sources_.known(Source::kLogs)->find("tail");
  EXPECT_LE(json::to_text(tail).size(), 66'000U);
  EXPECT_GE(tail.size(), 60U);
}

TEST_F(GatherTest, WhatStartsFromDescribeIsUnavailableWithoutIt) {
  place_failed();
  aws_.refuse("DescribeTrainingJob", kDenied);
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs, Source::kFleet}), Gathered::kJob);
  EXPECT_TRUE(unavailable(Source::kLogs));
  EXPECT_TRUE(unavailable(Source::kFleet));
}

// The tags alone do not say that a job is gone: their ARN came from the event.
TEST_F(GatherTest, F1_WhereTheTagsAreNotFoundDescribeSaysWhetherTheJobIsGone) {
  EXPECT_EQ(get({Source::kTags}), Gathered::kGone);
  place_failed();
  for (const bool denied : {false, true}) {
    aws_.refuse("ListTags", kNotThere, 2);
    if (denied) aws_.refuse("DescribeTrainingJob", kDenied);
    EXPECT_EQ(get({Source::kTags}), Gathered::kJob);
    EXPECT_TRUE(unavailable(Source::kTags));
  }
}

class FleetTest : public GatherTest {
 protected:
  // A spot job that waited in vain until a minute ago.
  void time_out(const std::string& job, const std::string& type) {
    aws_.place({.name = job,
                .status = "Stopped",
                .secondary = "MaxWaitTimeExceeded",
                .type = type,
                .since = minutes(1),
                .more = R"(,"EnableManagedSpotTraining":true)"});
  }
};

TEST_F(FleetTest, TheFleetIsCountedFromAllThatSearchTells) {
  aws_.place({.type = "ml.p4d.24xlarge", .count = 2});
  for (int i = 0; i < 101; ++i) time_out(fmt::format("same-{}", i), "ml.p4d.24xlarge");
  time_out("other", "ml.g5.xlarge");
  aws_.place({.name = "capacity",
              .status = "Failed",
              .secondary = "Failed",
              .type = "ml.p4d.24xlarge",
              .since = hours(23),
              .more = R"(,"FailureReason":"CapacityError: Unable to provision")"});
  aws_.place({.name = "long-ago",
              .status = "Failed",
              .secondary = "Failed",
              .type = "ml.p4d.24xlarge",
              .age = hours(30),
              .since = hours(25),
              .more = R"(,"FailureReason":"CapacityError: Unable to provision")"});
  EXPECT_EQ(fleet(),
            R"({"spot_timeouts_24h":101,"spot_interruptions_24h":0,"capacity_errors_24h":1})");
}

TEST_F(FleetTest, F1_APageWithoutResultsIsNoAnswer) {
  aws_.place({});
  aws_.answer_with("Search", "{}");
  fleet();
  EXPECT_TRUE(unavailable(Source::kFleet));
}

TEST_F(FleetTest, AJobWithoutMachinesHasNoFleet) {
  time_out("same", "ml.g5.12xlarge");
  aws_.place({.more = R"(,"ResourceConfig":{"VolumeSizeInGB":1})"});
  EXPECT_EQ(fleet(),
            R"({"spot_timeouts_24h":0,"spot_interruptions_24h":0,"capacity_errors_24h":0})");
}

TEST_F(FleetTest, AVeryLargeFleetIsLookedAtInPart) {
  aws_.place({});
  for (int page = 0; page < 30; ++page)
    aws_.answer_with("Search", fmt::format(R"({{"Results":[],"NextToken":"{}"}})", page));
  fleet();
  EXPECT_FALSE(unavailable(Source::kFleet));
  EXPECT_EQ(aws_.count("Search"), 20);
}

}  // namespace
}  // namespace trainwarden::actions::gather_test
