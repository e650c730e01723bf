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
  AttributeReader in(*attributes, fmt::format("item `{}`", id), mistake);
  auto [v, by, expires] = read_header(in, id);
  Stored<RuleItem> out{.item = {in.time("since")}, .v = v, .by = std::move(by), .expires = expires};
  in.expect_no_others();
  if (mistake) return fail(*std::move(mistake));
  return out;
}

std::string rule_attributes(std::string_view id, const RuleItem& item, const Stamp& stamp) {
  json::Writer writer;
  writer.begin_object();
  AttributeWriter out(writer);
  write_header(out, id, stamp);
  out.time("since", item.since);
  writer.end_object();
  return writer.take();
}

}  // namespace trainwarden::rules
