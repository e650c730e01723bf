#include "handlers/rules/state/kept_notice.h"

#include "handlers/rules/state/notice_claims.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {
namespace {

std::string written(const KeptNotice& notice, bool with_message) {
  json::Writer sink;
  sink.begin_object().member("topic", notice.topic).member("format", notice.format);
  sink.member("subject", notice.subject);
  if (with_message) sink.member("message", notice.message);
  sink.key("attributes").begin_object();
  for (const auto& [name, value] : notice.attributes) sink.member(name, value);
  sink.end_object().end_object();
  return sink.take();
}

}  // namespace

bool has_room(const KeptNotice& notice) { return written(notice, true).size() <= kLongestWhat; }

std::string keep(const KeptNotice& notice) {
  std::string whole = written(notice, !notice.message.empty());
  return whole.size() <= kLongestWhat ? whole : written(notice, false);
}

Result<KeptNotice> read_kept(std::string_view what) {
  const auto document = json::Document::parse(what);
  if (!document)
    return fail(ErrorCode::kStateUnavailable,
                "a claimed notice: expected JSON, found " + document.error().message);
  const json::Value root = document->root();
  KeptNotice out;
  const auto text = [&](std::string_view member) {
    const auto value = root.find_present(member);
    return value && value->is_string() ? std::string(value->as_string()) : std::string();
  };
  out.topic = text("topic");
  out.format = text("format");
  out.subject = text("subject");
  out.message = text("message");
  if (const auto attributes = root.find_present("attributes"))
    for (const json::Member one : attributes->members())
      if (one.value.is_string()) out.attributes.emplace_back(one.name, one.value.as_string());
  if (out.topic.empty() || out.subject.empty())
    return fail(ErrorCode::kStateUnavailable,
                "a claimed notice: expected its topic and subject, found none");
  return out;
}

std::string without_message(std::string_view what) {
  auto notice = read_kept(what);
  if (!notice) return {};
  notice->message.clear();
  return keep(*notice);
}

}  // namespace trainwarden::rules
