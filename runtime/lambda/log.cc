#include "runtime/lambda/log.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "runtime/json/one_line.h"

namespace trainwarden::lambda {
namespace {

struct Named {
  std::string_view name;
  Level level;
};
constexpr std::array<Named, 6> kLevels{{{"TRACE", Level::kTrace},
                                        {"DEBUG", Level::kDebug},
                                        {"INFO", Level::kInfo},
                                        {"WARN", Level::kWarn},
                                        {"ERROR", Level::kError},
                                        {"FATAL", Level::kFatal}}};

std::string_view level_name(Level level) {
  return kLevels.at(static_cast<std::size_t>(level)).name;
}

}  // namespace

Log Log::from(const Environment& environment, const Clock& clock) {
  const auto format = environment.get("AWS_LAMBDA_LOG_FORMAT");
  const auto wanted = environment.get("AWS_LAMBDA_LOG_LEVEL");
  Level least = Level::kInfo;
  for (const auto& [level_name, level] : kLevels)
    if (wanted == level_name) least = level;
  return {format == "JSON" ? LogFormat::kJson : LogFormat::kText, least, STDOUT_FILENO, clock};
}

void Log::begin(json::Writer& writer, Level level, std::string_view message) const {
  writer.begin_object()
      .member("timestamp", rfc3339(clock_.now()))
      .member("level", level_name(level))
      .member("message", message);
  if (!request_id_.empty()) writer.member("requestId", request_id_);
}

std::string Log::text_line(Level level, std::string_view message) const {
  std::string line =
      fmt::format("{} {} {} {}", rfc3339(clock_.now()), request_id_.empty() ? "-" : request_id_,
                  level_name(level), message);
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';  // one line, one event: CloudWatch splits at line ends
  return line;
}

void Log::write(Level level, std::string_view message, std::initializer_list<Field> fields) const {
  if (!enabled(level)) return;
  if (format_ == LogFormat::kText) {
    std::string line = text_line(level, message);
    for (const auto& [name, value] : fields) {
      json::Writer quoted;
      quoted.string(value);
      line += fmt::format(" {}={}", name, quoted.take());
    }
    return emit(std::move(line));
  }
  json::Writer writer;
  begin(writer, level, message);
  for (const auto& [name, value] : fields) writer.member(name, value);
  writer.end_object();
  emit(writer.take());
}

void Log::record(Level level, std::string_view message, std::string_view name,
                 json::Value object) const {
  if (enabled(level)) emit(record_line(level, message, name, json::to_text(object)));
}

void Log::record(Level level, std::string_view message, std::string_view name,
                 std::string_view object, std::span<const Metrics> metrics) const {
  std::string lines;
  if (enabled(level)) lines = json::one_line(record_line(level, message, name, object)) + '\n';
  for (const Metrics& one : metrics)
    if (!one.empty()) lines.append(json::one_line(one.line(clock_.now()))).append(1, '\n');
  put(lines);
}

std::string Log::record_line(Level level, std::string_view message, std::string_view name,
                             std::string_view object) const {
  if (format_ == LogFormat::kText)
    return text_line(level, message).append(1, ' ').append(name).append(1, '=').append(object);
  json::Writer writer;
  begin(writer, level, message);
  writer.key(name);
  writer.raw(object).end_object();
  return writer.take();
}

void Log::metrics(const Metrics& metrics) const {
  if (!metrics.empty()) emit(metrics.line(clock_.now()));
}

void Log::emit(std::string line) const {
  // One line, one event: in JSON these are escapes, and the record stays the same.
  put(json::one_line(std::move(line)) + '\n');
}

void Log::put(std::string_view lines) const {
  while (!lines.empty()) {
    const ssize_t written = ::write(descriptor_, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody is left to tell
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace trainwarden::lambda
