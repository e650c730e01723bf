#include "handlers/actions/table/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
#include <variant>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::actions {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestWrite{16};
constexpr milliseconds kLongestWrite{256};
constexpr int kDoublings = 6;  // at most

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// Returns what to write in place of what was found; nullopt for nothing.
using Next = std::function<Result<std::optional<json::Document>>(std::optional<json::Value> found,
                                                                 sys_millis now)>;

// The loser of a race waits, with jitter, so that writers do not retry in step: at first for about
// as long as its write took, and twice as long after each loss. So two hundred that write at once
// soon spread out, and each write meets few others, also where each takes long since so many wait.
// The jitter is a hash of the request, the time and the try, so that a test can repeat a history.
// False if the invocation has no time for it.
bool pause(int tries, milliseconds write_took, const Apis& apis) {
  const std::uint64_t jitter = std::hash<std::string>()(
      fmt::format("{}/{}/{}", apis.request, apis.clock.now().time_since_epoch().count(), tries));
  const milliseconds longest =
      std::clamp(write_took, kShortestWrite, kLongestWrite) * (1 << std::min(tries, kDoublings));
  const milliseconds wait(1 + jitter % static_cast<std::uint64_t>(longest.count()));
  if (apis.context.deadline.left(apis.clock.steady_now()) <= wait) return false;
  apis.clock.sleep_for(wait);
  return true;
}

// The item as it is after that write.
aws::Item written(std::string_view id, json::Value attributes, std::int64_t version,
                  const std::string& request) {
  return {version, request, json::Document::build([&](json::Sink& sink) {
            sink.begin_object().member("id", id).member("v", version).member("request", request);
            for (const json::Member member : attributes.members())
              sink.member(member.name, member.value);
            sink.end_object();
          })};
}

std::optional<json::Value> attributes_of(const std::optional<aws::Item>& item) {
  return item ? std::optional(item->attributes.root()) : std::nullopt;
}

void keep(std::string_view id, std::optional<aws::Item> item, const Apis& apis) {
  apis.last_items.insert_or_assign(std::string(id), std::move(item));
}

Result<void> change_once_read(std::string_view id, std::optional<aws::Item> found, bool is_fresh,
                              const Next& next, const Apis& apis) {
  for (int tries = 0; tries < rules::kMostTries; ++tries) {
    TRY(const auto document, next(attributes_of(found), apis.service_now()));
    if (!document && is_fresh) {
      keep(id, std::move(found), apis);
      return {};
    }
    if (!document) {  // nothing may be concluded from an item that is kept
      TRY(found, apis.table->get_item(id, apis.context));
      is_fresh = true;
      continue;
    }
    const std::string mark = new_mark(apis);
    const auto begun = apis.clock.steady_now();
    auto outcome = apis.table->put_item({.id = id,
                                         .attributes = document->root(),
                                         .version_read = found ? found->version : 0,
                                         .request = mark},
                                        apis.context);
    if (!outcome) return fail(std::move(outcome).error());
    if (const auto* const done = std::get_if<aws::Written>(&*outcome)) {
      keep(id, written(id, document->root(), done->version, mark), apis);
      return {};
    }
    const auto took = std::chrono::ceil<milliseconds>(apis.clock.steady_now() - begun);
    if (!pause(tries, took, apis)) break;
    // What came back with the refusal is old after a long pause, and the next write on it would
    // fail as well.
    if (tries == 0) {
      found = std::get<aws::Overtaken>(*std::move(outcome)).item;
    } else {
      TRY(found, apis.table->get_item(id, apis.context));
    }
    is_fresh = true;
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("the item `{}` was changed by others whenever it was to be written", id));
}

Result<void> change(std::string_view id, const Next& next, const Apis& apis) {
  if (!apis.table)
    return fail(ErrorCode::kStateUnavailable, "the state table: TRAINWARDEN_TABLE is not set");
  // Takes the cached item out of the cache, since it is of no use if the write finds it stale.
  auto kept = apis.last_items.extract(std::string(id));
  std::optional<aws::Item> found;
  if (kept) {
    found = std::move(kept.mapped());
  } else {
    auto read = apis.table->get_item(id, apis.context);
    if (!read) return fail(state_unavailable(std::move(read).error()));
    found = *std::move(read);
  }
  const bool is_fresh = kept.empty();
  auto changed = change_once_read(id, std::move(found), is_fresh, next, apis);
  if (!changed) return fail(state_unavailable(std::move(changed).error()));
  return {};
}

// Reads the item without changing it. parse makes a Result<Item> of the attributes.
template <class Item, class Parse>
Result<Item> find_item(std::string_view id, const Parse& parse, const Apis& apis) {
  apis.last_items.erase(std::string(id));
  Item out;
  CHECK_OK(change(
      id,
      [&](std::optional<json::Value> found,
          sys_millis /*now*/) -> Result<std::optional<json::Document>> {
        TRY(out, parse(found));
        return std::nullopt;
      },
      apis));
  return out;
}

// The item's own content, without the members that every item has.
template <class Item>
Result<Item> item_of(Result<rules::Stored<Item>> stored) {
  if (!stored) return fail(std::move(stored).error());
  return std::move(stored->item);
}
template <class Item>
Result<std::optional<Item>> item_of(Result<std::optional<rules::Stored<Item>>> stored) {
  if (!stored) return fail(std::move(stored).error());
  if (!*stored) return std::nullopt;
  return std::move((*stored)->item);
}

// Quotas that cannot be parsed count as none, so that they are fetched again.
std::optional<rules::QuotaItem> quotas_of(std::optional<json::Value> found) {
  return item_of(rules::parse_quota_item(found)).value_or(std::nullopt);
}

sys_seconds whole(sys_millis now) { return std::chrono::floor<std::chrono::seconds>(now); }

}  // namespace

Error state_unavailable(Error error) {
  return {ErrorCode::kStateUnavailable, "the state table: " + std::move(error).message};
}

std::string new_mark(const Apis& apis) {
  return fmt::format("{}/{}/{}", apis.request, apis.clock.now().time_since_epoch().count(),
                     next_number());
}

Result<std::string> job_item_id(const rules::TrainingJob& job) {
  if (job.created_exactly) return rules::job_item_id(job.name, *job.created_exactly);
  if (job.created) return rules::job_item_id(job.name, *job.created);
  return fail(ErrorCode::kUnavailable, "`DescribeTrainingJob.CreationTime`: expected a time");
}

Result<rules::JobItem> read_job_item(const std::string& id, const Apis& apis) {
  return find_item<rules::JobItem>(
      id, [&](auto found) { return item_of(rules::parse_job_item(id, found)); }, apis);
}

Result<rules::JobItem> last_job_item(const std::string& id, const Apis& apis) {
  const auto kept = apis.last_items.find(id);
  if (kept == apis.last_items.end()) return read_job_item(id, apis);
  return item_of(rules::parse_job_item(id, attributes_of(kept->second)));
}

Result<rules::JobItem> change_job_item(const std::string& id, const Apis& apis,
                                       const JobStep& step) {
  rules::JobItem out;
  CHECK_OK(change(
      id,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        TRY(const auto stored, rules::parse_job_item(id, found));
        out = step(stored.item, whole(now));
        if (out == stored.item) return std::nullopt;
        TRY(auto document, rules::job_attributes(id, out, whole(now)));
        return document;
      },
      apis));
  return out;
}

Result<void> change_brake(const Apis& apis, const BrakeStep& step) {
  return change(
      rules::kBrakeId,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        TRY(const auto stored, rules::parse_brake_item(found));
        const rules::BrakeItem next = step(stored.item, now);
        if (next == stored.item) return std::nullopt;
        return rules::brake_attributes(next, whole(now));
      },
      apis);
}

Result<rules::BrakeItem> last_brake(const Apis& apis) {
  const auto kept = apis.last_items.find(rules::kBrakeId);
  if (kept != apis.last_items.end())
    return item_of(rules::parse_brake_item(attributes_of(kept->second)));
  return find_item<rules::BrakeItem>(
      rules::kBrakeId, [](auto found) { return item_of(rules::parse_brake_item(found)); }, apis);
}

Result<std::optional<rules::CopyItem>> read_copy_item(std::string_view name, const Apis& apis) {
  const std::string id = rules::copy_item_id(name);
  return find_item<std::optional<rules::CopyItem>>(
      id, [&](auto found) { return item_of(rules::parse_copy_item(id, found)); }, apis);
}

Result<bool> remember_copy(std::string_view name, const rules::CopyItem& copy, const Apis& apis) {
  const std::string id = rules::copy_item_id(name);
  bool is_ours = false;
  CHECK_OK(change(
      id,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        TRY(const auto stored, item_of(rules::parse_copy_item(id, found)));
        const auto step = rules::remember_copy(stored, copy);
        is_ours = step.decision;
        if (stored) return std::nullopt;
        return rules::copy_attributes(step.next, whole(now));
      },
      apis));
  return is_ours;
}

Result<std::optional<rules::QuotaItem>> read_quotas(const Apis& apis) {
  using Quotas = std::optional<rules::QuotaItem>;
  return find_item<Quotas>(
      rules::kQuotaId, [](auto found) { return Result<Quotas>(quotas_of(found)); }, apis);
}

Result<void> keep_quotas(const rules::QuotaItem& read, const Apis& apis) {
  return change(
      rules::kQuotaId,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        const auto before = quotas_of(found);
        const rules::QuotaItem next = rules::later_quotas(before, read);
        if (next == before) return std::nullopt;
        return rules::quota_attributes(next, whole(now));
      },
      apis);
}

Result<rules::QueueItem> read_queue_item(std::string_view job_name, const Apis& apis) {
  const std::string id = rules::queue_item_id(job_name);
  return find_item<rules::QueueItem>(
      id, [&](auto found) { return item_of(rules::parse_queue_item(id, found)); }, apis);
}

Result<void> change_queue_item(std::string_view job_name, const Apis& apis, const QueueStep& step) {
  const std::string id = rules::queue_item_id(job_name);
  return change(
      id,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        TRY(const auto stored, rules::parse_queue_item(id, found));
        const rules::QueueItem next = step(stored.item, whole(now));
        if (next == stored.item) return std::nullopt;
        return rules::queue_attributes(next, whole(now));
      },
      apis);
}

Result<rules::DigestItem> change_digest(const std::string& id, const Apis& apis,
                                        const DigestStep& step) {
  rules::DigestItem out;
  CHECK_OK(change(
      id,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        TRY(const auto stored, rules::parse_digest_item(id, found));
        out = step(stored.item, whole(now));
        if (out == stored.item) return std::nullopt;
        return rules::digest_attributes(out, whole(now));
      },
      apis));
  return out;
}

Result<rules::SweepItem> read_sweep_item(const Apis& apis) {
  return find_item<rules::SweepItem>(
      rules::kSweepId, [](auto found) { return item_of(rules::parse_sweep_item(found)); }, apis);
}

Result<void> change_sweep_item(const Apis& apis, const SweepStep& step) {
  return change(
      rules::kSweepId,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        TRY(const auto stored, rules::parse_sweep_item(found));
        const rules::SweepItem next = step(stored.item, whole(now));
        if (next == stored.item) return std::nullopt;
        return rules::sweep_attributes(next, whole(now));
      },
      apis);
}

Result<sys_seconds> enforced_since(std::string_view rule_text, const Apis& apis) {
  const std::string id = rules::rule_item_id(rule_text);
  sys_seconds since;
  CHECK_OK(change(
      id,
      [&](std::optional<json::Value> found,
          sys_millis now) -> Result<std::optional<json::Document>> {
        TRY(const auto stored, rules::parse_rule_item(id, found));
        const auto step = rules::enforce_rule(stored, whole(now));
        since = step.decision.since;
        if (!step.decision.write) return std::nullopt;
        return rules::rule_attributes(step.next, whole(now));
      },
      apis));
  return since;
}

}  // namespace trainwarden::actions
