#include "handlers/rules/notices/digest_notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/notices/brake_notice.h"
#include "handlers/rules/notices/chat_text.h"
#include "handlers/rules/outcome/holding_limit.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"
#include "runtime/json/one_line.h"
#include "runtime/json/utf8.h"

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

struct BodyForm {
  std::string (*shown)(std::string_view text);   // a line of ours
  std::string (*quoted)(std::string_view text);  // what users may have written
  std::size_t room;                              // bytes
};
constexpr BodyForm kMail{on_one_line, on_one_line, std::string::npos};
constexpr BodyForm kChannel{plain, code_span, kLongestChatText};
// Of the last line, which counts what has no room.
constexpr std::size_t kLeftOutLine = 80;
// Of one limit among several, where room is short.
constexpr std::size_t kLongestBrief = 400;

std::string limit_body(const Reason& held, const Limits& limits, const BodyForm& form, bool brief) {
  const auto [what, then, advice] = held_back_text(held, limits);
  if (!brief)
    return fmt::format("\nlimits.{} is reached\n{}\n{}\n", limit_name(held.why), form.shown(what),
                       form.shown(advice));
  std::string text = form.shown(what);
  text.resize(json::utf8_boundary(text, kLongestBrief));
  return fmt::format("\nlimits.{} is reached\n{}\n", limit_name(held.why), text);
}

std::string digest_body(const Digest& digest, const Limits& limits, const BodyForm& form) {
  std::string out =
      "Of limits and of alarms that go off again, the first is told at once. What follows within "
      "the hour is told together, in this digest.\n";
  const bool brief = form.room != kMail.room && digest.limits.size() > 1;
  for (const Reason& held : digest.held()) out += limit_body(held, limits, form, brief);
  if (digest.again.empty()) return out;
  out += "\nAlarms that went off again:\n";
  // Where room is short, each role and each job has its turn. They are told in the order of time.
  std::vector<std::pair<const GatheredNotice*, std::string>> lines;
  std::size_t size = out.size();
  for (const GatheredNotice* const one : digest.in_turn()) {
    std::string line = fmt::format("- {} {}\n", rfc3339(one->at), form.quoted(one->subject));
    size += line.size();
    if (size + kLeftOutLine > form.room) break;
    lines.emplace_back(one, std::move(line));
  }
  std::ranges::sort(lines);
  for (const auto& [one, line] : lines) out += line;
  const auto left_out = digest.left_out + std::ssize(digest.again) - std::ssize(lines);
  if (left_out > 0)
    out += fmt::format("and {} more, whose records are in the functions' log\n", left_out);
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
        .member("team", one.team)
        .member("owner", one.owner)
        .member("subject", json::one_line(one.subject))
        .member("at", rfc3339(one.at))
        .end_object();
  sink.end_array().member("left_out", digest.left_out).end_object();
}

// What is in it, for the filter policies of subscribers: an owner's finds the digests with a job of
// theirs.
std::vector<std::pair<std::string, std::vector<std::string>>> digest_lists(const Digest& digest) {
  using Values = std::set<std::string, std::less<>>;
  std::array<std::pair<std::string_view, Values>, 4> all = {
      {{"limit", {}}, {"rule", {}}, {"team", {}}, {"owner", {}}}};
  auto& [limit, rule, team, owner] = all;
  for (const auto& [why, held] : digest.limits) limit.second.emplace(limit_name(why));
  for (const GatheredNotice& one : digest.again) {
    rule.second.insert(one.rule);
    if (!one.team.empty()) team.second.insert(one.team);
    if (!one.owner.empty()) owner.second.insert(one.owner);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const auto& [name, values] : all)
    if (!values.empty()) out.emplace_back(name, std::vector(values.begin(), values.end()));
  return out;
}

}  // namespace

Notice digest_notice(NoticeFormat format, const Digest& digest, const Limits& limits) {
  Notice out;
  out.subject = digest_title(digest);
  out.attributes = {{"outcome", std::string(kDigestOutcome)}};
  out.lists = digest_lists(digest);
  switch (format) {
    case NoticeFormat::kText:
      out.message = digest_body(digest, limits, kMail);
      break;
    case NoticeFormat::kJson:
      out.message = json::to_text(json::Document::build([&](json::Sink& sink) {
                                    write_digest(sink, digest, limits);
                                  }).root());
      break;
    case NoticeFormat::kChat:
      out.message = chat_message(out.subject, digest_body(digest, limits, kChannel));
      break;
  }
  return out;
}

}  // namespace trainwarden::rules
