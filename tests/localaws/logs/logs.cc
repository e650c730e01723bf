#include "tests/localaws/logs/logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "tests/localaws/logs/log_requests.h"
#include "tests/localaws/service/input.h"
#include "tests/localaws/service/patterns.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::int64_t kMaxEvents = 10'000;
constexpr std::size_t kMaxPage = 1'048'576;
constexpr std::size_t kOverhead = 26;  // bytes an event counts beside its message
constexpr std::size_t kMaxBatch = 1'048'576;
constexpr std::chrono::hours kOldest{14 * 24};
constexpr std::chrono::hours kNewest{2};
constexpr std::chrono::hours kSpan{24};
constexpr sys_millis kNewestFirstSince =
    std::chrono::sys_days(std::chrono::year(2024) / std::chrono::January / 1);

Shape group() { return text(1, 512, patterns::kLogGroup); }
Shape stream() { return text(1, 512, patterns::kLogStream); }

Shapes inputs() {
  const Shape event =
      object({required("timestamp", integer(0, {})), required("message", text(1, {}))});
  return {
      {"CreateLogGroup",
       object({required("logGroupName", group()), optional("kmsKeyId", text({}, 256)),
               optional("tags", map(text(1, 128), text({}, 256), 50)),
               optional("logGroupClass", choice({"STANDARD", "INFREQUENT_ACCESS", "DELIVERY"})),
               optional("deletionProtectionEnabled", boolean())})},
      {"CreateLogStream",
       object({required("logGroupName", group()), required("logStreamName", stream())})},
      {"PutLogEvents",
       object({required("logGroupName", group()), required("logStreamName", stream()),
               required("logEvents", list(event, 1, 10'000)),
               optional("sequenceToken", text(1, {}))})},
      {"FilterLogEvents",
       object({optional("logGroupName", group()), optional("logGroupIdentifier", text(1, 2048)),
               optional("logStreamNames", list(stream(), 1, 100)),
               optional("logStreamNamePrefix", stream()), optional("startTime", integer(0, {})),
               optional("endTime", integer(0, {})), optional("filterPattern", text(0, 1024)),
               optional("nextToken", text(1, {})), optional("limit", integer(1, kMaxEvents)),
               optional("interleaved", boolean()), optional("unmask", boolean()),
               optional("startFromHead", boolean())})},
      {"DescribeLogGroups",
       object({optional("logGroupNamePrefix", group()),
               optional("logGroupNamePattern", text(0, 512)), optional("nextToken", text(1, {})),
               optional("limit", integer(1, 50))})},
      {"DescribeLogStreams",
       object({optional("logGroupName", group()), optional("logGroupIdentifier", text(1, 2048)),
               optional("logStreamNamePrefix", stream()),
               optional("orderBy", choice({"LogStreamName", "LastEventTime"})),
               optional("descending", boolean()), optional("nextToken", text(1, {})),
               optional("limit", integer(1, 50))})},
      {"GetLogEvents",
       object({optional("logGroupName", group()), optional("logGroupIdentifier", text(1, 2048)),
               required("logStreamName", stream()), optional("startTime", integer(0, {})),
               optional("endTime", integer(0, {})), optional("nextToken", text(1, {})),
               optional("limit", integer(1, kMaxEvents)), optional("startFromHead", boolean()),
               optional("unmask", boolean())})},
  };
}

sys_millis instant(std::int64_t millis) { return sys_millis(std::chrono::milliseconds(millis)); }

}  // namespace

std::unexpected<AwsError> bad_parameter(std::string message) {
  return refuse(400, "InvalidParameterException", std::move(message));
}

std::unexpected<AwsError> no_group() {
  return refuse(400, "ResourceNotFoundException", "The specified log group does not exist.");
}

Answer<std::string> group_name(Value given) {
  const bool name = input::has(given, "logGroupName");
  if (name == input::has(given, "logGroupIdentifier"))
    return bad_parameter(name ? "LogGroupName and LogGroupIdentifier cannot both be specified."
                              : "Either LogGroupName or LogGroupIdentifier must be specified.");
  std::string_view text = input::text(given, name ? "logGroupName" : "logGroupIdentifier");
  if (const auto at = text.find(":log-group:"); !name && at != std::string_view::npos) {
    text.remove_prefix(at + 11);
    if (text.ends_with(":*")) text.remove_suffix(2);
  }
  return std::string(text);
}

namespace {

// What a FilterLogEvents looks for, and where it goes on.
struct Query {
  std::vector<std::string_view> streams;
  std::string_view prefix;
  sys_millis from;
  sys_millis until;
  std::string_view pattern;
  std::size_t limit;
  std::size_t skip;
  bool newest_first;
};

Answer<Query> query_from(Value given) {
  Query out{.streams = {},
            .prefix = input::text(given, "logStreamNamePrefix"),
            .from = instant(input::integer(given, "startTime")),
            .until = sys_millis::max(),
            .pattern = input::text(given, "filterPattern"),
            .limit = static_cast<std::size_t>(input::integer(given, "limit", kMaxEvents)),
            .skip = 0,
            .newest_first = !input::flag(given, "startFromHead", true)};
  if (out.newest_first && out.from < kNewestFirstSince)
    return bad_parameter(
        "startFromHead can be false only if startTime is on or after Jan 1, 2024 00:00:00 UTC.");
  if (input::has(given, "endTime")) out.until = instant(input::integer(given, "endTime"));
  if (out.from > out.until) return bad_parameter("End time should not be less than start time.");
  if (const auto names = given.find_present("logStreamNames")) {
    if (!out.prefix.empty())
      return bad_parameter(
          "logStreamNames and logStreamNamePrefix cannot be specified at the same time.");
    for (const Value name : names->elements()) out.streams.push_back(name.as_string());
  }
  if (const std::string_view token = input::text(given, "nextToken"); !token.empty()) {
    const char* const last = token.data() + token.size();
    const auto [end, error] = std::from_chars(token.data(), last, out.skip);
    if (error != std::errc() || end != last)
      return bad_parameter("The specified nextToken is invalid.");
  }
  return out;
}

bool wants(const Query& query, std::string_view stream) {
  if (!query.streams.empty())
    return std::find(query.streams.begin(), query.streams.end(), stream) != query.streams.end();
  return stream.starts_with(query.prefix);
}

struct Found {
  std::string_view stream;
  const LogEvent* event;
};

void write_found(json::Sink& out, const Found& found) {
  out.begin_object().member("logStreamName", found.stream);
  out.member("timestamp", found.event->time.time_since_epoch().count());
  out.member("message", found.event->message);
  out.member("ingestionTime", found.event->ingested.time_since_epoch().count());
  out.member("eventId", found.event->id).end_object();
}

// The terms of a pattern; quoted ones may hold spaces.
struct Term {
  char kind;  // ' ', '?' or '-'
  std::string text;
};

std::vector<Term> terms_of(std::string_view pattern) {
  std::vector<Term> out;
  for (std::size_t i = 0; i < pattern.size();) {
    if (pattern[i] == ' ') {
      ++i;
      continue;
    }
    Term term{' ', {}};
    if (pattern[i] == '?' || pattern[i] == '-') term.kind = pattern[i++];
    if (i < pattern.size() && pattern[i] == '"') {
      for (++i; i < pattern.size() && pattern[i] != '"'; ++i) {
        if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
        term.text += pattern[i];
      }
      ++i;
    } else {
      for (; i < pattern.size() && pattern[i] != ' '; ++i) term.text += pattern[i];
    }
    out.push_back(std::move(term));
  }
  return out;
}

}  // namespace

Result<bool> log_matches(std::string_view pattern, std::string_view message) {
  const auto first = pattern.find_first_not_of(' ');
  if (first == std::string_view::npos) return true;
  if (pattern[first] == '{' || pattern[first] == '[' || pattern[first] == '%')
    return fail(ErrorCode::kInvalidInput, "structured filter patterns are not understood here");
  bool optional_seen = false;
  bool optional_met = false;
  for (const Term& term : terms_of(pattern)) {
    const bool occurs = message.find(term.text) != std::string_view::npos;
    if ((term.kind == ' ' && !occurs) || (term.kind == '-' && occurs)) return false;
    if (term.kind == '?') {
      optional_seen = true;
      optional_met = optional_met || occurs;
    }
  }
  return !optional_seen || optional_met;
}

void Logs::append(std::string_view group, std::string_view stream, std::string line,
                  sys_millis at) {
  auto& events = groups_[std::string(group)][std::string(stream)];
  if (events.size() >= 2 * kMostLines) events.erase(events.begin(), events.begin() + kMostLines);
  events.push_back({at, at, std::move(line), fmt::format("{:056}", ++events_)});
}

Logs::Logs(std::string region, std::string account)
    : Service(inputs()), region_(std::move(region)), account_(std::move(account)) {}

Answer<std::string> Logs::call(std::string_view operation, Value given, sys_millis now) {
  if (operation == "CreateLogGroup") return create_group(given);
  if (operation == "CreateLogStream") return create_stream(given);
  if (operation == "PutLogEvents") return put(given, now);
  if (operation == "DescribeLogGroups") return describe_groups(given);
  if (operation == "DescribeLogStreams") return describe_streams(given);
  if (operation == "GetLogEvents") return get_events(given);
  return filter(given);
}

Answer<std::string> Logs::create_group(Value given) {
  const auto [at, added] = groups_.try_emplace(std::string(input::text(given, "logGroupName")));
  if (!added)
    return refuse(400, "ResourceAlreadyExistsException", "The specified log group already exists");
  return "";
}

Answer<std::string> Logs::create_stream(Value given) {
  const auto group = groups_.find(input::text(given, "logGroupName"));
  if (group == groups_.end()) return no_group();
  const auto [at, added] =
      group->second.try_emplace(std::string(input::text(given, "logStreamName")));
  if (!added)
    return refuse(400, "ResourceAlreadyExistsException", "The specified log stream already exists");
  return "";
}

Answer<std::string> Logs::put(Value given, sys_millis now) {
  const auto group = groups_.find(input::text(given, "logGroupName"));
  if (group == groups_.end()) return no_group();
  const auto stream = group->second.find(input::text(given, "logStreamName"));
  if (stream == group->second.end())
    return refuse(400, "ResourceNotFoundException", "The specified log stream does not exist.");
  std::vector<LogEvent> accepted;
  std::optional<std::size_t> too_new;
  std::optional<std::size_t> too_old;
  std::optional<std::int64_t> last;
  std::int64_t first = 0;
  std::size_t size = 0;
  std::size_t index = 0;
  for (const Value event : given.find_present("logEvents")->elements()) {
    const std::int64_t at = input::integer(event, "timestamp");
    const std::string_view message = input::text(event, "message");
    if (last && at < *last)
      return bad_parameter(
          "Log events in a single PutLogEvents request must be in chronological order.");
    if (!last) first = at;
    last = at;
    size += message.size() + kOverhead;
    const sys_millis time = instant(at);
    if (time > now + kNewest)
      too_new = too_new.value_or(index);
    else if (time < now - kOldest)
      too_old = index + 1;
    else
      accepted.push_back({time, now, std::string(message), fmt::format("{:056}", ++events_)});
    ++index;
  }
  if (size > kMaxBatch)
    return bad_parameter(
        fmt::format("Upload too large: {} bytes exceeds limit of {}", size, kMaxBatch));
  if (instant(*last) - instant(first) > kSpan)
    return bad_parameter(
        "The batch of log events in a single PutLogEvents request cannot span more than 24 hours.");
  auto& events = stream->second;
  events.insert(events.end(), accepted.begin(), accepted.end());
  std::stable_sort(events.begin(), events.end(),
                   [](const LogEvent& a, const LogEvent& b) { return a.time < b.time; });
  json::Writer out;
  out.begin_object().member("nextSequenceToken", fmt::format("{:056}", events_));
  if (too_new || too_old) {
    out.key("rejectedLogEventsInfo").begin_object();
    if (too_new) out.member("tooNewLogEventStartIndex", *too_new);
    if (too_old) out.member("tooOldLogEventEndIndex", *too_old);
    out.end_object();
  }
  out.end_object();
  return out.take();
}

Answer<std::string> Logs::filter(Value given) const {
  if (newest_first_ == NewestFirst::kRefused && input::has(given, "startFromHead"))
    return bad_parameter("Unexpected parameter: startFromHead.");
  const auto name = group_name(given);
  if (!name) return std::unexpected(name.error());
  const auto query = query_from(given);
  if (!query) return std::unexpected(query.error());
  const auto group = groups_.find(*name);
  if (group == groups_.end()) return no_group();
  for (const std::string_view stream : query->streams)
    if (!group->second.contains(stream))
      return refuse(400, "ResourceNotFoundException", "The specified log stream does not exist.");

  std::vector<Found> found;
  for (const auto& [stream, events] : group->second) {
    if (!wants(*query, stream)) continue;
    for (const LogEvent& event : events) {
      if (event.time < query->from || event.time > query->until) continue;
      const auto matches = log_matches(query->pattern, event.message);
      if (!matches) return bad_parameter(matches.error().message);
      if (*matches) found.push_back({stream, &event});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.event->time, a.event->id) < std::tie(b.event->time, b.event->id);
  });
  if (query->newest_first && newest_first_ != NewestFirst::kIgnored) std::ranges::reverse(found);
  std::size_t end = std::min(query->skip, found.size());
  const std::size_t last = std::min(found.size(), end + query->limit);
  json::Writer out;
  out.begin_object().key("events").begin_array();
  for (std::size_t size = 0; end < last; ++end) {
    size += found[end].event->message.size() + kOverhead;
    if (size > kMaxPage && end > query->skip) break;
    write_found(out, found[end]);
  }
  out.end_array().key("searchedLogStreams").begin_array().end_array();
  if (end < found.size()) out.member("nextToken", std::to_string(end));
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
