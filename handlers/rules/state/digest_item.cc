#include "handlers/rules/state/digest_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "handlers/rules/outcome/holding_limit.h"
#include "runtime/json/utf8.h"

namespace trainwarden::rules {
namespace {

bool is_hour_over(const std::optional<sys_seconds>& sent, sys_seconds now) {
  return !sent || now - *sent >= kDigestEach;
}

DigestItem of_topic(DigestItem item, std::string_view topic) {
  if (item.topic.empty()) item.topic = topic;
  return item;
}

GatheredLimit read_gathered(ItemReader in) {
  GatheredLimit out;
  out.name = in.text("name");
  out.number = in.number("number");
  out.limit = in.number("limit");
  out.at = in.time("at");
  in.expect_no_others();
  return out;
}

void read_gathered_limits(ItemReader& in, Digest& out) {
  ItemReader limits = in.object("limits");
  for (const LimitName& one : kHoldingLimits)
    if (limits.has(one.kept)) out.limits.emplace(one.why, read_gathered(limits.object(one.kept)));
  limits.expect_no_others();
}

// Under numbers, in their order.
void read_gathered_notices(ItemReader& in, Digest& out) {
  ItemReader again = in.object("again");
  for (const std::string& index : again.names()) {
    ItemReader one = again.object(index);
    out.again.push_back({.job = one.text("job"),
                         .key = one.text("key"),
                         .rule = one.text("rule"),
                         .subject = one.text("subject"),
                         .team = one.text("team"),
                         .owner = one.text("owner"),
                         .role = one.has("role") ? one.text("role") : std::string(),
                         .at = one.time("at")});
    one.expect_no_others();
  }
  std::ranges::stable_sort(out.again, {}, &GatheredNotice::at);
}

void write_gathered_limits(json::Sink& out, const Digest& digest) {
  out.key("limits").begin_object();
  for (const LimitName& one : kHoldingLimits) {
    const auto found = digest.limits.find(one.why);
    if (found == digest.limits.end()) continue;
    const GatheredLimit& limit = found->second;
    out.key(one.kept).begin_object();
    out.member("name", limit.name).member("number", limit.number);
    out.member("limit", limit.limit).member("at", epoch_seconds(limit.at)).end_object();
  }
  out.end_object();
}

void write_gathered_notices(json::Sink& out, const Digest& digest) {
  out.key("again").begin_object();
  int index = 0;
  for (const GatheredNotice& one : digest.again) {
    out.key(fmt::format("{:02}", index++)).begin_object();
    out.member("job", one.job).member("key", one.key).member("rule", one.rule);
    out.member("subject", one.subject).member("team", one.team).member("owner", one.owner);
    out.member("role", one.role).member("at", epoch_seconds(one.at)).end_object();
  }
  out.end_object().member("left_out", digest.left_out);
}

using Gathered = std::vector<GatheredNotice>;
using Counts = std::map<std::string_view, std::size_t>;

Counts::const_iterator most_of(const Counts& counts) {
  return std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
}

std::size_t count_of(const Counts& counts, std::string_view whose) {
  const auto found = counts.find(whose);
  return found == counts.end() ? 0 : found->second;
}

// Which gives way to one more, where there is no room: the oldest of the job that has the most, of
// the role that has the most, if that leaves them no fewer than the new one's. all: not empty, in
// the order of time.
Gathered::iterator gives_way_to(const GatheredNotice& more, Gathered& all) {
  Counts roles;
  for (const GatheredNotice& one : all) ++roles[one.role];
  const auto largest = most_of(roles);
  const bool takes_from_others = count_of(roles, more.role) + 1 < largest->second;
  const std::string_view role = takes_from_others ? largest->first : std::string_view(more.role);
  Counts jobs;
  for (const GatheredNotice& one : all)
    if (one.role == role) ++jobs[one.job];
  const auto job = most_of(jobs);
  const bool has_share = job == jobs.end() || count_of(jobs, more.job) + 1 >= job->second;
  if (!takes_from_others && has_share) return all.end();
  return std::ranges::find_if(
      all, [&](const GatheredNotice& one) { return one.role == role && one.job == job->first; });
}

}  // namespace

std::vector<const GatheredNotice*> Digest::in_turn() const {
  struct Turn {
    std::size_t of_role;
    const GatheredNotice* notice;
  };
  // Of each role, its jobs in turn.
  std::vector<Turn> jobs_in_turn;
  jobs_in_turn.reserve(again.size());
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> of_job;
  for (const GatheredNotice& one : again)
    jobs_in_turn.push_back({of_job[{one.role, one.job}]++, &one});
  std::ranges::stable_sort(jobs_in_turn, {}, &Turn::of_role);
  Counts of_role;
  for (Turn& turn : jobs_in_turn) turn.of_role = of_role[turn.notice->role]++;
  std::ranges::stable_sort(jobs_in_turn, {}, &Turn::of_role);
  std::vector<const GatheredNotice*> out;
  out.reserve(jobs_in_turn.size());
  for (const Turn& turn : jobs_in_turn) out.push_back(turn.notice);
  return out;
}

std::vector<Reason> Digest::held() const {
  std::vector<Reason> out;
  out.reserve(limits.size());
  for (const auto& [why, limit] : limits)
    out.push_back({.why = why, .name = limit.name, .number = limit.number, .limit = limit.limit});
  return out;
}

Step<DigestItem, bool> gather_limit(DigestItem item, std::string_view topic, const Reason& held,
                                    sys_seconds now) {
  item = of_topic(std::move(item), topic);
  const auto due = digest_due(item);
  if (is_hour_over(item.limit_sent, now) && (!due || now < *due)) {
    item.limit_sent = now;
    item.gathered.limits.erase(held.why);
    if (item.gathered.empty()) item.sent = now;  // what is gathered waits no longer for this
    return {std::move(item), true};
  }
  item.gathered.limits.insert_or_assign(
      held.why,
      GatheredLimit{.name = held.name, .number = held.number, .limit = held.limit, .at = now});
  return {std::move(item), false};
}

DigestItem not_told_at_once(DigestItem item, sys_seconds at) {
  if (item.limit_sent == at) item.limit_sent.reset();
  if (item.sent == at) item.sent.reset();
  return item;
}

Step<DigestItem, bool> gather_notice(DigestItem item, std::string_view topic, GatheredNotice notice,
                                     sys_seconds now) {
  item = of_topic(std::move(item), topic);
  if (item.gathered.empty() && is_hour_over(item.sent, now)) {
    item.sent = now;
    return {std::move(item), true};
  }
  notice.subject.resize(json::utf8_boundary(notice.subject, kLongestSubject));
  for (std::string* const tag : {&notice.team, &notice.owner})
    tag->resize(json::utf8_boundary(*tag, kLongestGatheredTag));
  notice.at = now;
  std::vector<GatheredNotice>& again = item.gathered.again;
  std::erase_if(again, [&](const GatheredNotice& one) {
    return one.job == notice.job && one.key == notice.key;
  });
  if (again.size() >= kMostGathered) {
    ++item.gathered.left_out;
    const auto gives_way = gives_way_to(notice, again);
    if (gives_way == again.end()) return {std::move(item), false};
    again.erase(gives_way);
  }
  again.push_back(std::move(notice));
  return {std::move(item), false};
}

Step<DigestItem, std::optional<Digest>> claim_digest(DigestItem item, std::string_view by,
                                                     sys_seconds now) {
  const auto due = digest_due(item);
  if (!due || now < *due) return {std::move(item), std::nullopt};
  if (now - *due >= kDigestKept) {
    item.gathered = {};
    item.claim.reset();
    return {std::move(item), std::nullopt};
  }
  if (item.claim && answer_to(*item.claim, by, now) == ClaimAnswer::kOthers)
    return {std::move(item), std::nullopt};
  item.claim = Claim{.at = now, .by = std::string(by)};
  Digest told = item.gathered;
  return {std::move(item), std::move(told)};
}

DigestItem digest_sent(DigestItem item, const Digest& sent, sys_seconds now) {
  Digest& left = item.gathered;
  std::erase_if(left.limits, [&](const auto& limit) {
    const auto told = sent.limits.find(limit.first);
    return told != sent.limits.end() && told->second == limit.second;
  });
  std::erase_if(left.again, [&](const GatheredNotice& one) {
    return std::ranges::find(sent.again, one) != sent.again.end();
  });
  left.left_out = std::max<std::int64_t>(0, left.left_out - sent.left_out);
  item.sent = now;
  if (!sent.limits.empty()) item.limit_sent = now;
  item.claim.reset();
  return item;
}

std::optional<sys_seconds> digest_due(const DigestItem& item) {
  if (item.gathered.empty()) return std::nullopt;
  return item.sent.value_or(sys_seconds()) + kDigestEach;
}

Result<Stored<DigestItem>> parse_digest_item(std::string_view id,
                                             std::optional<json::Value> attributes) {
  return parse_stored<DigestItem>(id, attributes, [](ItemReader& in, DigestItem& item) {
    item.topic = in.text("topic");
    if (in.has("sent")) item.sent = in.time("sent");
    if (in.has("limit_sent")) item.limit_sent = in.time("limit_sent");
    read_gathered_limits(in, item.gathered);
    read_gathered_notices(in, item.gathered);
    item.gathered.left_out = in.number("left_out");
    if (in.has("claim")) {
      ItemReader claim = in.object("claim");
      item.claim = read_claim(claim);
      claim.expect_no_others();
    }
    // Both follow from the rest.
    if (in.has("due")) in.text("due");
    if (in.has("since")) in.time("since");
  });
}

json::Document digest_attributes(const DigestItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    out.member("topic", item.topic);
    if (item.sent) out.member("sent", epoch_seconds(*item.sent));
    if (item.limit_sent) out.member("limit_sent", epoch_seconds(*item.limit_sent));
    write_gathered_limits(out, item.gathered);
    write_gathered_notices(out, item.gathered);
    if (item.claim) {
      out.key("claim").begin_object();
      write_claim(out, *item.claim);
      out.end_object();
    }
    if (const auto due = digest_due(item))
      out.member("due", "1").member("since", epoch_seconds(*due));
  });
}

}  // namespace trainwarden::rules
