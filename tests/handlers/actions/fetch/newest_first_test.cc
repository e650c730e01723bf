// Issue 40.9: the end of a log comes first (FilterLogEvents, startFromHead false), and the old way
// where the service does not know that.
#include "handlers/actions/fetch/job_logs.h"
#include "handlers/actions/fetch/silent_logs.h"
#include "tests/handlers/actions/sweep/sweep_fixture.h"

namespace trainwarden::actions::newest_first_test {
namespace {

using Known = localaws::Logs::NewestFirst;

constexpr const char* kLogsGroup = "/aws/sagemaker/TrainingJobs";

class NewestFirst : public SweepTest, public ::testing::WithParamInterface<Known> {
 protected:
  void SetUp() override { aws_.logs().set_newest_first(GetParam()); }

  struct Line {
    milliseconds before;
    std::string text;
  };
  void log(const std::vector<Line>& lines, int host = 1, const std::string& job = "job-1") {
    const std::string stream = fmt::format("{}/algo-{}-1", job, host);
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kLogsGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}"}})", kLogsGroup, stream));
    std::string events;
    for (const Line& line : lines)
      events += fmt::format(R"({}{{"timestamp":{},"message":"{}"}})", events.empty() ? "" : ",",
                            (clock_.now() - line.before).time_since_epoch().count(), line.text);
    ASSERT_TRUE(
        aws_.call("PutLogEvents",
                  fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}","logEvents":[{}]}})",
                              kLogsGroup, stream, events)));
  }
  template <class Read>
  auto with_job(const Read& read, const std::string& name = "job-1") {
    const aws::CallContext context{clock_.in(left_), "", nullptr};
    const Apis apis(client_, clock_, context, config_, powers_, request_);
    apis.begin_look();
    const JobRef job{*aws::JobName::parse(name), {}};
    const auto described = apis.sagemaker.describe_training_job(job.name, context);
    EXPECT_TRUE(described);
    return read(job, rules::read_training_job(described->root()), apis);
  }
  std::vector<std::string> tail() {
    const auto document =
        with_job([](const JobRef& job, const rules::TrainingJob& described, const Apis& apis) {
          return tail_of_logs(job, described, apis);
        });
    std::vector<std::string> out;
    if (!document) return {document.error().message};
    for (const json::Value line : document->root().find("tail")->elements())
      out.emplace_back(line.as_string());
    return out;
  }
  std::string silence(std::vector<seconds> at) {
    const auto document =
        with_job([&](const JobRef& job, const rules::TrainingJob& described, const Apis& apis) {
          return silence_of_logs(job, described, at, apis);
        });
    return document ? json::to_text(document->root()) : document.error().message;
  }
  bool is_new() const { return GetParam() == Known::kKnown; }
};

TEST_P(NewestFirst, Issue40_9_TheTailIsTheEndOfTheLogOldestFirst) {
  place_ended("job-1", "Failed", hours(1));
  log({{hours(1) + minutes(3), "one"}, {hours(1) + minutes(2), "two"}, {hours(1), "three"}});
  log({{hours(1) + seconds(90), "two and a half"}}, 2);
  EXPECT_EQ(tail(), (Names{"one", "two", "two and a half", "three"}));
}

TEST_P(NewestFirst, Issue40_9_OfALongLogTheTailIsTheLast64KB) {
  place_ended("job-1", "Failed", hours(1));
  for (int batch = 9; batch >= 0; --batch) {
    std::vector<Line> lines;
    for (int i = 0; i < 3000; ++i)
      lines.push_back({hours(1) + seconds(batch * 50) + milliseconds(3000 - i),
                       fmt::format("line {:06}", (9 - batch) * 3000 + i)});
    log(lines);
  }
  const auto lines = tail();
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back(), "line 029999");
  EXPECT_EQ(lines.size(), 65'536U / 12);
  EXPECT_EQ(lines.front(), fmt::format("line {:06}", 30'000 - 65'536 / 12));
  EXPECT_TRUE(!is_new() || aws_.count("FilterLogEvents") == 1);
}

TEST_P(NewestFirst, Issue40_9_WhatIsOlderThanTenMinutesCountsOnlyWhereNothingIsYounger) {
  place_ended("job-1", "Failed", hours(1));
  log({{hours(1) + minutes(40), "long ago"}});
  EXPECT_EQ(tail(), Names{"long ago"});
  log({{hours(1) + minutes(2), "near the end"}});
  EXPECT_EQ(tail(), Names{"near the end"});
}

TEST_P(NewestFirst, Issue40_9_TheSecondsOfSilenceAreRightWhateverTheServiceKnows) {
  place("job-1");
  place("other");
  log({{minutes(58), "a"}, {minutes(50) + milliseconds(600), "b"}});
  log({{seconds(20), "c"}}, 1, "other");
  const std::string exact = silence({seconds(600), seconds(3000), seconds(3600)});
  EXPECT_EQ(exact, R"({"silent_seconds":3000})");
  EXPECT_EQ(silence({seconds(600), seconds(1200)}),
            is_new() ? R"({"silent_seconds":3000})" : R"({"silent_seconds":1200})");
  log({{seconds(90) + milliseconds(600), "d"}});
  EXPECT_EQ(silence({seconds(600)}),
            is_new() ? R"({"silent_seconds":90})" : R"({"silent_seconds":0})");
}

TEST_P(NewestFirst, Issue40_9_OneLineTellsTheSame) {
  place("job-1");
  place("other");
  log({{seconds(20), "c"}}, 1, "other");
  log({{minutes(50) + milliseconds(600), "only"}});
  EXPECT_EQ(silence({seconds(3000)}), R"({"silent_seconds":3000})");
  EXPECT_EQ(silence({seconds(3001)}), is_new() || GetParam() == Known::kIgnored
                                          ? R"({"silent_seconds":3000})"
                                          : R"({"silent_seconds":0})");
}

// Conditions that a lower bound alone could not answer.
TEST_P(NewestFirst, Issue40_9_F12_EveryOperatorOnNumbersIsAnswered) {
  place("job-1");
  place("other");
  log({{seconds(20), "c"}}, 1, "other");
  log({{minutes(55), "early"}, {seconds(1200) + milliseconds(600), "last"}});
  const auto holds = [this](const std::string& test) {
    const std::string rule = fmt::format(
        R"({{"name": "r", "match": {{"logs": {{"silent_seconds": [{}]}}}}, "actions": ["notify"]}})",
        test);
    return !handle(policy(rule, "observe"), event()).decisions.empty();
  };
  for (const char* const test :
       {R"({"numeric": [">=", 1200]})", R"({"numeric": ["<=", 1200]})",
        R"({"numeric": ["<", 1201]})", R"({"numeric": [">", 600, "<", 1800]})",
        R"({"numeric": ["=", 1200]})", "1200", R"({"anything-but": [1199, 1201]})",
        R"({"exists": true})"})
    EXPECT_TRUE(holds(test)) << test;
  for (const char* const test :
       {R"({"numeric": [">", 1200]})", R"({"numeric": ["<", 1200]})",
        R"({"numeric": ["<=", 1199]})", R"({"numeric": [">", 1200, "<", 1800]})",
        R"({"numeric": ["=", 1201]})", "1199", R"({"anything-but": 1200})", R"({"exists": false})"})
    EXPECT_FALSE(holds(test)) << test;
}

TEST_P(NewestFirst, Issue40_9_ALineThatIsWrittenMeanwhileCounts) {
  place("job-1");
  place("other");
  log({{seconds(20), "c"}}, 1, "other");
  log({{minutes(50) + milliseconds(600), "a"}});
  aws_.before("FilterLogEvents", [&] { log({{seconds(1), "b"}}); }, 2);
  EXPECT_NE(silence({seconds(3000)}), R"({"silent_seconds":3000})");
}

TEST_P(NewestFirst, Issue40_9_AJobThatNeverWroteALineHasNoLogs) {
  place("job-1");
  place("other");
  log({{seconds(20), "c"}}, 1, "other");
  EXPECT_EQ(silence({seconds(0)}), "{}");
  EXPECT_EQ(silence({seconds(0), seconds(600)}), "{}");
  log({{seconds(5) + milliseconds(600), "a"}});
  EXPECT_EQ(silence({seconds(0)}), is_new() || GetParam() == Known::kIgnored
                                       ? R"({"silent_seconds":5})"
                                       : R"({"silent_seconds":0})");
}

INSTANTIATE_TEST_SUITE_P(Service, NewestFirst,
                         ::testing::Values(Known::kKnown, Known::kRefused, Known::kIgnored),
                         [](const auto& known) {
                           return std::string(known.param == Known::kKnown     ? "KnowsTheOrder"
                                              : known.param == Known::kRefused ? "RefusesIt"
                                                                               : "IgnoresIt");
                         });

TEST_F(SweepTest, Issue40_9_NothingBefore2024IsAskedForFromTheEnd) {
  aws_.place({.name = "job-1", .age = hours(24 * 365 * 4), .since = hours(2)});
  const Record record = handle(policy(R"(
    {"name": "r", "match": {"logs": {"silent_seconds": [{"numeric": [">=", 3600]}]}}, "actions": ["notify"]})",
                                      "observe"),
                               event());
  EXPECT_EQ(aws_.count("FilterLogEvents"), 1);
}

// A job that writes is no silent job: such a stop counts among those that descriptions ask for, and
// is not put off.
TEST_F(SweepTest, Issue40_9_P7_AStopOfAJobThatWritesIsNoStopOfASilentOne) {
  const std::string writes = R"(
    {"name": "chatty", "match": {"logs": {"silent_seconds": [{"numeric": ["<", 600]}]}}, "actions": ["stop"]})";
  for (const char* job : {"a", "b", "c"}) {
    place(job);
    const std::string stream = fmt::format("{}/algo-1-1", job);
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kLogsGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}"}})", kLogsGroup, stream));
    aws_.call(
        "PutLogEvents",
        fmt::format(
            R"({{"logGroupName":"{}","logStreamName":"{}","logEvents":[{{"timestamp":{},"message":"x"}}]}})",
            kLogsGroup, stream, (clock_.now() - seconds(5)).time_since_epoch().count()));
  }
  const SweepReport report = run(limited(writes, 2));
  EXPECT_EQ(report.measured, 0U);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
}

// The other way round: an exemption that ends by silence.
TEST_F(SweepTest, Issue40_9_P7_AnExemptionThatEndsBySilenceIsSeenFirst) {
  const std::string rule = R"(
    {"name": "quiet", "match": {"job": {"SecondaryStatus": ["Training"]}},
     "unless": {"logs": {"silent_seconds": [{"numeric": ["<", 1800]}]}}, "actions": ["stop"]})";
  const auto log = [this](const std::string& job, seconds before) {
    const std::string stream = job + "/algo-1-1";
    aws_.call("CreateLogGroup", fmt::format(R"({{"logGroupName":"{}"}})", kLogsGroup));
    aws_.call("CreateLogStream",
              fmt::format(R"({{"logGroupName":"{}","logStreamName":"{}"}})", kLogsGroup, stream));
    aws_.call(
        "PutLogEvents",
        fmt::format(
            R"({{"logGroupName":"{}","logStreamName":"{}","logEvents":[{{"timestamp":{},"message":"x"}}]}})",
            kLogsGroup, stream, (clock_.now() - before).time_since_epoch().count()));
  };
  place("job-1");
  place("other");
  log("job-1", minutes(40));
  log("other", seconds(20));
  run(rule);
  EXPECT_EQ(aws_.count("StopTrainingJob"), 0);
  aws_.pass(minutes(10));
  log("other", seconds(20));
  run(rule);
  EXPECT_EQ(aws_.status("job-1"), "Stopping");
  EXPECT_EQ(aws_.status("other"), "InProgress");
}

}  // namespace
}  // namespace trainwarden::actions::newest_first_test
