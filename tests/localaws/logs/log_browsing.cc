// What people look at logs with: DescribeLogGroups, DescribeLogStreams, GetLogEvents.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "tests/localaws/logs/log_requests.h"
#include "tests/localaws/logs/logs.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::int64_t kPerPage = 50;
constexpr std::int64_t kMostEvents = 10'000;

std::int64_t millis(sys_millis at) { return at.time_since_epoch().count(); }

Answer<std::size_t> position(std::string_view token) {
  std::size_t out = 0;
  const char* const last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, out);
  if (!token.empty() && (error != std::errc() || end != last))
    return bad_parameter("The specified nextToken is invalid.");
  return out;
}

// The part of a list that a page holds, and the token of the next.
template <class Item, class Write>
Answer<std::string> page(Value given, std::string_view member, const std::vector<Item>& all,
                         Write write) {
  const auto begin = position(input::text(given, "nextToken"));
  if (!begin) return std::unexpected(begin.error());
  const auto limit = static_cast<std::size_t>(input::integer(given, "limit", kPerPage));
  const std::size_t end = std::min(all.size(), *begin + limit);
  json::Writer out;
  out.begin_object().key(member).begin_array();
  for (std::size_t i = *begin; i < end; ++i) write(out, all[i]);
  out.end_array();
  if (end < all.size()) out.member("nextToken", std::to_string(end));
  out.end_object();
  return out.take();
}

struct Window {
  std::size_t begin;
  std::size_t end;
};

// Which of the events a GetLogEvents shows: behind a token that goes forward (f/N), before one that
// goes back (b/N), else the first or the last.
Answer<Window> window_of_events(Value given, std::size_t all) {
  const auto limit = static_cast<std::size_t>(input::integer(given, "limit", kMostEvents));
  std::string_view token = input::text(given, "nextToken");
  std::size_t at = input::flag(given, "startFromHead") ? 0 : all;
  bool forward = input::flag(given, "startFromHead");
  if (!token.empty()) {
    forward = token.starts_with("f/");
    if (!forward && !token.starts_with("b/"))
      return bad_parameter("The specified nextToken is invalid.");
    const auto named = position(token.substr(2));
    if (!named) return std::unexpected(named.error());
    at = std::min(*named, all);
  }
  if (forward) return Window{at, std::min(all, at + limit)};
  return Window{at - std::min(at, limit), at};
}

}  // namespace

std::string Logs::group_arn(std::string_view group) const {
  return fmt::format("arn:aws:logs:{}:{}:log-group:{}", region_, account_, group);
}

Answer<std::string> Logs::describe_groups(Value given) const {
  const std::string_view prefix = input::text(given, "logGroupNamePrefix");
  const std::string_view part = input::text(given, "logGroupNamePattern");
  if (!prefix.empty() && !part.empty())
    return bad_parameter(
        "LogGroup name prefix and LogGroup name pattern are mutually exclusive "
        "parameters.");
  std::vector<std::string_view> names;
  for (const auto& [name, streams] : groups_)
    if (name.starts_with(prefix) && name.find(part) != std::string::npos) names.push_back(name);
  return page(given, "logGroups", names, [this](json::Sink& out, std::string_view name) {
    out.begin_object().member("logGroupName", name).member("metricFilterCount", 0);
    out.member("arn", group_arn(name) + ":*").member("logGroupArn", group_arn(name));
    out.member("storedBytes", 0).member("logGroupClass", "STANDARD").end_object();
  });
}

Answer<std::string> Logs::describe_streams(Value given) const {
  const auto name = group_name(given);
  if (!name) return std::unexpected(name.error());
  const auto group = groups_.find(*name);
  if (group == groups_.end()) return no_group();
  const bool by_time = input::text(given, "orderBy") == "LastEventTime";
  const std::string_view prefix = input::text(given, "logStreamNamePrefix");
  if (by_time && !prefix.empty())
    return bad_parameter("Cannot order by LastEventTime with a logStreamNamePrefix.");
  std::vector<const Streams::value_type*> streams;
  for (const auto& stream : group->second)
    if (stream.first.starts_with(prefix)) streams.push_back(&stream);
  const auto newest = [](const Streams::value_type* stream) {
    return stream->second.empty() ? sys_millis() : stream->second.back().time;
  };
  if (by_time)
    std::stable_sort(streams.begin(), streams.end(),
                     [&](const auto* a, const auto* b) { return newest(a) < newest(b); });
  if (input::flag(given, "descending")) std::reverse(streams.begin(), streams.end());
  return page(given, "logStreams", streams,
              [&](json::Sink& out, const Streams::value_type* stream) {
                out.begin_object().member("logStreamName", stream->first);
                if (const auto& events = stream->second; !events.empty())
                  out.member("creationTime", millis(events.front().ingested))
                      .member("firstEventTimestamp", millis(events.front().time))
                      .member("lastEventTimestamp", millis(events.back().time))
                      .member("lastIngestionTime", millis(events.back().ingested));
                out.member("arn", fmt::format("{}:log-stream:{}", group_arn(*name), stream->first))
                    .member("storedBytes", 0)
                    .end_object();
              });
}

Answer<std::string> Logs::get_events(Value given) const {
  const auto name = group_name(given);
  if (!name) return std::unexpected(name.error());
  const auto group = groups_.find(*name);
  if (group == groups_.end()) return no_group();
  const auto stream = group->second.find(input::text(given, "logStreamName"));
  if (stream == group->second.end())
    return refuse(400, "ResourceNotFoundException", "The specified log stream does not exist.");
  const std::int64_t from = input::integer(given, "startTime");
  std::vector<const LogEvent*> found;
  for (const LogEvent& event : stream->second)
    if (millis(event.time) >= from &&
        (!input::has(given, "endTime") || millis(event.time) < input::integer(given, "endTime")))
      found.push_back(&event);
  const auto shown = window_of_events(given, found.size());
  if (!shown) return std::unexpected(shown.error());
  json::Writer out;
  out.begin_object().key("events").begin_array();
  for (std::size_t i = shown->begin; i < shown->end; ++i)
    out.begin_object()
        .member("timestamp", millis(found[i]->time))
        .member("message", found[i]->message)
        .member("ingestionTime", millis(found[i]->ingested))
        .end_object();
  out.end_array()
      .member("nextForwardToken", fmt::format("f/{}", shown->end))
      .member("nextBackwardToken", fmt::format("b/{}", shown->begin))
      .end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
