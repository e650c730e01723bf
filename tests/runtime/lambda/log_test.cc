#include "runtime/lambda/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "runtime/json/json.h"
#include "tests/support/env.h"
#include "tests/support/manual_clock.h"

namespace trainwarden::lambda::log_test {
namespace {

constexpr sys_millis kNow{std::chrono::milliseconds(1783000213007)};

class LogTest : public ::testing::Test {
 protected:
  LogTest() {
    if (pipe2(pipe_, O_NONBLOCK) != 0) throw std::runtime_error("pipe2");
  }
  ~LogTest() override {
    close(pipe_[0]);
    close(pipe_[1]);
  }
  Log make(LogFormat format, Level least = Level::kInfo) {
    return {format, least, pipe_[1], clock_};
  }
  std::string written(std::size_t most = 4096) {
    std::string text(most, '\0');
    const ssize_t n = read(pipe_[0], text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

  int pipe_[2]{};
  testing::ManualClock clock_{kNow};
};

TEST_F(LogTest, AJsonLineHasTimestampLevelMessageAndFields) {
  Log log = make(LogFormat::kJson);
  log.set_request("r-1");
  log.warn("two\nlines", {{"found", "\"x\""}});
  EXPECT_EQ(
      written(),
      "{\"timestamp\":\"2026-07-02T13:50:13.007Z\",\"level\":\"WARN\",\"message\":\"two\\nlines\","
      "\"requestId\":\"r-1\",\"found\":\"\\\"x\\\"\"}\n");
}

TEST_F(LogTest, ATextLineIsOneLine) {
  make(LogFormat::kText).error("two\nlines", {{"found", "x y"}});
  EXPECT_EQ(written(), "2026-07-02T13:50:13.007Z - ERROR two lines found=\"x y\"\n");
}

// CloudWatch Logs takes 256 KB as one event, whatever the texts are that a line must hold.
TEST_F(LogTest, NoLineIsLongerThanAnEventOfCloudWatchLogs) {
  fcntl(pipe_[1], F_SETPIPE_SZ, 1 << 20);
  for (const char* unit : {"a", "\"", "\x01", "\x7F", "\u2028", "\xFF", "ü"}) {
    std::string text;
    while (text.size() < 400'000) text += unit;
    json::Writer object;
    object.begin_object().member("job", text).end_object();
    const std::string json = object.take();
    for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
      const Log log = make(format);
      log.error(text, {{"errorType", text}, {"error", text}});
      std::string line = written(1 << 20);
      EXPECT_LE(line.size(), kLongestLine) << unit;
      EXPECT_GT(line.size(), kLongestLine / 10) << unit;
      EXPECT_TRUE(line.ends_with('\n')) << unit;
      log.record(Level::kInfo, "decision", "record", json, {});
      line = written(1 << 20);
      EXPECT_LE(line.size(), kLongestLine) << unit;
      EXPECT_NE(line.find("left_out_bytes"), std::string::npos) << unit;
    }
  }
}

TEST_F(LogTest, LowerLevelsAreNotWritten) {
  const Log log = make(LogFormat::kJson, Level::kWarn);
  log.info("no");
  EXPECT_EQ(written(), "");
}

TEST_F(LogTest, ARecordIsAWholeObject) {
  const auto record = json::Document::parse(R"({"job":"j"})");
  make(LogFormat::kJson).record(Level::kInfo, "decision", "record", record->root());
  EXPECT_NE(written().find("\"record\":{\"job\":\"j\"}}\n"), std::string::npos);
}

TEST_F(LogTest, R2_MetricsAreOneLineInEmbeddedMetricFormat) {
  Metrics metrics("Trainwarden", {"Function", "state"});
  metrics.add("Stops", 1);
  metrics.add("Stops", 1);
  metrics.add("SavedUSD", 12.5, Unit::kNone);
  make(LogFormat::kText, Level::kFatal).metrics(metrics);
  EXPECT_EQ(written(),
            R"({"_aws":{"Timestamp":1783000213007,"CloudWatchMetrics":[{"Namespace":"Trainwarden",)"
            R"("Dimensions":[["Function"]],"Metrics":[{"Name":"Stops","Unit":"Count"},)"
            R"({"Name":"SavedUSD","Unit":"None"}]}]},"Function":"state","Stops":2,"SavedUSD":12.5})"
            "\n");
}

TEST_F(LogTest, R1_ARecordAndItsMetricsAreOneWriteOfALineEach) {
  std::vector<Metrics> metrics{Metrics("Trainwarden", {}), Metrics("Trainwarden", {})};
  metrics[1].add("Stops", 1);
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const Log log = make(format);
    const auto parsed = json::Document::parse(R"({"job":"j"})");
    log.record(Level::kInfo, "decision", "record", parsed->root());
    log.metrics(metrics[0]);
    log.metrics(metrics[1]);
    const std::string one_by_one = written();
    log.record(Level::kInfo, "decision", "record", R"({"job":"j"})", metrics);
    EXPECT_EQ(written(), one_by_one);
  }
  make(LogFormat::kJson, Level::kWarn).record(Level::kInfo, "m", "record", "{}", metrics);
  EXPECT_TRUE(written().starts_with("{\"_aws\""));
  make(LogFormat::kJson, Level::kWarn).record(Level::kInfo, "m", "record", "{}", {});
  EXPECT_EQ(written(), "");
}

TEST_F(LogTest, NoMetricsAreNoLine) {
  make(LogFormat::kJson).metrics(Metrics("Trainwarden", {"", ""}));
  EXPECT_EQ(written(), "");
}

TEST_F(LogTest, TheLevelComesFromTheEnvironment) {
  const struct {
    const char* level;
    bool debug, info, error;
  } cases[] = {{"TRACE", true, true, true},   {"INFO", false, true, true},
               {"ERROR", false, false, true}, {"FATAL", false, false, false},
               {"loud", false, true, true},   {"", false, true, true}};
  for (const auto& [level, debug, info, error] : cases) {
    const testing::Env env{std::string("AWS_LAMBDA_LOG_LEVEL=") + level};
    const Log log = Log::from(env(), clock_);
    EXPECT_EQ(log.enabled(Level::kDebug), debug) << level;
    EXPECT_EQ(log.enabled(Level::kInfo), info) << level;
    EXPECT_EQ(log.enabled(Level::kError), error) << level;
  }
}

// CloudWatch Logs and those who read it take U+2028 and the like for the end of a line.
TEST_F(LogTest, R1_WhatOthersWroteStaysOnItsLine) {
  const std::string found = "jo\nERROR: \u2028a\u0085b\u202ec\x1b[2J";
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const Log log = make(format);
    const json::Document record = json::Document::build(
        [&](json::Sink& sink) { sink.begin_object().member("owner", found).end_object(); });
    log.record(Level::kInfo, "decision " + found, "record", record.root());
    log.warn(found, {{"field", found}});
    const std::string all = written();
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2) << all;
    for (const char* gone : {"\u2028", "\u0085", "\u202e", "\x1b"})
      EXPECT_EQ(all.find(gone), std::string::npos) << all;
    if (format != LogFormat::kJson) continue;
    const auto line = json::Document::parse(all.substr(0, all.find('\n')));
    ASSERT_TRUE(line);
    EXPECT_EQ(line->root().find("record")->find("owner")->as_string(), found);
  }
}

}  // namespace
}  // namespace trainwarden::lambda::log_test
