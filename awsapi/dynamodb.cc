#include "awsapi/dynamodb.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "awsapi/request_body.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::aws {
namespace {

constexpr std::string_view kKey = "id";
constexpr std::string_view kLostCondition = "ConditionalCheckFailedException";

// The part before the next colon, which is taken off.
std::string_view take_part(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find(':'));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool is_table_name(std::string_view name) {
  constexpr std::size_t kShortest = 3;
  constexpr std::size_t kLongest = 255;
  const auto allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
  };
  return name.size() >= kShortest && name.size() <= kLongest && std::ranges::all_of(name, allowed);
}

// The region of a table's ARN; empty: it is none.
std::string_view region_of(std::string_view arn) {
  constexpr std::size_t kAccountDigits = 12;
  constexpr std::string_view kResource = "table/";
  const std::string_view scheme = take_part(arn);
  const std::string_view partition = take_part(arn);
  const std::string_view service = take_part(arn);
  const std::string_view region = take_part(arn);
  const std::string_view account = take_part(arn);
  const bool valid = scheme == "arn" && partition.starts_with("aws") && service == "dynamodb" &&
                     account.size() == kAccountDigits && std::ranges::all_of(account, is_digit) &&
                     arn.starts_with(kResource) && is_table_name(arn.substr(kResource.size()));
  return valid ? region : std::string_view();
}

void write_string(json::Sink& sink, std::string_view name, std::string_view text) {
  sink.key(name).begin_object().member("S", text).end_object();
}

void write_integer(json::Sink& sink, std::string_view name, std::int64_t number) {
  sink.key(name).begin_object().member("N", fmt::format("{}", number)).end_object();
}

// The attribute's value where it has that type.
std::optional<std::string_view> attribute(json::Value item, std::string_view name,
                                          std::string_view type) {
  const auto typed = item.find(name);
  const auto value = typed ? typed->find(type) : std::nullopt;
  if (!value || !value->is_string()) return std::nullopt;
  return value->as_string();
}

// What every item has besides its own content.
struct Head {
  std::string_view id;
  std::int64_t version = 0;
  std::string_view by;
};

// nullopt: there is no version that counts.
std::optional<Head> head_of(json::Value item) {
  const auto version = whole_number(attribute(item, "v", "N").value_or(""), 1);
  if (!version) return std::nullopt;
  return Head{attribute(item, kKey, "S").value_or(""), *version,
              attribute(item, "by", "S").value_or("")};
}

Result<Item> parse_item(json::Value typed) {
  const auto head = head_of(typed);
  if (!head)
    return fail(ErrorCode::kBadResponse, "`Item.v`: expected a number, 1 or more, found none");
  return Item{.version = head->version,
              .by = std::string(head->by),
              .attributes = json::Document::build([&](json::Sink& sink) { sink.value(typed); })};
}

// `Item` of an answer, if it is there.
Result<std::optional<Item>> item_in(json::Value answer) {
  const auto typed = answer.find_present("Item");
  if (!typed) return std::nullopt;
  TRY(Item item, parse_item(*typed));
  return item;
}

}  // namespace

Result<std::optional<Table>> Table::from(const Environment& environment, std::string_view variable,
                                         std::string_view region) {
  const auto arn = environment.get(variable);
  if (!arn) return std::nullopt;
  TRY(Table table, parse(variable, *arn, region));
  return table;
}

Result<Table> Table::parse(std::string_view variable, std::string_view arn,
                           std::string_view region) {
  const std::string_view found = region_of(arn);
  if (found.empty())
    return malformed_variable(variable,
                              "the ARN of a DynamoDB table, such as "
                              "arn:aws:dynamodb:eu-central-1:111122223333:table/NAME",
                              arn);
  if (found != region)
    return malformed_variable(
        variable, fmt::format("a table in the region of the functions, {}", region), arn);
  return Table(std::string(variable), std::string(arn));
}

std::unexpected<Error> DynamoDb::of_table(Error error) const {
  if (error.code == ErrorCode::kNotFound)
    error.message += fmt::format("; expected a table, found none at {}", table_.arn());
  return fail(std::move(error).in(table_.variable()));
}

Result<std::optional<Item>> DynamoDb::get_item(std::string_view id,
                                               const CallContext& context) const {
  auto item = read_item(id, context);
  if (!item) return of_table(std::move(item).error());
  return item;
}

Result<std::optional<Item>> DynamoDb::read_item(std::string_view id,
                                                const CallContext& context) const {
  const Call call{&kDynamoDb, "GetItem", request_body([&](json::Sink& sink) {
                    sink.member("TableName", table_.arn()).member("ConsistentRead", true);
                    sink.key("Key").begin_object();
                    write_string(sink, kKey, id);
                    sink.end_object();
                  })};
  TRY(const json::Document answer, client_.call(call, context));
  auto item = item_in(answer.root());
  if (!item) return fail(std::move(item).error().in(fmt::format("GetItem of {}", id)));
  return item;
}

Result<PutOutcome> DynamoDb::put_item(std::string_view item, const CallContext& context) const {
  TRY(const json::Document document, json::Document::parse(item));
  const auto head = head_of(document.root());
  if (!head || head->id.empty() || head->by.empty())
    return fail(ErrorCode::kInvalidInput,
                "PutItem: expected an item with `id`, `v` (1 or more) and `by`");
  const Call call{&kDynamoDb, "PutItem", request_body([&](json::Sink& sink) {
                    sink.member("TableName", table_.arn()).member("Item", document.root());
                    sink.member("ConditionExpression", "attribute_not_exists(id) OR v = :v");
                    sink.key("ExpressionAttributeValues").begin_object();
                    write_integer(sink, ":v", head->version - 1);
                    sink.end_object();
                    sink.member("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
                  })};
  const auto answer = client_.call_or_refusal(call, kLostCondition, context);
  if (!answer) return of_table(answer.error());
  if (!answer->refused) return Written{head->version};
  auto stands = item_in(answer->body.root());
  // Some that speak DynamoDB do not send it along.
  if (stands && !*stands) stands = read_item(head->id, context);
  if (!stands)
    return of_table(std::move(stands).error().in(fmt::format("PutItem of {}", head->id)));
  const bool ours = *stands && (*stands)->version == head->version && (*stands)->by == head->by;
  if (ours) return Written{head->version};
  return Overtaken{*std::move(stands)};
}

Result<void> DynamoDb::query(const std::function<Result<bool>(std::string_view id)>& each,
                             const CallContext& context, int page_size) const {
  const auto make = [&](std::string_view last) {
    return Call{&kDynamoDb, "Query", request_body([&](json::Sink& sink) {
                  sink.member("TableName", table_.arn()).member("IndexName", "due");
                  sink.member("KeyConditionExpression", "due = :due");
                  sink.key("ExpressionAttributeValues").begin_object();
                  write_string(sink, ":due", "1");
                  sink.end_object();
                  if (page_size > 0) sink.member("Limit", page_size);
                  if (last.empty()) return;
                  if (const auto start = json::Document::parse(last))
                    sink.member("ExclusiveStartKey", start->root());
                })};
  };
  bool callers = false;  // the error is the caller's own
  const auto each_page = [&](json::Value page) -> Result<bool> {
    const auto items = page.find_present("Items");
    if (!items || !items->is_array())
      return fail(ErrorCode::kBadResponse, "Query: expected `Items` in the answer");
    for (const json::Value item : items->elements()) {
      const auto id = attribute(item, kKey, "S");
      if (!id) return fail(ErrorCode::kBadResponse, "Query: expected `Items[].id.S` in the answer");
      const auto go_on = each(*id);
      callers = !go_on;
      if (!go_on || !*go_on) return go_on;
    }
    return true;
  };
  auto walked = client_.pages(make, "LastEvaluatedKey", each_page, context);
  if (!walked && !callers) return of_table(std::move(walked).error());
  return walked;
}

}  // namespace trainwarden::aws
