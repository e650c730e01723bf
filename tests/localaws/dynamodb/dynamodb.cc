#include "tests/localaws/dynamodb/dynamodb.h"

#include <fmt/core.h>

#include <initializer_list>
#include <optional>
#include <utility>

#include "tests/localaws/dynamodb/attribute_value.h"
#include "tests/localaws/dynamodb/dynamodb_shapes.h"
#include "tests/localaws/dynamodb/expression.h"
#include "tests/localaws/dynamodb/index_query.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::string_view kTable = "trainwarden-state";
constexpr std::size_t kMaxKey = 2048;
constexpr std::size_t kMaxItem = std::size_t{400} * 1024;

// The key `id`, of a Key or an Item that has it as a string.
Answer<std::string> checked_id(Value id) {
  const std::string_view text = id.as_string();
  if (text.empty())
    return invalid(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        "contain an empty string value. Key: id");
  if (text.size() > kMaxKey)
    return invalid(
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size "
        "limit of2048 bytes");
  return std::string(text);
}

Answer<std::string> id_of_key(Value key) {
  if (auto ok = check_attributes(key); !ok) return std::unexpected(ok.error());
  const auto id = key.find_present("id");
  if (!id || key.size() != 1 || typed(*id).type != "S")
    return invalid("The provided key element does not match the schema");
  return checked_id(typed(*id).inner);
}

Answer<std::string> id_of_item(Value item) {
  const auto id = item.find_present("id");
  if (!id)
    return invalid("One or more parameter values were invalid: Missing the key id in the item");
  if (typed(*id).type != "S")
    return invalid(
        fmt::format("One or more parameter values were invalid: Type mismatch for key id expected: "
                    "S actual: {}",
                    typed(*id).type));
  return checked_id(typed(*id).inner);
}

// An attribute that is a key of the index must have the key's type, in items that are not in it
// too.
Answer<void> check_index_key(Value item, std::string_view name, std::string_view type) {
  const auto value = item.find_present(name);
  if (!value) return {};
  const auto [actual, inner] = typed(*value);
  if (actual != type)
    return invalid(
        fmt::format("One or more parameter values were invalid: Type mismatch for Index Key {} "
                    "Expected: {} Actual: {} IndexName: due",
                    name, type, actual));
  if (type == "S" && inner.as_string().empty())
    return invalid(
        fmt::format("One or more parameter values are not valid. A value specified for a secondary "
                    "index key is not supported. The AttributeValue for a key attribute cannot "
                    "contain an empty string value. IndexName: due, IndexKey: {}",
                    name));
  return {};
}

Answer<std::string> checked_item(Value item) {
  if (auto ok = check_attributes(item); !ok) return std::unexpected(ok.error());
  auto id = id_of_item(item);
  if (!id) return id;
  if (auto ok = check_index_key(item, "due", "S"); !ok) return std::unexpected(ok.error());
  if (auto ok = check_index_key(item, "since", "N"); !ok) return std::unexpected(ok.error());
  if (size_of(item) > kMaxItem) return invalid("Item size has exceeded the maximum allowed size");
  return id;
}

std::optional<DueIndex::Keys> index_keys(Value item) {
  const auto due = item.find("due");
  const auto since = item.find("since");
  if (!due || !since) return std::nullopt;
  return DueIndex::Keys{std::string(typed(*due).inner.as_string()),
                        *Decimal::parse(typed(*since).inner.as_string())};
}

// {"Item": …}, or {} where there is none.
std::string with_item(std::string_view name, const json::Document* item) {
  json::Writer out;
  out.begin_object();
  if (item != nullptr) out.member(name, item->root());
  out.end_object();
  return out.take();
}

// Members that AWS knows and localaws does not: those given are refused rather than ignored.
Answer<void> refuse_given(Value input, std::initializer_list<std::string_view> members) {
  for (const std::string_view member : members)
    if (input::has(input, member)) return invalid(fmt::format("localaws does not know {}", member));
  for (const std::string_view member : {"ReturnConsumedCapacity", "ReturnItemCollectionMetrics"})
    if (input::text(input, member, "NONE") != "NONE")
      return invalid(fmt::format("localaws knows {} NONE only", member));
  return {};
}

}  // namespace

std::string table_arn(std::string_view region, std::string_view account) {
  return fmt::format("arn:aws:dynamodb:{}:{}:table/{}", region, account, kTable);
}

DynamoDb::DynamoDb(std::string_view region, std::string_view account,
                   std::chrono::milliseconds index_lag)
    : Service(dynamodb_inputs()), arn_(table_arn(region, account)), index_(index_lag) {}

void DynamoDb::clear() {
  items_.clear();
  index_.clear();
}

std::string DynamoDb::items_json() const {
  json::Writer out;
  out.begin_object();
  for (const auto& [id, item] : items_) out.member(id, item.root());
  out.end_object();
  return out.take();
}

Answer<std::string> DynamoDb::call(std::string_view operation, Value input, sys_millis now) {
  if (operation == "GetItem") return get(input);
  if (operation == "PutItem") return put(input, now);
  if (operation == "Scan") return scan(input);
  return query(input, now);
}

Answer<void> DynamoDb::check_table(Value input) const {
  const std::string_view name = input::text(input, "TableName");
  if (name == arn_ || name == kTable) return {};
  return refuse(400, "ResourceNotFoundException", "Requested resource not found");
}

Answer<std::string> DynamoDb::get(Value input) const {
  if (auto ok = refuse_given(
          input, {"AttributesToGet", "ProjectionExpression", "ExpressionAttributeNames"});
      !ok)
    return std::unexpected(ok.error());
  if (auto ok = check_table(input); !ok) return std::unexpected(ok.error());
  const auto id = id_of_key(*input.find("Key"));
  if (!id) return id;
  const auto found = items_.find(*id);
  return with_item("Item", found == items_.end() ? nullptr : &found->second);
}

Answer<std::string> DynamoDb::put(Value input, sys_millis now) {
  if (auto ok = refuse_given(input, {"Expected", "ConditionalOperator"}); !ok)
    return std::unexpected(ok.error());
  const std::string_view wanted = input::text(input, "ReturnValues", "NONE");
  if (wanted != "NONE" && wanted != "ALL_OLD")
    return invalid("ReturnValues can only be ALL_OLD or NONE");
  if (auto ok = check_table(input); !ok) return std::unexpected(ok.error());
  const Value item = *input.find("Item");
  const auto id = checked_item(item);
  if (!id) return id;
  const auto found = items_.find(*id);
  const json::Document* const stands = found == items_.end() ? nullptr : &found->second;
  if (auto ok = check_condition(input, stands); !ok) return std::unexpected(ok.error());
  std::string answer = with_item("Attributes", wanted == "ALL_OLD" ? stands : nullptr);
  index_.note(*id, index_keys(item), now);
  items_.insert_or_assign(*id, normalised(item));
  return answer;
}

Answer<void> DynamoDb::check_condition(Value input, const json::Document* stands) const {
  const auto version = version_condition(expression_of(input, "ConditionExpression"));
  if (!version) return std::unexpected(version.error());
  if (!*version || stands == nullptr) return {};
  const auto found = stands->root().find("v");
  if (found && same_value(*found, **version)) return {};
  AwsError lost{400, "ConditionalCheckFailedException", "The conditional request failed"};
  if (input::text(input, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD")
    lost.members = with_item("Item", stands);
  return std::unexpected(std::move(lost));
}

Answer<std::string> DynamoDb::query(Value input, sys_millis now) {
  if (auto ok = refuse_given(input, {"AttributesToGet", "ProjectionExpression", "FilterExpression",
                                     "KeyConditions", "QueryFilter", "ConditionalOperator"});
      !ok)
    return std::unexpected(ok.error());
  if (auto ok = check_table(input); !ok) return std::unexpected(ok.error());
  const auto asked = read_index_query(input);
  if (!asked) return std::unexpected(asked.error());
  return answer_query(*asked, index_.entries(asked->due, now));
}

// In the order of the keys, which is as good as AWS's, that of their hashes.
Answer<std::string> DynamoDb::scan(Value input) const {
  constexpr std::size_t kMaxPage = 1'048'576;
  if (auto ok = refuse_given(
          input, {"IndexName", "AttributesToGet", "ProjectionExpression", "FilterExpression",
                  "ScanFilter", "ConditionalOperator", "Segment", "TotalSegments"});
      !ok)
    return std::unexpected(ok.error());
  if (auto ok = check_table(input); !ok) return std::unexpected(ok.error());
  auto at = items_.begin();
  if (const auto start = input.find_present("ExclusiveStartKey")) {
    const auto id = id_of_key(*start);
    if (!id) return id;
    at = items_.upper_bound(*id);
  }
  const auto limit = static_cast<std::size_t>(input::integer(input, "Limit"));
  const bool counts_only = input::text(input, "Select") == "COUNT";
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::string_view last;
  json::Writer out;
  out.begin_object().key("Items").begin_array();
  for (; at != items_.end() && bytes < kMaxPage && (limit == 0 || count < limit); ++at, ++count) {
    if (!counts_only) out.value(at->second.root());
    bytes += size_of(at->second.root());
    last = at->first;
  }
  out.end_array().member("Count", count).member("ScannedCount", count);
  // As in AWS, a page that is full tells where it ended although nothing may follow.
  if (count > 0 && (at != items_.end() || count == limit))
    out.key("LastEvaluatedKey").begin_object().key("id").begin_object().member("S", last);
  if (count > 0 && (at != items_.end() || count == limit)) out.end_object().end_object();
  out.end_object();
  return out.take();
}

}  // namespace trainwarden::localaws
