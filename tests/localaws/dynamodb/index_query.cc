#include "tests/localaws/dynamodb/index_query.h"

#include <fmt/core.h>

#include <algorithm>

#include "tests/localaws/dynamodb/attribute_value.h"
#include "tests/localaws/dynamodb/expression.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::size_t kMaxPage = std::size_t{1024} * 1024;

Answer<void> check_index(Value input) {
  if (!input::has(input, "IndexName")) return invalid("localaws queries the index `due` only");
  const std::string_view index = input::text(input, "IndexName");
  if (index != "due")
    return invalid(fmt::format("The table does not have the specified index: {}", index));
  if (input::flag(input, "ConsistentRead"))
    return invalid("Consistent reads are not supported on global secondary indexes");
  const std::string_view select = input::text(input, "Select", "ALL_PROJECTED_ATTRIBUTES");
  if (select == "ALL_ATTRIBUTES")
    return invalid(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
        "for global secondary index due because its projection type is not ALL");
  if (select == "SPECIFIC_ATTRIBUTES")
    return invalid("localaws does not know Select SPECIFIC_ATTRIBUTES");
  return {};
}

Answer<std::optional<DueEntry>> start_of(Value input, std::string_view due) {
  const auto start = input.find_present("ExclusiveStartKey");
  if (!start) return std::nullopt;
  if (auto ok = check_attributes(*start); !ok) {
    if (ok.error().code != "ValidationException") return std::unexpected(ok.error());
    return invalid("The provided starting key is invalid: " + ok.error().message);
  }
  const auto member = [&](std::string_view name, std::string_view type) -> std::optional<Value> {
    const auto value = start->find_present(name);
    if (!value || typed(*value).type != type) return std::nullopt;
    return typed(*value).inner;
  };
  const auto id = member("id", "S");
  const auto hash = member("due", "S");
  const auto since = member("since", "N");
  if (!id || !hash || !since || start->size() != 3)
    return invalid("The provided starting key is invalid");
  if (hash->as_string() != due)
    return invalid(
        "The provided starting key is outside query boundaries based on provided conditions");
  return DueEntry{*Decimal::parse(since->as_string()), std::string(id->as_string())};
}

void write_key(json::Sink& sink, const std::string& due, const DueEntry& entry) {
  const auto attribute = [&sink](std::string_view name, std::string_view type,
                                 std::string_view text) {
    sink.key(name).begin_object().member(type, text).end_object();
  };
  sink.begin_object();
  attribute("id", "S", entry.id);
  attribute("due", "S", due);
  attribute("since", "N", entry.since.text());
  sink.end_object();
}

std::size_t key_size(const std::string& due, const DueEntry& entry) {
  constexpr std::size_t kNames = std::string_view("idduesince").size();
  return kNames + entry.id.size() + due.size() + entry.since.size();
}

}  // namespace

Answer<IndexQuery> read_index_query(Value input) {
  if (auto ok = check_index(input); !ok) return std::unexpected(ok.error());
  const auto condition = key_condition(expression_of(input, "KeyConditionExpression"));
  if (!condition) return std::unexpected(condition.error());
  const auto [type, due] = typed(*condition);
  if (type != "S")
    return invalid(
        "One or more parameter values were invalid: Condition parameter type does not match schema "
        "type");
  auto after = start_of(input, due.as_string());
  if (!after) return std::unexpected(after.error());
  return IndexQuery{.due = std::string(due.as_string()),
                    .after = *std::move(after),
                    .limit = input::integer(input, "Limit"),
                    .forward = input::flag(input, "ScanIndexForward", true),
                    .count_only = input::text(input, "Select") == "COUNT"};
}

std::string answer_query(const IndexQuery& query, std::vector<DueEntry> entries) {
  if (!query.forward) std::reverse(entries.begin(), entries.end());
  if (query.after)
    std::erase_if(entries, [&](const DueEntry& entry) {
      return query.forward ? entry <= *query.after : entry >= *query.after;
    });
  const auto limit = static_cast<std::size_t>(query.limit);
  const std::size_t most = limit == 0 ? entries.size() : std::min(limit, entries.size());
  std::size_t taken = 0;
  for (std::size_t bytes = 0; taken < most && bytes < kMaxPage; ++taken)
    bytes += key_size(query.due, entries[taken]);
  // As in AWS, a page that is full tells where it ended although nothing may follow.
  const bool full = limit > 0 && taken == limit;
  json::Writer out;
  out.begin_object();
  if (!query.count_only) {
    out.key("Items").begin_array();
    for (std::size_t i = 0; i < taken; ++i) write_key(out, query.due, entries[i]);
    out.end_array();
  }
  out.member("Count", taken).member("ScannedCount", taken);
  if (taken > 0 && (full || taken < entries.size())) {
    out.key("LastEvaluatedKey");
    write_key(out, query.due, entries[taken - 1]);
  }
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
