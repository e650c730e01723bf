#include "handlers/rules/state/rule_item.h"

#include <utility>

namespace trainwarden::rules {

Step<RuleItem, RuleDecision> enforce_rule(const std::optional<Stored<RuleItem>>& stored,
                                          sys_seconds now) {
  if (!stored) return {{now}, {.since = now, .write = true}};
  const bool ends_soon = stored->expires - now < kItemsKept / 2;
  return {stored->item, {.since = stored->item.since, .write = ends_soon}};
}

Result<std::optional<Stored<RuleItem>>> parse_rule_item(std::string_view id,
                                                        std::optional<json::Value> attributes) {
  return parse_if_stored<RuleItem>(
      id, attributes, [](ItemReader& in, RuleItem& item) { item = {in.time("since")}; });
}

json::Document rule_attributes(const RuleItem& item, sys_seconds now) {
  return stored_attributes(
      now, [&](json::Sink& out) { out.member("since", epoch_seconds(item.since)); });
}

}  // namespace trainwarden::rules
