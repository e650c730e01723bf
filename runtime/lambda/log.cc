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
  if (!enabled(level)) return;
  if (format_ == LogFormat::kText)
    return emit(text_line(level, message) + fmt::format(" {}={}", name, json::to_text(object)));
  json::Writer writer;
  begin(writer, level, message);
  writer.member(name, object);
  writer.end_object();
  emit(writer.take());
}

void Log::metrics(const Metrics& metrics) const {
  if (!metrics.empty()) emit(metrics.line(clock_.now()));
}

void Log::emit(std::string line) const {
  // One line, one event: in JSON these are escapes, and the record stays the same.
  line = json::one_line(std::move(line)) + '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody is left to tell
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace trainwarden::lambda
