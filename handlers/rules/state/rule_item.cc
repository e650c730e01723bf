#include "handlers/rules/state/rule_item.h"

#include <fmt/format.h>

#include <utility>

#include "handlers/rules/job/fnv1a.h"

namespace trainwarden::rules {

std::string rule_item_id(std::string_view rule_text) {
  return fmt::format("rule/{:016x}", fnv1a(rule_text));
}

Step<RuleItem, RuleDecision> enforce_rule(const std::optional<Stored<RuleItem>>& stored,
                                          sys_seconds now) {
  if (!stored) return {{now}, {.since = now, .write = true}};
  const bool ends_soon = stored->expires - now < kItemsKept / 2;
  return {stored->item, {.since = stored->item.since, .write = ends_soon}};
}

Result<std::optional<Stored<RuleItem>>> parse_rule_item(std::string_view id,
                                                        std::optional<json::Value> attributes) {
  if (!attributes) return std::nullopt;
  std::optional<Error> mistake;
  ItemReader in(*attributes, fmt::format("item `{}`", id), mistake);
  const auto [v, expires] = read_header(in, id);
  Stored<RuleItem> out{.item = {in.time("since")}, .v = v, .expires = expires};
  in.expect_no_others();
  if (mistake) return fail(*std::move(mistake));
  return out;
}

json::Document rule_attributes(const RuleItem& item, sys_seconds now) {
  return json::Document::build([&](json::Sink& out) {
    out.begin_object();
    write_header(out, now);
    out.member("since", epoch_seconds(item.since));
    out.end_object();
  });
}

}  // namespace trainwarden::rules
