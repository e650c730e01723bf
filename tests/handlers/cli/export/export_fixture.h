// An export of the in-process AWS into a file of its own.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "handlers/cli/export/export_command.h"
#include "tests/handlers/cli/aws_fixture.h"
#include "tests/handlers/cli/stdio_file.h"

namespace trainwarden::cli::export_fixture {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kDenied;
using testing::kThrottled;
using testing::PlacedJob;

inline constexpr const char* kPolicy = R"({"version": 1, "mode": "enforce",
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

}  // namespace trainwarden::cli::export_fixture
