#include "handlers/actions/fetch/job_logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

#include "runtime/json/utf8.h"

namespace trainwarden::actions {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr minutes kUsual{10};
constexpr hours kWide{24};    // where it wrote nothing for long before it failed
constexpr minutes kShort{1};  // where the log can only be read from its beginning
constexpr minutes kAfter{5};  // clocks differ, and the agent goes on for a moment
constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
constexpr std::size_t kLongestLine = std::size_t{4} * 1024;
constexpr int kEventsPerPage = 10'000;

// The last lines of a log, oldest first.
class Tail {
 public:
  // False where there is no room left.
  bool add_older(std::string_view line) {
    line = cut(line);
    full_ = full_ || bytes_ + line.size() + 1 > kMostBytes;
    if (full_) return false;
    bytes_ += line.size() + 1;
    lines_.emplace_front(line);
    return true;
  }
  void add_newer(std::string_view line) {
    line = cut(line);
    bytes_ += line.size() + 1;
    lines_.emplace_back(line);
    while (bytes_ > kMostBytes) {
      bytes_ -= lines_.front().size() + 1;
      lines_.pop_front();
      full_ = true;
    }
  }
  void add_older(const Tail& before) {
    for (const std::string& line : std::views::reverse(before.lines_))
      if (!add_older(line)) return;
  }
  bool empty() const { return lines_.empty(); }
  bool full() const { return full_; }

  json::Document document() const {
    return json::Document::build([this](json::Sink& sink) {
      sink.begin_object().key("tail").begin_array();
      for (const std::string& line : lines_) sink.string(line);
      sink.end_array().end_object();
    });
  }

 private:
  static std::string_view cut(std::string_view line) {
    return line.substr(0, json::utf8_boundary(line, kLongestLine));
  }

  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

// When the job ended, or now if it has not.
sys_seconds end_of_logs(const rules::TrainingJob& job, sys_seconds now) {
  return std::min(job.ended().value_or(now), now);
}

aws::LogQuery query_of(const JobRef& job, sys_millis begin, sys_millis end) {
  return {.group = kTrainingLogs,
          .stream_prefix = streams_of(job),
          .begin = begin,
          .end = end,
          .page_size = kEventsPerPage};
}

// A log group that does not exist holds nothing.
Result<void> or_no_group(Result<void> read) {
  if (!read && read.error().code != ErrorCode::kNotFound) return read;
  return {};
}

struct TailWindow {
  sys_millis begin;
  sys_millis usual;  // what is older counts only where nothing is younger
  sys_millis brief;
  sys_millis end;
};

Result<Tail> read_from_end(const JobRef& job, const TailWindow& window, const Apis& apis) {
  Tail tail;
  const auto each = [&](const aws::LogEvent& event) -> Result<bool> {
    if (event.time < window.usual && !tail.empty()) return false;
    return tail.add_older(event.message);
  };
  CHECK_OK(or_no_group(
      apis.logs.newest_log_events(query_of(job, window.begin, window.end), each, apis.context)));
  return tail;
}

Result<Tail> read_from_beginning(const JobRef& job, sys_millis begin, sys_millis end,
                                 const Apis& apis) {
  Tail tail;
  if (begin > end) return tail;
  const auto each = [&tail](const aws::LogEvent& event) -> Result<bool> {
    tail.add_newer(event.message);
    return true;
  };
  CHECK_OK(or_no_group(apis.logs.filter_log_events(query_of(job, begin, end), each, apis.context)));
  return tail;
}

// Where the service begins with the oldest event, the last minute is read first, and what was
// before it only as long as there is room.
Result<Tail> read_backwards(const JobRef& job, const TailWindow& window, const Apis& apis) {
  TRY(Tail tail, read_from_beginning(job, window.brief, window.end, apis));
  if (tail.full()) return tail;
  TRY(const Tail usual,
      read_from_beginning(job, window.usual, window.brief - milliseconds(1), apis));
  tail.add_older(usual);
  if (!tail.empty()) return tail;
  return read_from_beginning(job, window.begin, window.usual - milliseconds(1), apis);
}

}  // namespace

std::string streams_of(const JobRef& job) { return job.name.str() + "/"; }

Result<json::Document> tail_of_logs(const JobRef& job, const rules::TrainingJob& described,
                                    const Apis& apis) {
  const sys_seconds ended = end_of_logs(described, apis.now());
  const sys_seconds until = ended + kAfter;
  // Skip the lines of an earlier, deleted job of that name.
  const sys_seconds created = described.created.value_or(ended - kWide);
  const auto since = [&](auto span) { return std::max(created, ended - span); };
  const TailWindow window{since(kWide), since(kUsual), since(kShort), until};
  auto read = read_from_end(job, window, apis);
  if (!read && read.error().code == ErrorCode::kRejected) read = read_backwards(job, window, apis);
  TRY(const Tail tail, std::move(read));
  // Lines arrive late, so shortly after the end no lines do not mean an empty log.
  if (const auto age = apis.now() - ended; tail.empty() && age < kLogsSettled)
    return fail(
        ErrorCode::kUnavailable,
        fmt::format("the job ended {} s ago, and its logs may still be on their way", age.count()));
  return tail.document();
}

}  // namespace trainwarden::actions
