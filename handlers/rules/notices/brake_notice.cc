#include "handlers/rules/notices/brake_notice.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "handlers/rules/outcome/outcome_text.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {
namespace {

std::string_view limit_name(Why why) {
  if (why == Why::kRestartsPerHour) return "restarts_per_hour";
  return why == Why::kSilentPerHour ? "silent_stops_per_hour" : "stops_per_hour";
}

std::string_view what_is_held(Why why) {
  return why == Why::kRestartsPerHour ? "run no more jobs again" : "stop no more jobs";
}

}  // namespace

Notice brake_notice(NoticeFormat format, const Reason& held, const Limits& limits) {
  const std::string_view name = limit_name(held.why);
  const std::string title = fmt::format("Trainwarden holds back: limits.{} is reached", name);
  const std::array<std::string, 3> paragraphs = {
      fmt::format("Trainwarden will {} within this hour than the policy allows: {}.",
                  what_is_held(held.why), text(held)),
      "Each job that is held back is looked at again by the sweeps; nobody is told of it job by "
      "job. Its record in the functions' log says `held back`.",
      fmt::format(
          "If the policy was edited lately, look whether the edit is meant. If the jobs are to be "
          "seen to all the same, raise limits.{} in the policy. A sweep also does nothing where it "
          "would act on more than limits.stops_per_sweep jobs ({}).",
          name, limits.stops_per_sweep)};
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
