// A queued copy: a rule requested it when the job ended, but the hourly limit was reached, or a
// source that the rule needs could not be fetched. It is stored so that sweeps make the copy in
// order (queue_order.h) and do not count it among copies that nobody decided on (policy.md P7). It
// is no promise: the policy in force at that time decides. Keyed by name alone, since Describe may
// be what failed; it is about a job that was created before it was written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

struct QueueItem {
  std::vector<std::string> rules = {};  // rule_item_id()s of the rules that requested it
  sys_seconds at = {};                  // first
  bool waits = false;                   // the table's index holds it as long

  bool operator==(const QueueItem&) const = default;
};

// created: the job's, if known; an item of an earlier job of that name is replaced.
QueueItem enqueue(QueueItem item, std::span<const std::string> rules,
                  std::optional<sys_seconds> created, sys_seconds now);
// The copy was made, or will not be.
QueueItem dequeue(QueueItem item);

// Whether it says that this rule's restart of the job waits.
bool is_queued(const QueueItem& item, std::string_view rule, std::optional<sys_seconds> created);

// attributes: as awsapi gives them; nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<Stored<QueueItem>> parse_queue_item(std::string_view id,
                                           std::optional<json::Value> attributes);
// The item as it is put back.
json::Document queue_attributes(const QueueItem& item, sys_seconds now);

}  // namespace trainwarden::rules
