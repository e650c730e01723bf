// `trainwarden export` (issue 17, 2): by whole days, oldest first, with what the policy needs and
// nothing that it does not.
#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "awsapi/pace.h"
#include "handlers/cli/export/export_command.h"
#include "tests/handlers/cli/arguments.h"
#include "tests/handlers/cli/aws_fixture.h"
#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli::export_test {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;
using testing::kThrottled;
using testing::PlacedJob;

constexpr const char* kPolicy = R"({"version": 1, "mode": "enforce",
  "watches": {"idle": {"metric": "GPUUtilization", "statistic": "Maximum", "period_seconds": 300,
              "periods": 3, "at_most": 1, "missing": "notBreaching"}},
  "rules": [{"name": "debug", "actions": ["notify"],
             "match": {"job": {"Environment": {"MODE": ["debug"]}}}},
            {"name": "again", "match": {"failure": {"resume": ["yes"]}}, "actions": ["restart"]}]})";

class Folder {
 public:
  Folder() {
    path_ = ::testing::TempDir() + "export_test.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Folder() {
    ::unlink(file().c_str());
    ::rmdir(path_.c_str());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file() const { return path_ + "/jobs.jsonl"; }

 private:
  std::string path_;
};

class Export : public AwsFixture {
 protected:
  Export() : AwsFixture(kBegin) {}

  Printed run(bool resume = false, std::chrono::seconds span = days(3)) {
    inputs_.policy_name = "policy.json";
    inputs_.out = folder_.file();
    inputs_.resume = resume;
    inputs_.span = span;
    const auto policy = rules::parse_policy(policy_);
    EXPECT_TRUE(policy) << policy.error().message;
    auto file = resume ? ExportFile::resume(inputs_.out) : ExportFile::create(inputs_.out);
    if (!file) return {2, {}, file.error().message};
    const File told(std::tmpfile());
    Console console(told.get(), false, [&] { return interrupted_; });
    const auto list = []() -> Result<ListedPrices> {
      ListedPrices out("eu-central-1");
      const auto product = json::Document::parse(
          R"({"publicationDate": "2026-06-20T01:02:03Z",
              "product": {"attributes": {"instanceName": "ml.g5.12xlarge"}},
              "terms": {"OnDemand": {"t": {"priceDimensions": {"d": {"unit": "Hrs",
                        "pricePerUnit": {"USD": "7.1"}}}}}}})");
      out.add(product->root());
      return out;
    };
    Printed out = with_apis([&](const actions::Apis& apis) {
      return export_jobs(inputs_, *policy, *file, apis, {list, console, false});
    });
    out.error = content(told.get()) + out.error;
    return out;
  }
  std::vector<std::string> lines() const {
    std::ifstream in(folder_.file());
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  // The names of jobs and the days that close, in order.
  std::string order() const {
    std::string out;
    for (const std::string& line : lines()) {
      const auto document = json::Document::parse(line);
      EXPECT_TRUE(document) << line;
      const json::Value root = document->root();
      if (const auto job = root.find("job"))
        out += std::string(job->find("TrainingJobName")->as_string()) + " ";
      if (const auto day = root.find("day")) out += std::string(day->as_string().substr(8)) + "| ";
      if (root.find("end")) out += "end";
    }
    return out;
  }
  json::Document line_of_job(const std::string& name) const {
    for (const std::string& line : lines()) {
      auto document = json::Document::parse(line);
      const auto job = document->root().find("job");
      if (job && job->find("TrainingJobName")->as_string() == name) return *std::move(document);
    }
    ADD_FAILURE() << "no such job: " << name;
    return *json::Document::parse("{}");
  }
  void put(const std::string& job, double value, seconds ago) {
    ASSERT_TRUE(aws_.call(
        "PutMetricData",
        fmt::format(
            R"({{"Namespace":"/aws/sagemaker/TrainingJobs","MetricData":[{{"MetricName":"GPUUtilization",)"
            R"("Dimensions":[{{"Name":"Host","Value":"{}/algo-1"}}],"Timestamp":{},"Value":{}}}]}})",
            job, (clock_.now() - ago).time_since_epoch().count() / 1000, value)));
  }

  // 2026-07-02T13:50:00Z
  static constexpr sys_millis kBegin{std::chrono::milliseconds(1'783'000'200'000)};
  Folder folder_;
  ExportInputs inputs_;
  std::string policy_ = kPolicy;
  bool interrupted_ = false;
};

TEST_F(Export, JobsStandOldestFirstAndEachDayIsClosed) {
  aws_.place({.name = "new", .age = hours(1)});
  aws_.place({.name = "old", .age = hours(50)});
  aws_.place({.name = "middle", .age = hours(49)});
  aws_.place({.name = "too-old", .age = days(3) + hours(1)});
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0) << printed.error;
  EXPECT_EQ(order(), "29| old middle 30| 01| new 02| end");
  EXPECT_TRUE(has(printed.error, "3 jobs of eu-central-1")) << printed.error;
  EXPECT_EQ(aws_.count("Search"), 4);
  EXPECT_FALSE(aws_.wrote());
  struct stat found = {};
  ASSERT_EQ(stat(folder_.file().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(Export, OneJobIsCalledOneAndWhatWasNotAskedForIsNotCharged) {
  aws_.place({.name = "run", .tags = {{"team", "vision"}}});
  policy_ = R"({"version": 1, "rules": [{"name": "r", "actions": ["notify"],
      "match": {"tags": {"team": ["vision"]}}}]})";
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0) << printed.error;
  EXPECT_TRUE(has(printed.error, "1 job of eu-central-1")) << printed.error;
  EXPECT_FALSE(has(printed.error, "charges")) << printed.error;
}

TEST_F(Export, ValuesAreLeftOutButForThoseThatAPatternNames) {
  aws_.place({.name = "run",
              .tags = {{"team", "vision"}},
              .more = R"(, "Environment": {"MODE": "debug", "TOKEN": "hunter2"},
                         "HyperParameters": {"key": "hunter2"})"});
  ASSERT_EQ(run().status, 0);
  const json::Document line = line_of_job("run");
  const json::Value job = *line.root().find("job");
  EXPECT_EQ(json::to_text(*job.find("Environment")), R"({"MODE":"debug"})");
  EXPECT_FALSE(job.find("HyperParameters"));
  EXPECT_FALSE(job.find("Tags"));
  EXPECT_EQ(json::to_text(*line.root().find("tags")), R"({"team":"vision"})");
  for (const std::string& one : lines()) EXPECT_FALSE(has(one, "hunter2")) << one;
}

TEST_F(Export, MetricsStandInTheWatchesOwnPeriods) {
  aws_.place({.name = "run", .age = hours(2), .since = hours(1)});
  put("run", 40, minutes(60));
  put("run", 0.5, minutes(50));
  put("other", 99, minutes(50));
  ASSERT_EQ(run().status, 0);
  const json::Document line = line_of_job("run");
  const auto metrics = line.root().find("metrics");
  ASSERT_TRUE(metrics && metrics->size() == 1) << json::to_text(line.root());
  const json::Value metric = *metrics->elements().begin();
  EXPECT_EQ(metric.find("metric")->as_string(), "GPUUtilization");
  EXPECT_EQ(metric.find("period_seconds")->as_integer(), 300);
  EXPECT_EQ(metric.find("from")->as_string(), "2026-07-02T12:50:00Z");
  EXPECT_EQ(json::to_text(*metric.find("series")), R"({"algo-1":[40,null,0.5]})");
  EXPECT_EQ(aws_.count("GetMetricData"), 1);
}

TEST_F(Export, ManyHostsAreAskedForInCallsOfFiveHundred) {
  aws_.place({.name = "wide", .count = 600, .age = hours(2), .since = hours(1)});
  ASSERT_EQ(run().status, 0);
  EXPECT_EQ(aws_.count("GetMetricData"), 2);
}

TEST_F(Export, APolicyWithoutWatchesAsksForNoMetricsAndNoLogs) {
  policy_ = R"({"version": 1, "rules": [{"name": "r", "match": {"tags": {"a": ["b"]}},
                "actions": ["notify"]}]})";
  aws_.place({.name = "run"});
  aws_.place({.name = "bad",
              .status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  ASSERT_EQ(run().status, 0);
  EXPECT_EQ(aws_.count("GetMetricData"), 0);
  EXPECT_EQ(aws_.count("FilterLogEvents"), 0);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 0);
}

TEST_F(Export, LogsAreReadOnlyWhereTheReasonDoesNotTell) {
  aws_.place(
      {.name = "clear",
       .status = "Failed",
       .secondary = "Failed",
       .more =
           R"(, "FailureReason": "InternalServerError: We encountered an internal error. Please try again.")"});
  ASSERT_EQ(run().status, 0);
  const auto before = aws_.count("FilterLogEvents");
  ::unlink(folder_.file().c_str());
  aws_.place({.name = "vague",
              .status = "Failed",
              .secondary = "Failed",
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  ASSERT_EQ(run().status, 0);
  EXPECT_GT(aws_.count("FilterLogEvents"), before);
  EXPECT_TRUE(line_of_job("vague").root().find("logs"));
  EXPECT_FALSE(line_of_job("clear").root().find("logs"));
}

TEST_F(Export, DescribeIsAskedOnlyForWhatSearchLacks) {
  policy_ = R"({"version": 1, "rules": [{"name": "r", "actions": ["notify"],
      "match": {"job": {"RemoteDebugConfig": {"EnableRemoteDebug": [true]}}}}]})";
  aws_.place({.name = "run", .more = R"(, "RemoteDebugConfig": {"EnableRemoteDebug": true})"});
  ASSERT_EQ(run().status, 0);
  EXPECT_EQ(aws_.count("DescribeTrainingJob"), 1);
  const json::Document line = line_of_job("run");
  EXPECT_TRUE(line.root().find("described"));
  EXPECT_TRUE(line.root().find("job")->find("RemoteDebugConfig"));
}

TEST_F(Export, F1_WhatIsDeniedIsNotedAndNeverAbsent) {
  aws_.place({.name = "run", .age = hours(2), .since = hours(1)});
  aws_.place({.name = "next", .age = hours(30), .since = hours(29)});
  aws_.refuse("GetMetricData", kDenied, 99);
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "GetMetricData was denied")) << printed.error;
  EXPECT_EQ(aws_.count("GetMetricData"), 1);  // not asked again and again
  for (const char* const job : {"run", "next"})
    EXPECT_TRUE(line_of_job(job).root().find("unavailable")->find("metrics")) << job;
}

TEST_F(Export, ThrottledItEndsWithAWholeDayAndGoesOn) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.place({.name = "new", .age = hours(1)});
  aws_.spare("Search", 2);
  aws_.refuse("Search", kThrottled, 1);
  const Printed cut = run();
  EXPECT_EQ(cut.status, 2);
  EXPECT_EQ(order(), "29| old 30| ");
  EXPECT_TRUE(has(cut.error, "AWS asks for fewer calls")) << cut.error;
  EXPECT_TRUE(has(cut.error,
                  "all jobs until 2026-06-30 are there; to go on: trainwarden export "
                  "--for policy.json --last 90d --out "))
      << cut.error;
  EXPECT_TRUE(has(cut.error, "--resume\n"));
  const Printed again = run(true);
  EXPECT_EQ(again.status, 0) << again.error;
  EXPECT_EQ(order(), "29| old 30| 01| new 02| end");
  EXPECT_EQ(run(true).status, 0);
  EXPECT_TRUE(has(run(true).error, "is whole already: 2 jobs"));
}

TEST_F(Export, ASessionThatEndsIsSaidSoAndGoesOn) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.spare("Search", 3);
  aws_.refuse("Search", {400, "ExpiredTokenException", "expired"}, 1);
  const Printed cut = run();
  EXPECT_EQ(cut.status, 2);
  EXPECT_TRUE(has(cut.error, "sign in again, then go on")) << cut.error;
  EXPECT_EQ(run(true).status, 0);
  EXPECT_EQ(order(), "29| old 30| 01| 02| end");
}

// A person's session, good for so many calls.
class Ending final : public aws::CredentialSource {
 public:
  explicit Ending(int calls) : calls_(calls) {}
  Result<aws::Credentials> current() override {
    if (calls_-- > 0) return aws::Credentials{"AKIDEXAMPLE", Secret("s"), Secret()};
    return fail(ErrorCode::kInvalidConfig, "the credentials have ended");
  }
  bool renew() override { return false; }

 private:
  int calls_;
};

// Wherever the session ends, no job is marked as one whose data nobody may have.
TEST_F(Export, ASessionThatEndsBetweenTheCallsOfADayCutsTheDay) {
  aws_.place({.name = "run", .age = hours(2), .since = hours(1)});
  aws_.place({.name = "bad",
              .status = "Failed",
              .secondary = "Failed",
              .age = hours(3),
              .more = R"(, "FailureReason": "AlgorithmError: , exit code: 1")"});
  for (int calls = 0; calls < 6; ++calls) {
    ::unlink(folder_.file().c_str());
    Ending source(calls);
    aws::Client ending(
        {{}, "eu-central-1", 1, aws::Endpoints::all_at("https://api.example/"), &source}, aws_,
        clock_, [] { return 0.0; });
    asking_ = &ending;
    const Printed cut = run();
    EXPECT_EQ(cut.status, 2) << calls;
    EXPECT_TRUE(has(cut.error, "sign in again, then go on")) << calls << cut.error;
    asking_ = &client_;
    EXPECT_EQ(run(true).status, 0);
    EXPECT_EQ(order(), "29| 30| 01| bad run 02| end") << calls;
    for (const std::string& line : lines()) EXPECT_FALSE(has(line, "unavailable")) << line;
  }
}

// What was written of a day that is not closed is taken away: it comes again, whole.
TEST_F(Export, AFileThatWasCutWithinALineGoesOnBehindItsLastWholeDay) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.place({.name = "new", .age = hours(1)});
  ASSERT_EQ(run().status, 0);
  const std::vector<std::string> whole = lines();
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) text += whole[i] + "\n";
  {
    std::ofstream cut(folder_.file(), std::ios::trunc);
    cut << text << R"({"job": {"TrainingJobName": "half)";
  }
  clock_.advance(hours(5));  // the time that was asked for stays
  ASSERT_EQ(run(true).status, 0);
  const std::vector<std::string> again = lines();
  ASSERT_EQ(again.size(), whole.size());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(again[i], whole[i]);
  EXPECT_EQ(order(), "29| old 30| 01| new 02| end");
}

TEST_F(Export, AFileIsNotOverwrittenAndGoesOnOnlyAsItBegan) {
  ASSERT_EQ(run().status, 0);
  EXPECT_TRUE(has(run().error, "is there already: --resume"));
  {
    std::ofstream cut(folder_.file(), std::ios::trunc);
    cut << R"({"export":{"version":1,"since":"2026-06-29T13:50:00Z","until":"2026-07-02T13:50:00Z",)"
           R"("region":"eu-central-1","policy":"another"}})"
        << "\n";
  }
  EXPECT_TRUE(has(run(true).error, "begun for the policy another"));
  {
    std::ofstream other(folder_.file(), std::ios::trunc);
    other << "{\"mine\": 1}\n";
  }
  EXPECT_TRUE(has(run(true).error, "expected an export"));
  EXPECT_EQ(lines(), std::vector<std::string>{"{\"mine\": 1}"});
}

// A path that was mistyped costs nobody a file, nor its mode.
TEST_F(Export, WhatIsNoExportStaysAsItWas) {
  for (const std::string text : {"{\"mine\": 1}", "{\"mine\": 1}\n", "x", "{\"exports\":1}"}) {
    {
      std::ofstream other(folder_.file(), std::ios::trunc);
      other << text;
    }
    ASSERT_EQ(::chmod(folder_.file().c_str(), 0644), 0);
    EXPECT_TRUE(has(run(true).error, "expected an export")) << text;
    std::ifstream in(folder_.file());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
    struct stat found = {};
    ASSERT_EQ(::stat(folder_.file().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0644U) << text;
  }
}

// Killed while it wrote the first line.
TEST_F(Export, AFirstLineThatWasCutIsBegunAnew) {
  for (const char* const text : {"", "{\"ex", "{\"export\":{\"version\":1,"}) {
    {
      std::ofstream cut(folder_.file(), std::ios::trunc);
      cut << text;
    }
    EXPECT_EQ(run(true).status, 0) << text;
    EXPECT_TRUE(has(order(), "end")) << text;
  }
}

TEST_F(Export, APipeOrALinkIsNoFileToGoOnWith) {
  ASSERT_EQ(::mkfifo(folder_.file().c_str(), 0600), 0);
  EXPECT_TRUE(has(run(true).error, "expected a file, found a pipe or a device"));
  ::unlink(folder_.file().c_str());
  ASSERT_EQ(::symlink("elsewhere", folder_.file().c_str()), 0);
  EXPECT_TRUE(has(run(true).error, "expected a file, found a symbolic link"));
}

TEST_F(Export, AFileThatCannotGrowSaysHowToGoOn) {
  aws_.place({.name = "old", .age = hours(50)});
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 300;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Printed cut = run();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(cut.status, 2);
  EXPECT_TRUE(has(cut.error, "jobs.jsonl cannot be written: File too large\n")) << cut.error;
  EXPECT_TRUE(has(cut.error, "all jobs until 2026-06-29 are there; to go on: ")) << cut.error;
  EXPECT_TRUE(has(cut.error, "--resume\n")) << cut.error;
  EXPECT_EQ(run(true).status, 0);
  EXPECT_EQ(order(), "29| old 30| 01| 02| end");
}

TEST_F(Export, AfterTodayThereIsNothing) {
  const auto today = std::chrono::floor<days>(clock_.now());
  for (const int ahead : {0, 1, 900}) {
    inputs_.after = today + days(ahead);
    const Printed refused = run();
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(has(refused.error, "expected a day before today's (2026-07-02)")) << refused.error;
    EXPECT_TRUE(lines().empty());
    ::unlink(folder_.file().c_str());
  }
  inputs_.after = today - days(1);
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(order(), "02| end");
}

TEST_F(Export, InterruptedItSaysHowToGoOn) {
  aws_.place({.name = "old", .age = hours(50)});
  aws_.before("Search", [this] { interrupted_ = true; }, 3);
  const Printed cut = run();
  EXPECT_EQ(cut.status, 130);
  EXPECT_TRUE(has(cut.error, "interrupted\nall jobs until 2026-06-30 are there; to go on: "))
      << cut.error;
  interrupted_ = false;
  EXPECT_EQ(run(true).status, 0);
}

TEST_F(Export, AnAccountWithoutJobsIsSaidToBeThat) {
  const Printed printed = run();
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "no training job was created in eu-central-1")) << printed.error;
  EXPECT_EQ(order(), "29| 30| 01| 02| end");
}

TEST_F(Export, WhatNoExportCanHaveIsSaidFirst) {
  policy_ = R"({"version": 1,
    "watches": {"beat": {"metric": "loss", "source": "algorithm", "statistic": "SampleCount",
                "period_seconds": 60, "periods": 10, "below": 1}},
    "rules": [{"name": "bare", "match": {"checkpoint": {"exists": [false]}}, "actions": ["notify"]}]})";
  const Printed printed = run(false, days(20));
  EXPECT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "the rule bare asks for `checkpoint`")) << printed.error;
  EXPECT_TRUE(has(printed.error,
                  "the watch beat has periods of 60 s, which CloudWatch keeps for 15 "
                  "days: of jobs before 2026-06-17 "))
      << printed.error;
}

TEST_F(Export, PricesOfTheTypesThatAreMetStandThereWithTheirDate) {
  aws_.place({.name = "run"});
  aws_.place({.name = "other", .type = "ml.p5.48xlarge"});
  const Printed printed = run();
  ASSERT_EQ(printed.status, 0);
  EXPECT_TRUE(has(printed.error, "the price list has none, or several, for ml.p5.48xlarge\n"))
      << printed.error;
  const auto all = lines();
  const auto prices = json::Document::parse(all[all.size() - 2]);
  ASSERT_TRUE(prices);
  const json::Value told = *prices->root().find("prices");
  EXPECT_EQ(told.find("published")->as_string(), "2026-06-20");
  EXPECT_EQ(json::to_text(*told.find("usd_per_hour")), R"({"ml.g5.12xlarge":7.1})");
}

// A list has hundreds of types: those of the days that stood there before are among them.
TEST_F(Export, AnExportThatGoesOnHasThePricesOfOneThatWasNotCut) {
  aws_.place({.name = "old", .type = "ml.p5.48xlarge", .age = hours(50)});
  aws_.place({.name = "new", .age = hours(1)});
  ASSERT_EQ(run().status, 0);
  const std::vector<std::string> whole = lines();
  for (std::size_t kept = 1; kept + 1 < whole.size(); ++kept) {
    {
      std::ofstream cut(folder_.file(), std::ios::trunc);
      for (std::size_t i = 0; i < kept; ++i) cut << whole[i] << "\n";
    }
    const Printed again = run(true);
    ASSERT_EQ(again.status, 0) << again.error;
    EXPECT_EQ(lines(), whole) << kept;
    EXPECT_TRUE(has(again.error, "has none, or several, for ml.p5.48xlarge\n")) << again.error;
  }
}

TEST_F(Export, WhatATerminalWouldObeyIsEscaped) {
  aws_.place({.name = "run",
              .tags = {{"team",
                        "a\x1b[2J\xE2\x80\xAE"
                        "b"}}});
  ASSERT_EQ(run().status, 0);
  for (const std::string& line : lines())
    EXPECT_TRUE(line.find('\x1b') == std::string::npos && !has(line, "\xE2\x80\xAE")) << line;
  EXPECT_EQ(line_of_job("run").root().find("tags")->find("team")->as_string(),
            "a\x1b[2J\xE2\x80\xAE"
            "b");
}

TEST_F(Export, NoServiceIsAskedMoreThanFiveTimesASecond) {
  for (int n = 0; n < 12; ++n)
    aws_.place({.name = fmt::format("failed-{}", n), .status = "Failed", .secondary = "Failed"});
  aws::Pace pace;
  pace_ = &pace;
  const auto begin = clock_.now();
  EXPECT_EQ(run().status, 0);
  EXPECT_GE(aws_.count("FilterLogEvents"), 12);
  EXPECT_GT(clock_.now() - begin, seconds(2));
}

TEST(ExportArguments, AreCheckedAndCanBeGivenAgain) {
  const auto read = [](const std::vector<std::string>& words) {
    return read_export(Arguments(words).get());
  };
  const auto given = read({"--for", "{\"a\": 'b'}", "--last", "2w", "--profile", "my team"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->span, days(14));
  EXPECT_EQ(command_to_go_on(*given, *read_day("2026-11-20")),
            R"(trainwarden export --for '{"a": '\''b'\''}' --last 2w --profile 'my team')"
            " --after 2026-11-20 >> FILE");
  EXPECT_EQ(*read_span("12h"), hours(12));
  for (const char* const wrong : {"", "d", "0d", "-1d", "90", "90x", "456d", "66w", "1.5d"})
    EXPECT_FALSE(read_span(wrong)) << wrong;
  EXPECT_FALSE(read_day("20.11.2026"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{},
                                             {"--for"},
                                             {"--for", "{}", "--resume"},
                                             {"--for", "{}", "x"},
                                             {"--for", "{}", "--after", "2026-11-20", "--out", "f"},
                                             {"--for", "/no/such/file"}})
    EXPECT_FALSE(read(wrong));
}

}  // namespace
}  // namespace trainwarden::cli::export_test
