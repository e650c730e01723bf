#include "handlers/rules/state/job_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainwarden::rules {
namespace {

struct ClosedName {
  Closed why;
  std::string_view name;
  bool final;
};

constexpr std::array<ClosedName, 11> kClosedNames = {{
    {Closed::kThrottled, "throttled", false},
    {Closed::kDenied, "denied", false},
    {Closed::kConflict, "conflict", false},
    {Closed::kNoLongerAsked, "no longer asked", false},
    {Closed::kCompleted, "completed", false},
    {Closed::kNotStoppedByIt, "not stopped by it", false},
    {Closed::kStoppedForGood, "stopped for good", true},
    {Closed::kRefused, "refused", true},
    {Closed::kNameTaken, "name taken", true},
    {Closed::kOverdue, "overdue", true},
    {Closed::kGone, "gone", true},
}};

const ClosedName& named(Closed why) {
  return *std::ranges::find(kClosedNames, why, &ClosedName::why);
}

StopRecord read_stop(AttributeReader in) {
  StopRecord out{in.text("rule"), in.text("why"), in.time("at"), in.flag("accepted")};
  in.expect_no_others();
  return out;
}

RestartRecord read_restart(AttributeReader in) {
  RestartRecord out{.rule = in.text("rule"),
                    .why = in.text("why"),
                    .at = in.time("at"),
                    .accepted = in.flag("accepted"),
                    .attempts = in.texts("attempts"),
                    .of_ended = in.flag("of_ended")};
  if (in.has("spot")) out.spot = in.flag("spot");
  out.types = in.texts("types");
  in.expect_no_others();
  return out;
}

CopyRecord read_copy(AttributeReader in) {
  CopyRecord out{in.text("name"), in.time("at"), in.flag("made")};
  in.expect_no_others();
  return out;
}

ClosedRecord read_closed(AttributeReader in) {
  ClosedRecord out;
  out.at = in.time("at");
  const std::string why = in.text("why");
  const auto known = std::ranges::find(kClosedNames, why, &ClosedName::name);
  if (known != kClosedNames.end())
    out.why = known->why;
  else
    in.refuse("why", "one of our words", fmt::format("`{}`", why));
  in.expect_no_others();
  return out;
}

RefusedRecord read_refused(AttributeReader in) {
  RefusedRecord out{in.time("at"), in.text("error")};
  in.expect_no_others();
  return out;
}

NoticeRecord read_notice(AttributeReader in) {
  NoticeRecord out{read_claim(in), in.text("what")};
  in.expect_no_others();
  return out;
}

void write_content(AttributeWriter& out, const JobItem& item) {
  if (item.stop) {
    out.begin_map("stop").text("rule", item.stop->rule).text("why", item.stop->why);
    out.time("at", item.stop->at).flag("accepted", item.stop->accepted).end_map();
  }
  if (item.restart) {
    const RestartRecord& restart = *item.restart;
    out.begin_map("restart").text("rule", restart.rule).text("why", restart.why);
    out.time("at", restart.at).flag("accepted", restart.accepted);
    out.texts("attempts", restart.attempts).flag("of_ended", restart.of_ended);
    if (restart.spot) out.flag("spot", *restart.spot);
    out.texts("types", restart.types).end_map();
  }
  if (item.copy) {
    out.begin_map("copy").text("name", item.copy->name).time("at", item.copy->at);
    out.flag("made", item.copy->made).end_map();
  }
  if (item.closed) {
    out.begin_map("closed").time("at", item.closed->at).text("why", name(item.closed->why));
    out.end_map();
  }
  if (item.refused) {
    out.begin_map("refused").time("at", item.refused->at).text("error", item.refused->error);
    out.end_map();
  }
  if (item.waits) out.time("waits", *item.waits);
  if (!item.notices.empty()) {
    out.begin_map("notices");
    for (const auto& [key, notice] : item.notices) {
      out.begin_map(key);
      write_claim(out, notice.claim);
      out.text("what", notice.what).end_map();
    }
    out.end_map();
  }
  if (const auto since = due_since(item)) out.text("due", "1").time("since", *since);
}

std::string written(std::string_view id, const JobItem& item, const Stamp& stamp) {
  json::Writer writer;
  writer.begin_object();
  AttributeWriter out(writer);
  write_header(out, id, stamp);
  write_content(out, item);
  writer.end_object();
  return writer.take();
}

// The oldest of those that were told; else the oldest.
auto least_needed(JobItem& item) {
  return std::ranges::min_element(item.notices, {}, [](const auto& entry) {
    const Claim& claim = entry.second.claim;
    return std::pair(!claim.done, claim.at);
  });
}

// About so many bytes of them, at least one.
void forget_notices(JobItem& item, std::size_t bytes) {
  constexpr std::size_t kForm = 86;  // names, types and brackets around each
  std::size_t forgotten = 0;
  while (forgotten < bytes && !item.notices.empty()) {
    const auto notice = least_needed(item);
    const NoticeRecord& record = notice->second;
    forgotten += kForm + notice->first.size() + record.claim.by.size() + record.what.size();
    item.notices.erase(notice);
  }
}

}  // namespace

std::string job_item_id(std::string_view job_name, sys_millis created) {
  return fmt::format("job/{}/{}", job_name, created.time_since_epoch().count());
}

std::string_view name(Closed why) { return named(why).name; }

bool is_final(Closed why) { return named(why).final; }

bool owes_copy(const JobItem& item) {
  if (item.closed) return false;
  return item.copy ? !item.copy->made : item.restart.has_value();
}

std::optional<sys_seconds> due_since(const JobItem& item) {
  std::optional<sys_seconds> out;
  const auto add = [&](sys_seconds at) { out = out ? std::min(*out, at) : at; };
  if (owes_copy(item)) {
    if (item.copy)
      add(item.copy->at);
    else
      add(item.waits.value_or(item.restart->at));
  }
  for (const auto& [key, notice] : item.notices)
    if (!notice.claim.done) add(notice.claim.at);
  return out;
}

Result<Stored<JobItem>> parse_job_item(std::string_view id, std::optional<json::Value> attributes) {
  Stored<JobItem> out;
  if (!attributes) return out;
  std::optional<Error> mistake;
  AttributeReader in(*attributes, fmt::format("item `{}`", id), mistake);
  auto [v, by, expires] = read_header(in, id);
  out.v = v;
  out.by = std::move(by);
  out.expires = expires;
  JobItem& item = out.item;
  if (in.has("stop")) item.stop = read_stop(in.map("stop"));
  if (in.has("restart")) item.restart = read_restart(in.map("restart"));
  if (in.has("copy")) item.copy = read_copy(in.map("copy"));
  if (in.has("closed")) item.closed = read_closed(in.map("closed"));
  if (in.has("refused")) item.refused = read_refused(in.map("refused"));
  if (in.has("waits")) item.waits = in.time("waits");
  if (in.has("notices")) {
    AttributeReader notices = in.map("notices");
    for (const std::string& key : notices.names())
      item.notices.emplace(key, read_notice(notices.map(key)));
  }
  // Both follow from the rest.
  if (in.has("due")) in.text("due");
  if (in.has("since")) in.time("since");
  in.expect_no_others();
  if (mistake) return fail(*std::move(mistake));
  return out;
}

Result<std::string> job_attributes(std::string_view id, const JobItem& item, const Stamp& stamp) {
  std::string text = written(id, item, stamp);
  // The JSON text is never smaller than what DynamoDB counts.
  JobItem fitted = item;
  while (text.size() > kLargestItem && !fitted.notices.empty()) {
    forget_notices(fitted, text.size() - kLargestItem);
    text = written(id, fitted, stamp);
  }
  if (text.size() <= kLargestItem) return text;
  return fail(ErrorCode::kLimitExceeded,
              fmt::format("item `{}`: expected at most {} bytes, found {} without any notice", id,
                          kLargestItem, text.size()));
}

}  // namespace trainwarden::rules
