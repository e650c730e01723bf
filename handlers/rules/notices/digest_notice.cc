#include "handlers/rules/notices/digest_notice.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "handlers/rules/notices/brake_notice.h"
#include "handlers/rules/notices/chat_text.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"
#include "runtime/json/one_line.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kDigestOutcome = "digest";

std::string on_one_line(std::string_view text) { return json::one_line(std::string(text)); }

std::string digest_title(const Digest& digest) {
  std::string out = "Trainwarden: ";
  const std::size_t limits = digest.limits.size();
  const auto again = static_cast<std::size_t>(digest.left_out) + digest.again.size();
  if (limits == 1)
    out += fmt::format("limits.{} is reached", limit_name(digest.limits.begin()->first));
  else if (limits > 1)
    out += fmt::format("{} limits are reached", limits);
  if (limits > 0 && again > 0) out += ", ";
  if (again > 0)
    out += again == 1 ? "an alarm went off again" : fmt::format("{} alarms went off again", again);
  return out;
}

// shown: makes one line of what users may have written.
std::string digest_body(const Digest& digest, const Limits& limits,
                        std::string (*shown)(std::string_view text)) {
  std::string out =
      "Of limits and of alarms that go off again, the first is told at once. What follows within "
      "the hour is told together, in this digest.\n";
  for (const Reason& held : digest.held()) {
    const auto [what, then, advice] = held_back_text(held, limits);
    out += fmt::format("\nlimits.{} is reached\n{}\n{}\n", limit_name(held.why), shown(what),
                       shown(advice));
  }
  if (digest.again.empty()) return out;
  out += "\nAlarms that went off again:\n";
  for (const GatheredNotice& one : digest.again)
    out += fmt::format("- {} {}\n", rfc3339(one.at), shown(one.subject));
  if (digest.left_out > 0)
    out += fmt::format("and {} more, whose records are in the functions' log\n", digest.left_out);
  return out;
}

void write_digest(json::Sink& sink, const Digest& digest, const Limits& limits) {
  sink.begin_object().member("outcome", kDigestOutcome).key("limits").begin_array();
  for (const Reason& held : digest.held())
    sink.begin_object()
        .member("limit", limit_name(held.why))
        .member("value", held.limit)
        .member("counted", held.number)
        .member("at", rfc3339(digest.limits.at(held.why).at))
        .member("text", held_back_text(held, limits)[0])
        .end_object();
  sink.end_array().key("again").begin_array();
  for (const GatheredNotice& one : digest.again)
    sink.begin_object()
        .member("job", one.job)
        .member("rule", one.rule)
        .member("subject", json::one_line(one.subject))
        .member("at", rfc3339(one.at))
        .end_object();
  sink.end_array().member("left_out", digest.left_out).end_object();
}

}  // namespace

Notice digest_notice(NoticeFormat format, const Digest& digest, const Limits& limits) {
  Notice out;
  out.subject = digest_title(digest);
  out.attributes = {{"outcome", std::string(kDigestOutcome)}};
  if (digest.limits.size() == 1)
    out.attributes.emplace_back("limit", limit_name(digest.limits.begin()->first));
  switch (format) {
    case NoticeFormat::kText:
      out.message = digest_body(digest, limits, on_one_line);
      break;
    case NoticeFormat::kJson:
      out.message = json::to_text(json::Document::build([&](json::Sink& sink) {
                                    write_digest(sink, digest, limits);
                                  }).root());
      break;
    case NoticeFormat::kChat:
      out.message = chat_message(out.subject, digest_body(digest, limits, plain));
      break;
  }
  return out;
}

}  // namespace trainwarden::rules
