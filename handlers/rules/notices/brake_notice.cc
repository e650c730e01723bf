#include "handlers/rules/notices/brake_notice.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "handlers/rules/outcome/outcome_text.h"
#include "runtime/json/json.h"
#include "runtime/json/one_line.h"

namespace trainwarden::rules {
namespace {

std::string_view limit_name(Why why) {
  if (why == Why::kRestartsPerHour) return "restarts_per_hour";
  if (why == Why::kStopsPerSweep) return "stops_per_sweep";
  return why == Why::kSilentPerHour ? "silent_stops_per_hour" : "stops_per_hour";
}

std::string_view what_is_held(Why why) {
  return why == Why::kRestartsPerHour ? "run no more jobs again" : "stop no more jobs";
}

using Paragraphs = std::array<std::string, 3>;

Paragraphs of_sweep(const Reason& held) {
  return {
      fmt::format("A sweep of Trainwarden would stop or copy {} jobs because of what describes "
                  "them, and limits.stops_per_sweep is {}: it did so to none of them. Among them: "
                  "{}.",
                  held.number, held.limit, held.name),
      "Each sweep looks at them again; nobody is told of them job by job, and the next notice of "
      "this kind comes in an hour at the earliest. Jobs that a measurement has confirmed to idle, "
      "hang or the like are stopped all the same.",
      "If the policy was edited lately, look whether the edit is meant. If the jobs are to be seen "
      "to, raise limits.stops_per_sweep in the policy."};
}

Paragraphs of_hour(const Reason& held, const Limits& limits) {
  return {fmt::format("Trainwarden will {} within this hour than the policy allows: {}.",
                      what_is_held(held.why), text(held)),
          "Each job that is held back is looked at again by the sweeps, the dearest first; nobody "
          "is told of it job by job. Its record in the functions' log says `held back`.",
          fmt::format("If the policy was edited lately, look whether the edit is meant. If the "
                      "jobs are to be seen to all the same, raise limits.{} in the policy. A sweep "
                      "also holds back what rests on descriptions alone where that would be more "
                      "than limits.stops_per_sweep jobs ({}).",
                      limit_name(held.why), limits.stops_per_sweep)};
}

}  // namespace

Notice brake_notice(NoticeFormat format, const Reason& held, const Limits& limits) {
  const std::string_view name = limit_name(held.why);
  const std::string title = fmt::format("Trainwarden holds back: limits.{} is reached", name);
  Paragraphs paragraphs = held.why == Why::kStopsPerSweep ? of_sweep(held) : of_hour(held, limits);
  for (std::string& paragraph : paragraphs) paragraph = json::one_line(std::move(paragraph));
  Notice out;
  out.subject = title;
  out.attributes = {{"outcome", std::string(rules::name(Outcome::kHeldBack))},
                    {"limit", std::string(name)}};
  const std::string body =
      fmt::format("{}\n\n{}\n\n{}", paragraphs[0], paragraphs[1], paragraphs[2]);
  switch (format) {
    case NoticeFormat::kText:
      out.message = body + '\n';
      break;
    case NoticeFormat::kJson:
      out.message = json::to_text(json::Document::build([&](json::Sink& sink) {
                                    sink.begin_object()
                                        .member("outcome", rules::name(Outcome::kHeldBack))
                                        .member("limit", name)
                                        .member("value", held.limit)
                                        .member("counted", held.number)
                                        .member("text", paragraphs[0])
                                        .end_object();
                                  }).root());
      break;
    case NoticeFormat::kChat:
      out.message =
          json::to_text(json::Document::build([&](json::Sink& sink) {
                          sink.begin_object().member("version", "1.0").member("source", "custom");
                          sink.key("content").begin_object();
                          sink.member("textType", "client-markdown")
                              .member("title", title)
                              .member("description", body)
                              .end_object();
                          sink.end_object();
                        }).root());
      break;
  }
  return out;
}

}  // namespace trainwarden::rules
