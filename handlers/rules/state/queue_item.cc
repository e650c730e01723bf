#include "handlers/rules/state/queue_item.h"

#include <algorithm>
#include <utility>

namespace trainwarden::rules {
namespace {

// A job that more rules would restart at once is odd; those that are not kept count as new.
constexpr std::size_t kMostRules = 32;

}  // namespace

QueueItem enqueue(QueueItem item, std::span<const std::string> rules,
                  std::optional<sys_seconds> created, sys_seconds now) {
  if (!item.waits || (created && item.at < *created)) item = {.at = now};
  item.waits = true;
  for (const std::string& rule : rules)
    if (item.rules.size() < kMostRules && std::ranges::find(item.rules, rule) == item.rules.end())
      item.rules.push_back(rule);
  return item;
}

QueueItem dequeue(QueueItem item) {
  item.waits = false;
  return item;
}

bool is_queued(const QueueItem& item, std::string_view rule, std::optional<sys_seconds> created) {
  return item.waits && created && *created <= item.at &&
         std::ranges::find(item.rules, rule) != item.rules.end();
}

Result<Stored<QueueItem>> parse_queue_item(std::string_view id,
                                           std::optional<json::Value> attributes) {
  return parse_stored<QueueItem>(id, attributes, [](ItemReader& in, QueueItem& item) {
    item = {.rules = in.texts("rules"), .at = in.time("at"), .waits = in.has("due")};
    // Both follow from the rest.
    if (in.has("due")) in.text("due");
    if (in.has("since")) in.time("since");
  });
}

json::Document queue_attributes(const QueueItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    out.key("rules").begin_array();
    for (const std::string& rule : item.rules) out.string(rule);
    out.end_array();
    out.member("at", epoch_seconds(item.at));
    if (item.waits) out.member("due", "1").member("since", epoch_seconds(item.at));
  });
}

}  // namespace trainwarden::rules
