#include "handlers/rules/state/job_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "handlers/rules/state/kept_notice.h"

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

StopRecord read_stop(ItemReader in) {
  StopRecord out{in.text("rule"), in.text("why"), in.time("at"), in.flag("accepted")};
  in.expect_no_others();
  return out;
}

EntryChanges read_entries(ItemReader in) {
  EntryChanges out;
  ItemReader set = in.object("set");
  for (const std::string& key : set.names()) out.emplace(key, set.text(key));
  for (const std::string& key : in.texts("remove")) out.emplace(key, std::nullopt);
  in.expect_no_others();
  return out;
}

CopySettings read_settings(ItemReader in) {
  CopySettings out;
  if (in.has("max_runtime")) out.max_runtime_seconds = in.number("max_runtime");
  if (in.has("max_wait")) out.max_wait_seconds = in.number("max_wait");
  if (in.has("instances")) out.instance_count = in.number("instances");
  if (in.has("hyperparameters")) out.hyperparameters = read_entries(in.object("hyperparameters"));
  if (in.has("environment")) out.environment = read_entries(in.object("environment"));
  in.expect_no_others();
  return out;
}

RestartRecord read_restart(ItemReader in) {
  RestartRecord out{.rule = in.text("rule"),
                    .why = in.text("why"),
                    .at = in.time("at"),
                    .accepted = in.flag("accepted"),
                    .attempts = in.texts("attempts"),
                    .of_ended = in.flag("of_ended")};
  if (in.has("again")) out.again = in.time("again");
  if (in.has("spot")) out.spot = in.flag("spot");
  out.types = in.texts("types");
  if (in.has("settings")) out.settings = read_settings(in.object("settings"));
  in.expect_no_others();
  return out;
}

CopyRecord read_copy(ItemReader in) {
  CopyRecord out{in.text("name"), in.time("at"), in.flag("made")};
  in.expect_no_others();
  return out;
}

ClosedRecord read_closed(ItemReader in) {
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

RefusedRecord read_refused(ItemReader in) {
  RefusedRecord out{in.time("at"), in.text("error")};
  if (in.has("times")) out.times = in.number("times");
  in.expect_no_others();
  return out;
}

LogVerdict read_log_verdict(ItemReader in) {
  LogVerdict out{.policy = in.text("policy")};
  if (in.has("too_large")) {
    out.too_large = in.text("too_large");
  } else {
    out.label = in.text("label");
    out.resume = in.text("resume");
    out.evidence = in.text("evidence");
  }
  in.expect_no_others();
  return out;
}

void write_log_verdict(json::Sink& out, const LogVerdict& verdict) {
  out.key("log").begin_object().member("policy", verdict.policy);
  if (verdict.too_large.empty())
    out.member("label", verdict.label)
        .member("resume", verdict.resume)
        .member("evidence", verdict.evidence);
  else
    out.member("too_large", verdict.too_large);
  out.end_object();
}

NoticeRecord read_notice(ItemReader in) {
  NoticeRecord out{read_claim(in), in.text("what")};
  if (in.has("since")) out.since = in.time("since");
  in.expect_no_others();
  return out;
}

GraceRecord read_grace(ItemReader in) {
  GraceRecord out{in.time("at"), in.time("until"), in.texts("notices")};
  if (in.has("rule")) out.rule = in.text("rule");
  if (in.has("confirmed")) out.confirmed = in.time("confirmed");
  if (in.has("in_vain_since")) out.in_vain_since = in.time("in_vain_since");
  in.expect_no_others();
  return out;
}

void write_entries(json::Sink& out, std::string_view name, const EntryChanges& changes) {
  if (changes.empty()) return;
  out.key(name).begin_object().key("set").begin_object();
  for (const auto& [key, value] : changes)
    if (value) out.member(key, *value);
  out.end_object().key("remove").begin_array();
  for (const auto& [key, value] : changes)
    if (!value) out.string(key);
  out.end_array().end_object();
}

void write_settings(json::Sink& out, const CopySettings& settings) {
  if (settings == CopySettings()) return;
  out.key("settings").begin_object();
  if (settings.max_runtime_seconds) out.member("max_runtime", *settings.max_runtime_seconds);
  if (settings.max_wait_seconds) out.member("max_wait", *settings.max_wait_seconds);
  if (settings.instance_count) out.member("instances", *settings.instance_count);
  write_entries(out, "hyperparameters", settings.hyperparameters);
  write_entries(out, "environment", settings.environment);
  out.end_object();
}

void write_restart(json::Sink& out, const RestartRecord& restart) {
  out.key("restart").begin_object().member("rule", restart.rule).member("why", restart.why);
  out.member("at", epoch_seconds(restart.at)).member("accepted", restart.accepted);
  out.member("of_ended", restart.of_ended);
  if (restart.again) out.member("again", epoch_seconds(*restart.again));
  if (restart.spot) out.member("spot", *restart.spot);
  for (const auto& [name, texts] :
       {std::pair("attempts", &restart.attempts), std::pair("types", &restart.types)}) {
    out.key(name).begin_array();
    for (const std::string& text : *texts) out.string(text);
    out.end_array();
  }
  write_settings(out, restart.settings);
  out.end_object();
}

void write_notices(json::Sink& out, const JobItem& item) {
  out.key("notices").begin_object();
  for (const auto& [key, notice] : item.notices) {
    out.key(key).begin_object();
    write_claim(out, notice.claim);
    out.member("what", notice.what);
    if (notice.since != sys_seconds()) out.member("since", epoch_seconds(notice.since));
    out.end_object();
  }
  out.end_object();
}

void write_graces(json::Sink& out, const JobItem& item) {
  out.key("graces").begin_object();
  for (const auto& [rule, grace] : item.graces) {
    out.key(rule).begin_object();
    out.member("at", epoch_seconds(grace.at)).member("until", epoch_seconds(grace.until));
    if (grace.confirmed != sys_seconds()) out.member("confirmed", epoch_seconds(grace.confirmed));
    if (grace.in_vain_since) out.member("in_vain_since", epoch_seconds(*grace.in_vain_since));
    out.key("notices").begin_array();
    for (const std::string& key : grace.notices) out.string(key);
    out.end_array();
    if (!grace.rule.empty()) out.member("rule", grace.rule);
    out.end_object();
  }
  out.end_object();
}

void write_job(json::Sink& out, const JobItem& item, sys_seconds now) {
  out.begin_object();
  write_header(out, now);
  if (item.stop) {
    out.key("stop").begin_object().member("rule", item.stop->rule).member("why", item.stop->why);
    out.member("at", epoch_seconds(item.stop->at)).member("accepted", item.stop->accepted);
    out.end_object();
  }
  if (item.restart) write_restart(out, *item.restart);
  if (item.copy) {
    out.key("copy").begin_object().member("name", item.copy->name);
    out.member("at", epoch_seconds(item.copy->at)).member("made", item.copy->made).end_object();
  }
  if (item.closed) {
    out.key("closed").begin_object().member("at", epoch_seconds(item.closed->at));
    out.member("why", name(item.closed->why)).end_object();
  }
  if (item.refused) {
    out.key("refused").begin_object().member("at", epoch_seconds(item.refused->at));
    out.member("error", item.refused->error).member("times", item.refused->times).end_object();
  }
  if (item.log) write_log_verdict(out, *item.log);
  if (item.waits) out.member("waits", epoch_seconds(*item.waits));
  if (!item.notices.empty()) write_notices(out, item);
  if (!item.graces.empty()) write_graces(out, item);
  if (const auto since = due_since(item))
    out.member("due", "1").member("since", epoch_seconds(*since));
  out.end_object();
}

// The JSON text, which is never smaller than what DynamoDB counts.
std::size_t size_of(const JobItem& item, sys_seconds now) {
  json::Writer writer;
  write_job(writer, item, now);
  return writer.take().size();
}

// The keys of notices, the oldest first.
std::vector<std::string> oldest_notices(const JobItem& item, bool told) {
  std::vector<std::pair<sys_seconds, std::string>> all;
  for (const auto& [key, notice] : item.notices)
    if (notice.claim.done == told) all.emplace_back(notice.claim.at, key);
  std::ranges::sort(all);
  std::vector<std::string> out;
  out.reserve(all.size());
  for (auto& [at, key] : all) out.push_back(std::move(key));
  return out;
}

// Makes room for about so many bytes.
void shorten_claims(JobItem& item, std::size_t bytes) {
  std::size_t won = 0;
  for (const std::string& key : oldest_notices(item, false)) {
    if (won >= bytes) return;
    std::string& what = item.notices.find(key)->second.what;
    std::string brief = without_message(what);
    won += what.size() - std::min(what.size(), brief.size());
    what = std::move(brief);
  }
}

void forget_told(JobItem& item, std::size_t bytes) {
  constexpr std::size_t kForm = 51;  // names and brackets around each
  std::set<std::string_view> announcements;
  for (const auto& [rule, grace] : item.graces)
    announcements.insert(grace.notices.begin(), grace.notices.end());
  std::size_t won = 0;
  for (const std::string& key : oldest_notices(item, true)) {
    if (won >= bytes) return;
    if (announcements.contains(key)) continue;
    const auto notice = item.notices.find(key);
    won += kForm + key.size() + notice->second.claim.by.size() + notice->second.what.size();
    item.notices.erase(notice);
  }
}

}  // namespace

std::string_view name(Closed why) { return named(why).name; }

bool is_final(Closed why) { return named(why).final; }

bool has_pending_copy(const JobItem& item) {
  if (item.closed) return false;
  return item.copy ? !item.copy->made : item.restart.has_value();
}

std::optional<sys_seconds> due_since(const JobItem& item) {
  std::optional<sys_seconds> out;
  const auto add = [&](sys_seconds at) { out = out ? std::min(*out, at) : at; };
  if (has_pending_copy(item)) {
    if (item.copy)
      add(item.copy->at);
    else
      add(item.waits.value_or(item.restart->at));
  }
  for (const auto& [key, notice] : item.notices)
    if (!notice.claim.done) add(notice.claim.at);
  for (const auto& [rule, grace] : item.graces) add(grace.until);
  return out;
}

Result<Stored<JobItem>> parse_job_item(std::string_view id, std::optional<json::Value> attributes) {
  return parse_stored<JobItem>(id, attributes, [](ItemReader& in, JobItem& item) {
    if (in.has("stop")) item.stop = read_stop(in.object("stop"));
    if (in.has("restart")) item.restart = read_restart(in.object("restart"));
    if (in.has("copy")) item.copy = read_copy(in.object("copy"));
    if (in.has("closed")) item.closed = read_closed(in.object("closed"));
    if (in.has("refused")) item.refused = read_refused(in.object("refused"));
    if (in.has("log")) item.log = read_log_verdict(in.object("log"));
    if (in.has("waits")) item.waits = in.time("waits");
    if (in.has("notices")) {
      ItemReader notices = in.object("notices");
      for (const std::string& key : notices.names())
        item.notices.emplace(key, read_notice(notices.object(key)));
    }
    if (in.has("graces")) {
      ItemReader graces = in.object("graces");
      for (const std::string& rule : graces.names())
        item.graces.emplace(rule, read_grace(graces.object(rule)));
    }
    // Both follow from the rest.
    if (in.has("due")) in.text("due");
    if (in.has("since")) in.time("since");
  });
}

Result<json::Document> job_attributes(std::string_view id, const JobItem& item, sys_seconds now) {
  JobItem fitted = item;
  std::size_t size = size_of(fitted, now);
  for (const auto make_room : {&shorten_claims, &forget_told})
    while (size > kLargestItem) {
      make_room(fitted, size - kLargestItem);
      const std::size_t left = size_of(fitted, now);
      if (left >= size) break;
      size = left;
    }
  const bool owes = !fitted.graces.empty() || !fitted.notices.empty();
  const std::size_t most = owes ? kLargestThatOwes : kLargestItem;
  if (size <= most)
    return json::Document::build([&](json::Sink& out) { write_job(out, fitted, now); });
  return fail(ErrorCode::kLimitExceeded,
              fmt::format("item `{}`: expected at most {} bytes, found {}", id, most, size));
}

}  // namespace trainwarden::rules
