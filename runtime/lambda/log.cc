#include "runtime/lambda/log.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"

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

// Each of a line's texts has the same room, and a byte takes six as an escape.
std::string shortened(std::string_view text, std::size_t texts) {
  constexpr std::size_t kOwnMembers = 4000;  // time, level, request id, and the fields' names
  constexpr std::size_t kLongestEscape = 6;
  const std::size_t most = (kLongestLine - kOwnMembers) / kLongestEscape / texts;
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, json::utf8_boundary(text, most - 3))) + "…";
}

// One line, one event: in JSON these are escapes, and what it says stays the same.
std::string ended(std::string line) { return json::one_line(std::move(line)) + '\n'; }

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
  const std::size_t texts = fields.size() + 1;
  if (format_ == LogFormat::kText) {
    std::string line = text_line(level, shortened(message, texts));
    for (const auto& [name, value] : fields) {
      json::Writer quoted;
      quoted.string(shortened(value, texts));
      line += fmt::format(" {}={}", name, quoted.take());
    }
    return put(ended(std::move(line)));
  }
  json::Writer writer;
  begin(writer, level, shortened(message, texts));
  for (const auto& [name, value] : fields) writer.member(name, shortened(value, texts));
  writer.end_object();
  put(ended(writer.take()));
}

void Log::record(Level level, std::string_view message, std::string_view name,
                 json::Value object) const {
  if (enabled(level)) put(record_line(level, message, name, json::to_text(object)));
}

void Log::record(Level level, std::string_view message, std::string_view name,
                 std::string_view object, std::span<const Metrics> metrics) const {
  std::string lines;
  if (enabled(level)) lines = record_line(level, message, name, object);
  for (const Metrics& one : metrics)
    if (!one.empty()) lines += ended(one.line(clock_.now()));
  put(lines);
}

std::string Log::record_line(Level level, std::string_view message, std::string_view name,
                             std::string_view object) const {
  std::string line;
  if (format_ == LogFormat::kText) {
    line =
        ended(text_line(level, message).append(1, ' ').append(name).append(1, '=').append(object));
  } else {
    json::Writer writer;
    begin(writer, level, message);
    writer.key(name);
    writer.raw(object).end_object();
    line = ended(writer.take());
  }
  if (line.size() <= kLongestLine) return line;
  return record_line(level, message, name, fmt::format(R"({{"left_out_bytes":{}}})", line.size()));
}

void Log::metrics(const Metrics& metrics) const {
  if (!metrics.empty()) put(ended(metrics.line(clock_.now())));
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
