#include "handlers/rules/state/quota_item.h"

#include <fmt/format.h>

#include "handlers/rules/state/item_id.h"

namespace trainwarden::rules {
namespace {

constexpr std::string_view kOnDemand = "on_demand";
constexpr std::string_view kOnSpot = "spot";

// A clock that went back knows nothing.
bool is_younger(const QuotaItem& item, sys_seconds now, std::chrono::seconds than) {
  return item.read <= now && now - item.read < than;
}

void read_kinds(ItemReader in, bool spot, MachineCounts& out) {
  for (const std::string& type : in.names()) out.emplace(MachineKind{type, spot}, in.number(type));
}

}  // namespace

bool are_known(const QuotaItem& item, sys_seconds now) {
  return is_younger(item, now, kQuotasKept);
}

bool may_refuse(const QuotaItem& item, sys_seconds now) {
  return is_younger(item, now, kQuotasRefuseFor);
}

QuotaItem later_quotas(const std::optional<QuotaItem>& stored, const QuotaItem& read) {
  return stored && stored->read >= read.read ? *stored : read;
}

Result<std::optional<Stored<QuotaItem>>> parse_quota_item(std::optional<json::Value> attributes) {
  return parse_if_stored<QuotaItem>(kQuotaId, attributes, [](ItemReader& in, QuotaItem& item) {
    item.read = in.time("read");
    read_kinds(in.object(kOnDemand), false, item.quotas);
    read_kinds(in.object(kOnSpot), true, item.quotas);
  });
}

json::Document quota_attributes(const QuotaItem& item, sys_seconds now) {
  return stored_attributes(now, [&](json::Sink& out) {
    out.member("read", epoch_seconds(item.read));
    for (const bool spot : {false, true}) {
      out.key(spot ? kOnSpot : kOnDemand).begin_object();
      for (const auto& [kind, count] : item.quotas)
        if (kind.spot == spot) out.member(kind.type, count);
      out.end_object();
    }
  });
}

}  // namespace trainwarden::rules
