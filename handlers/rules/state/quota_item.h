// A cache of the account's quotas of training machines, so that not every restart fetches them all.
// An entry that would refuse a restart and is not fresh is fetched again.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "handlers/rules/job/training_quotas.h"
#include "handlers/rules/state/stored.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/json/json.h"

namespace trainwarden::rules {

// Older entries are ignored.
inline constexpr std::chrono::hours kQuotasKept{24};
// Only entries younger than this may refuse a restart, since a quota may have been raised.
inline constexpr std::chrono::minutes kQuotasRefuseFor{5};

struct QuotaItem {
  sys_seconds read = {};
  MachineCounts quotas = {};

  bool operator==(const QuotaItem&) const = default;
};

bool are_known(const QuotaItem& item, sys_seconds now);
bool may_refuse(const QuotaItem& item, sys_seconds now);

// The item after a fetch: of two fetches, the later counts.
QuotaItem later_quotas(const std::optional<QuotaItem>& stored, const QuotaItem& read);

// attributes: as awsapi gives them. nullopt where there is no such item. kUnavailable: what is
// there is none of our items, and what was found.
Result<std::optional<Stored<QuotaItem>>> parse_quota_item(std::optional<json::Value> attributes);
// The item as it is put back.
json::Document quota_attributes(const QuotaItem& item, sys_seconds now);

}  // namespace trainwarden::rules
