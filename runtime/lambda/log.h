// Log lines as Lambda reads them: JSON objects with `timestamp` and `level`, or plain text, chosen
// by AWS_LAMBDA_LOG_FORMAT (JSON or Text) and AWS_LAMBDA_LOG_LEVEL (TRACE, DEBUG, INFO, WARN,
// ERROR, FATAL). Each line is written at once to stdout, and none is longer than CloudWatch Logs
// takes as one event: long fields are cut. Never log payloads, hyperparameters,
// environment or credentials. Source:
// https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/environment.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"
#include "runtime/lambda/metrics.h"

namespace trainwarden::lambda {

enum class Level : std::uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kFatal };
// In bytes, with the line's end.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
inline constexpr std::size_t kLongestLine = 256'000;

enum class LogFormat : std::uint8_t { kText, kJson };

class Log {
 public:
  using Field = std::pair<std::string_view, std::string_view>;

  Log(LogFormat format, Level least, int descriptor, const Clock& clock)
      : format_(format), least_(least), descriptor_(descriptor), clock_(clock) {}

  // Text where AWS_LAMBDA_LOG_FORMAT is unset, as Lambda's default is; INFO where the level is
  // unset. A value that Lambda does not document counts as unset.
  static Log from(const Environment& environment, const Clock& clock);

  // The request id that lines belong to from now on; empty outside invocations.
  void set_request(std::string_view id) { request_id_ = id; }

  bool enabled(Level level) const { return level >= least_; }
  void write(Level level, std::string_view message, std::initializer_list<Field> fields = {}) const;
  // A line that carries a whole JSON object under `name`. Keeping it short is the caller's duty: of
  // one that no line can hold, only its size is logged.
  void record(Level level, std::string_view message, std::string_view name,
              json::Value object) const;

  // The same of a text that is JSON already, and the metrics on lines of their own below it, as
  // metrics() writes them: all in one write.
  void record(Level level, std::string_view message, std::string_view name, std::string_view object,
              std::span<const Metrics> metrics) const;

  // Metrics as a line of their own, whatever the level; nothing where there are none.
  void metrics(const Metrics& metrics) const;

  void debug(std::string_view m, std::initializer_list<Field> f = {}) const {
    write(Level::kDebug, m, f);
  }
  void info(std::string_view m, std::initializer_list<Field> f = {}) const {
    write(Level::kInfo, m, f);
  }
  void warn(std::string_view m, std::initializer_list<Field> f = {}) const {
    write(Level::kWarn, m, f);
  }
  void error(std::string_view m, std::initializer_list<Field> f = {}) const {
    write(Level::kError, m, f);
  }

 private:
  void begin(json::Writer& writer, Level level, std::string_view message) const;
  std::string text_line(Level level, std::string_view message) const;
  // On one line, with its end.
  std::string record_line(Level level, std::string_view message, std::string_view name,
                          std::string_view object) const;
  void put(std::string_view lines) const;

  LogFormat format_;
  Level least_;
  int descriptor_;
  const Clock& clock_;
  std::string request_id_;
};

}  // namespace trainwarden::lambda
