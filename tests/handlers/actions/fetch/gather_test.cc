// What gather fetches after DescribeTrainingJob: the end of the job's logs, and the fleet. F1: each
// ends as known or as unavailable.
#include "handlers/actions/fetch/gather.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/handlers/actions/scripted_aws.h"

namespace trainwarden::actions {
namespace {

using rules::Source;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr long kNow = 1783000600;
constexpr long kEnded = kNow - 100;
constexpr const char* kDenied = R"({"__type":"AccessDeniedException","message":"not authorized"})";

class GatherTest : public ScriptedAws {
 protected:
  GatherTest() : ScriptedAws(sys_millis(milliseconds(kNow * 1000))) {}

  Gathered get(rules::SourceSet needs) {
    const aws::CallContext context{clock_.in(milliseconds(60'000)), "", nullptr};
    const Apis apis(client_, clock_, context, config_);
    return gather(sources_, needs, {*aws::JobName::parse("job-1"), kArn}, apis);
  }

  static std::string describe(const std::string& members) {
    return fmt::format(
        R"({{"TrainingJobName":"job-1","TrainingJobArn":"{}","TrainingJobStatus":"Failed",)"
        R"("SecondaryStatus":"Failed"{}}})",
        kArn, members);
  }
  void described(const std::string& members) {
    transport_.expect("SageMaker.DescribeTrainingJob", 200, describe(members));
  }
  static std::string ended(long created = kEnded - 7200) {
    return fmt::format(R"(,"CreationTime":{},"TrainingEndTime":{})", created, kEnded);
  }
  // The document of a source, or why there is none.
  std::string found(Source source) const {
    if (const auto document = sources_.known(source)) return json::to_text(*document);
    const Error* const error = sources_.unavailable(source);
    return error != nullptr ? "unavailable: " + error->message : "unknown";
  }
  static std::string events(std::initializer_list<std::string> lines, const char* more = "") {
    std::string out;
    for (const std::string& line : lines)
      out += fmt::format(R"({}{{"logStreamName":"job-1/algo-1-1","timestamp":1,"message":"{}"}})",
                         out.empty() ? "" : ",", line);
    return fmt::format(R"({{"events":[{}]{}}})", out, more);
  }

  static constexpr const char* kArn =
      "arn:aws:sagemaker:eu-central-1:111122223333:training-job/job-1";
  rules::Sources sources_{rules::JobEvent{.job_name = "job-1"}};
};

TEST_F(GatherTest, LogsAreReadOnAllHostsUpToTheEndOfTheJob) {
  described(ended());
  transport_.expect("Logs_20140328.FilterLogEvents", 200, events({"a", "b"}, R"(,"nextToken":"t")"))
      .expect("\"nextToken\":\"t\"", 200, events({"c"}));
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  EXPECT_EQ(found(Source::kLogs), R"({"tail":["a","b","c"]})");
  const auto asked = json::Document::parse(transport_.sent.at(1).body);
  EXPECT_EQ(json::to_text(*asked->root().find("logGroupName")), "\"/aws/sagemaker/TrainingJobs\"");
  // With the slash: job-1-b writes to job-1-b/….
  EXPECT_EQ(json::to_text(*asked->root().find("logStreamNamePrefix")), "\"job-1/\"");
  EXPECT_EQ(json::to_text(*asked->root().find("startTime")), std::to_string((kEnded - 600) * 1000));
  EXPECT_EQ(json::to_text(*asked->root().find("endTime")), std::to_string((kEnded + 300) * 1000));
}

TEST_F(GatherTest, TheWindowIsWidenedOnceWhereItIsEmpty) {
  described(ended());
  transport_.expect("FilterLogEvents", 200, events({}))
      .expect(fmt::format("\"startTime\":{}", (kEnded - 7200) * 1000), 200, events({"long ago"}));
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  EXPECT_EQ(found(Source::kLogs), R"({"tail":["long ago"]})");
}

TEST_F(GatherTest, AJobThatWroteNothingHasAnEmptyTail) {
  clock_.sleep_for(std::chrono::minutes(2));  // nothing is under way any more
  described(ended(kEnded - 60));              // nothing is older: there is nothing to widen
  transport_.expect("FilterLogEvents", 200, events({}));
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  EXPECT_EQ(found(Source::kLogs), R"({"tail":[]})");
}

TEST_F(GatherTest, F1_NothingYetOfAJobThatHasJustEndedIsNotNothing) {
  const auto just_ended = [](long ago) {
    return fmt::format(R"(,"CreationTime":{},"TrainingEndTime":{})", kNow - ago - 60, kNow - ago);
  };
  described(just_ended(119));
  transport_.expect("FilterLogEvents", 200, events({}));
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  EXPECT_EQ(found(Source::kLogs),
            "unavailable: the job ended 119 s ago, and its logs may still be on their way");
  sources_.forget(Source::kLogs);
  described(just_ended(120));
  transport_.expect("FilterLogEvents", 200, events({}));
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  EXPECT_EQ(found(Source::kLogs), R"({"tail":[]})");
}

TEST_F(GatherTest, NoLogGroupIsNoError) {
  clock_.sleep_for(std::chrono::minutes(2));  // nothing is under way any more
  described(ended(kEnded - 60));
  transport_.expect("FilterLogEvents", 400,
                    R"({"__type":"ResourceNotFoundException","message":"no such group"})");
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  EXPECT_EQ(found(Source::kLogs), R"({"tail":[]})");
}

TEST_F(GatherTest, F1_LogsThatMayNotBeReadAreUnavailable) {
  described(ended());
  transport_.expect("FilterLogEvents", 400, kDenied);
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  EXPECT_TRUE(found(Source::kLogs).starts_with("unavailable: ")) << found(Source::kLogs);
}

TEST_F(GatherTest, OfLongLogsTheEndIsKept) {
  described(ended());
  std::string page = "{\"events\":[";
  const std::string filler(1000, 'x');
  for (int i = 0; i < 200; ++i)
    page += fmt::format(R"({{"logStreamName":"s","timestamp":1,"message":"{} {}"}},)", filler, i);
  page += R"({"logStreamName":"s","timestamp":1,"message":"the last"}]})";
  transport_.expect("FilterLogEvents", 200, page);
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs}), Gathered::kJob);
  const auto tail = *sources_.known(Source::kLogs)->find("tail");
  EXPECT_LE(json::to_text(tail).size(), 66'000U);
  EXPECT_GE(tail.size(), 60U);
  EXPECT_TRUE(found(Source::kLogs).ends_with(R"("the last"]})"));
}

TEST_F(GatherTest, WhatStartsFromDescribeIsUnavailableWithoutIt) {
  transport_.expect("DescribeTrainingJob", 400, kDenied);
  EXPECT_EQ(get({Source::kDescribe, Source::kLogs, Source::kFleet}), Gathered::kJob);
  EXPECT_TRUE(found(Source::kLogs).starts_with("unavailable: "));
  EXPECT_TRUE(found(Source::kFleet).starts_with("unavailable: "));
}

constexpr const char* kNotThere =
    R"({"__type":"ValidationException","message":"Requested resource not found."})";

// The tags alone do not say that a job is gone: their ARN came from the event.
TEST_F(GatherTest, F1_WhereTheTagsAreNotFoundDescribeSaysWhetherTheJobIsGone) {
  transport_.expect("SageMaker.ListTags", 400, kNotThere)
      .expect("SageMaker.DescribeTrainingJob", 400, kNotThere)
      .expect("SageMaker.ListTags", 400, kNotThere);
  EXPECT_EQ(get({Source::kTags}), Gathered::kGone);
}

TEST_F(GatherTest, F1_TagsOfAJobThatIsThereAreUnavailableNotGone) {
  transport_.expect("SageMaker.ListTags", 400, kNotThere);
  described(ended());
  transport_.expect("SageMaker.ListTags", 400, kNotThere);
  EXPECT_EQ(get({Source::kTags}), Gathered::kJob);
  EXPECT_TRUE(found(Source::kTags).starts_with("unavailable: ")) << found(Source::kTags);
}

TEST_F(GatherTest, F1_TagsAreUnavailableWhereDescribeFails) {
  transport_.expect("SageMaker.ListTags", 400, kNotThere)
      .expect("SageMaker.DescribeTrainingJob", 400, kDenied)
      .expect("SageMaker.ListTags", 400, kNotThere);
  EXPECT_EQ(get({Source::kTags}), Gathered::kJob);
  EXPECT_TRUE(found(Source::kTags).starts_with("unavailable: ")) << found(Source::kTags);
}

constexpr const char* kMachines =
    R"(,"ResourceConfig":{"InstanceType":"ml.p4d.24xlarge","InstanceCount":2})";

std::string fleet_job(const std::string& name, const std::string& members) {
  return fmt::format(R"({{"TrainingJob":{{"TrainingJobName":"{}",{}}}}})", name, members);
}

TEST_F(GatherTest, TheFleetIsCountedFromSearch) {
  described(kMachines);
  const std::string type = R"("ResourceConfig":{"InstanceType":"ml.p4d.24xlarge"})";
  transport_
      .expect(
          "SageMaker.Search", 200,
          fmt::format(R"({{"Results":[{}],"NextToken":"t"}})",
                      fleet_job("job-2", fmt::format(R"("EnableManagedSpotTraining":true,)"
                                                     R"("SecondaryStatus":"MaxWaitTimeExceeded",)"
                                                     R"("LastModifiedTime":{},{})",
                                                     kNow - 60, type))))
      .expect("\"NextToken\":\"t\"", 200, R"({"Results":[]})");
  EXPECT_EQ(get({Source::kDescribe, Source::kFleet}), Gathered::kJob);
  EXPECT_EQ(found(Source::kFleet),
            R"({"spot_timeouts_24h":1,"spot_interruptions_24h":0,"capacity_errors_24h":0})");
  const auto asked = json::Document::parse(transport_.sent.at(1).body);
  EXPECT_EQ(
      json::to_text(*asked->root().find("SearchExpression")),
      R"({"Filters":[{"Name":"LastModifiedTime","Operator":"GreaterThanOrEqualTo","Value":"2026-07-01T13:56:40Z"}],)"
      R"("SubExpressions":[{"Operator":"Or","Filters":[)"
      R"({"Name":"ResourceConfig.InstanceType","Operator":"Equals","Value":"ml.p4d.24xlarge"},)"
      R"({"Name":"ResourceConfig.InstanceType","Operator":"NotExists"}]},)"
      R"({"Operator":"Or","Filters":[{"Name":"EnableManagedSpotTraining","Operator":"Equals","Value":"true"},)"
      R"({"Name":"TrainingJobStatus","Operator":"Equals","Value":"Failed"}]}]})");
}

TEST_F(GatherTest, F1_APageWithoutResultsIsNoAnswer) {
  described(kMachines);
  transport_.expect("SageMaker.Search", 200, "{}");
  EXPECT_EQ(get({Source::kDescribe, Source::kFleet}), Gathered::kJob);
  EXPECT_TRUE(found(Source::kFleet).starts_with("unavailable: ")) << found(Source::kFleet);
}

TEST_F(GatherTest, AJobWithoutMachinesHasNoFleet) {
  described("");
  EXPECT_EQ(get({Source::kDescribe, Source::kFleet}), Gathered::kJob);
  EXPECT_EQ(found(Source::kFleet),
            R"({"spot_timeouts_24h":0,"spot_interruptions_24h":0,"capacity_errors_24h":0})");
}

TEST_F(GatherTest, AVeryLargeFleetIsLookedAtInPart) {
  described(kMachines);
  for (int page = 0; page < 20; ++page)
    transport_.expect("SageMaker.Search", 200,
                      fmt::format(R"({{"Results":[],"NextToken":"{}"}})", page));
  EXPECT_EQ(get({Source::kDescribe, Source::kFleet}), Gathered::kJob);
  EXPECT_TRUE(sources_.known(Source::kFleet).has_value());
}

}  // namespace
}  // namespace trainwarden::actions
