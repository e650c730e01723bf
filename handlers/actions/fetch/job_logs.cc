#include "handlers/actions/fetch/job_logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "runtime/json/utf8.h"

namespace trainwarden::actions {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// FilterLogEvents returns the oldest events first and cannot start at the end. So the whole window
// before the job's end is read, and its last lines are kept:
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
constexpr minutes kUsual{10};
constexpr minutes kShort{1};  // where a job writes too much
constexpr hours kWide{24};    // where it wrote nothing for long before it failed
constexpr minutes kLate{2};   // after this a line has arrived
constexpr minutes kAfter{5};  // clocks differ, and the agent goes on for a moment
constexpr std::size_t kMostEvents = 20'000;
constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
constexpr std::size_t kLongestLine = std::size_t{4} * 1024;

// Keeps the last lines of a stream of lines.
class Tail {
 public:
  void add(std::string_view line) {
    line = line.substr(0, json::utf8_boundary(line, kLongestLine));
    bytes_ += line.size() + 1;
    lines_.emplace_back(line);
    while (bytes_ > kMostBytes) {
      bytes_ -= lines_.front().size() + 1;
      lines_.pop_front();
    }
    ++seen_;
  }
  bool empty() const { return lines_.empty(); }
  bool full() const { return seen_ >= kMostEvents; }

  json::Document document() const {
    return json::Document::build([this](json::Sink& sink) {
      sink.begin_object().key("tail").begin_array();
      for (const std::string& line : lines_) sink.string(line);
      sink.end_array().end_object();
    });
  }

 private:
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  std::size_t seen_ = 0;
};

// When the job ended, or now if it has not.
sys_seconds end_of_logs(const rules::TrainingJob& job, sys_seconds now) {
  return std::min(job.ended().value_or(now), now);
}

Result<Tail> read(const JobRef& job, sys_seconds begin, sys_seconds end, const Apis& apis) {
  Tail tail;
  const aws::LogQuery query{.group = kTrainingLogs,
                            .stream_prefix = streams_of(job),
                            .begin = begin,
                            .end = end,
                            .page_size = 10'000};
  const auto each = [&tail](const aws::LogEvent& event) -> Result<bool> {
    tail.add(event.message);
    return !tail.full();
  };
  const auto done = apis.logs.filter_log_events(query, each, apis.context);
  if (!done && done.error().code != ErrorCode::kNotFound) return fail(done.error());
  return tail;
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
  TRY(Tail tail, read(job, since(kUsual), until, apis));
  if (tail.empty() && created < ended - kUsual) {
    TRY(tail, read(job, since(kWide), ended - kUsual, apis));
  } else if (tail.full()) {
    TRY(Tail last, read(job, since(kShort), until, apis));
    if (!last.empty()) tail = std::move(last);
  }
  // Lines arrive late, so shortly after the end no lines do not mean an empty log.
  if (const auto age = apis.now() - ended; tail.empty() && age < kLate)
    return fail(
        ErrorCode::kUnavailable,
        fmt::format("the job ended {} s ago, and its logs may still be on their way", age.count()));
  return tail.document();
}

}  // namespace trainwarden::actions
