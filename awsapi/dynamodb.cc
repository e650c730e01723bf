#include "awsapi/dynamodb.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "awsapi/attributes.h"
#include "awsapi/request_body.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::aws {
namespace {

constexpr std::string_view kKey = "id";
constexpr std::string_view kVersion = "v";
constexpr std::string_view kRequest = "request";
constexpr std::string_view kLostCondition = "ConditionalCheckFailedException";

// Takes the part before the next colon off the text.
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

// The region of a table's ARN; empty if the text is no such ARN.
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

Result<Item> parse_item(json::Value typed) {
  TRY(json::Document attributes, read_attributes(typed, "Item"));
  Item item{.version = 0, .request = {}, .attributes = std::move(attributes)};
  const json::Value root = item.attributes.root();
  const auto version = root.find(kVersion);
  if (!version || !version->as_integer())
    return fail(ErrorCode::kBadResponse, fmt::format("`Item.v`: expected an integer, found {}",
                                                     version ? version->excerpt() : "nothing"));
  item.version = *version->as_integer();
  if (const auto request = root.find_present(kRequest)) {
    TRY(const std::string_view text, request->string("Item.request"));
    item.request = text;
  }
  return item;
}

// `Item` of an answer, if it is there.
Result<std::optional<Item>> item_in(json::Value answer) {
  const auto typed = answer.find_present("Item");
  if (!typed) return std::nullopt;
  TRY(Item item, parse_item(*typed));
  return item;
}

void write_item(json::Sink& sink, const ItemWrite& write) {
  sink.key("Item").begin_object();
  write_string(sink, kKey, write.id);
  write_integer(sink, kVersion, write.version_read + 1);
  write_string(sink, kRequest, write.request);
  for (const auto& [name, value] : write.attributes.members()) {
    if (name == kKey || name == kVersion || name == kRequest) continue;
    sink.key(name);
    write_attribute(sink, value);
  }
  sink.end_object();
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
  const Call call{.service = &kDynamoDb,
                  .operation = "GetItem",
                  .body = request_body([&](json::Sink& sink) {
                    sink.member("TableName", table_.arn()).member("ConsistentRead", true);
                    sink.key("Key").begin_object();
                    write_string(sink, kKey, id);
                    sink.end_object();
                  }),
                  .target = std::string(id)};
  TRY(const json::Document answer, client_.call(call, context));
  auto item = item_in(answer.root());
  if (!item) return fail(std::move(item).error().in(fmt::format("GetItem of {}", id)));
  return item;
}

Result<PutOutcome> DynamoDb::put_item(const ItemWrite& write, const CallContext& context) const {
  const Call call{.service = &kDynamoDb,
                  .operation = "PutItem",
                  .body = request_body([&](json::Sink& sink) {
                    sink.member("TableName", table_.arn());
                    write_item(sink, write);
                    sink.member("ConditionExpression", "attribute_not_exists(id) OR v = :v");
                    sink.key("ExpressionAttributeValues").begin_object();
                    write_integer(sink, ":v", write.version_read);
                    sink.end_object();
                    sink.member("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
                  }),
                  .target = std::string(write.id)};
  const auto answer = client_.call_or_refusal(call, kLostCondition, context);
  if (!answer) return of_table(answer.error());
  const std::int64_t version = write.version_read + 1;
  if (!answer->refused) return Written{version};
  auto stands = item_in(answer->body.root());
  // Some services that are compatible with DynamoDB do not return it.
  if (stands && !*stands) stands = read_item(write.id, context);
  if (!stands)
    return of_table(std::move(stands).error().in(fmt::format("PutItem of {}", write.id)));
  const bool ours = *stands && (*stands)->version == version && (*stands)->request == write.request;
  if (ours) return Written{version};
  return Overtaken{*std::move(stands)};
}

Result<void> DynamoDb::query(const std::function<Result<bool>(std::string_view id)>& each,
                             const CallContext& context, int page_size) const {
  const auto make = [&](std::string_view last) {
    return Call{.service = &kDynamoDb,
                .operation = "Query",
                .body = request_body([&](json::Sink& sink) {
                  sink.member("TableName", table_.arn()).member("IndexName", "due");
                  sink.member("KeyConditionExpression", "due = :due");
                  sink.key("ExpressionAttributeValues").begin_object();
                  write_string(sink, ":due", "1");
                  sink.end_object();
                  if (page_size > 0) sink.member("Limit", page_size);
                  if (last.empty()) return;
                  if (const auto start = json::Document::parse(last))
                    sink.member("ExclusiveStartKey", start->root());
                }),
                .target = "index/due"};
  };
  bool callers = false;  // the error is the caller's own
  const auto each_page = [&](json::Value page) -> Result<bool> {
    const auto items = page.find_present("Items");
    if (!items || !items->is_array())
      return fail(ErrorCode::kBadResponse, "Query: expected `Items` in the answer");
    for (const json::Value item : items->elements()) {
      const auto id = item.find_present(kKey);
      const auto text = id ? id->find_present("S") : std::nullopt;
      if (!text || !text->is_string())
        return fail(ErrorCode::kBadResponse, "Query: expected `Items[].id.S` in the answer");
      const auto go_on = each(text->as_string());
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
