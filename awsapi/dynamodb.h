// The DynamoDB calls in use, on one table: reading an item, writing it back unless somebody else
// wrote it meanwhile, and asking the index `due`. Items have the key `id`, a version `v` that every
// write counts up, and `request`, which says which write they come from. There is one condition,
// `attribute_not_exists(id) OR v = :v`, so a write that is sent twice takes effect once: a
// throttled write was not done, and after a lost answer the item shows whose write succeeded.
// Sources: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PutItem.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "awsapi/client.h"

namespace trainwarden::aws {

// A table, by its ARN, and the environment variable that named it, which errors name too.
class Table {
 public:
  // nullopt where the variable is unset. Errors as of parse().
  static Result<std::optional<Table>> from(const Environment& environment,
                                           std::string_view variable, std::string_view region);
  // kInvalidConfig, naming the variable, for what is no table's ARN and for a table of another
  // region: without this check IAM would say only that access is denied.
  static Result<Table> parse(std::string_view variable, std::string_view arn,
                             std::string_view region);

  const std::string& arn() const { return arn_; }
  const std::string& variable() const { return variable_; }

 private:
  Table(std::string variable, std::string arn)
      : variable_(std::move(variable)), arn_(std::move(arn)) {}

  std::string variable_;
  std::string arn_;
};

struct Item {
  std::int64_t version = 0;   // `v`
  std::string request;        // empty where the item has none
  json::Document attributes;  // all of them, as plain JSON (attributes.h)
};

struct ItemWrite {
  std::string_view id;
  // An object as plain JSON. Its `id`, `v` and `request`, if any, are replaced.
  json::Value attributes;
  // `v` of the item that this one follows from; 0 where there was none.
  std::int64_t version_read = 0;
  // Unique to this write, so that it is recognised: two writes with the same value count as one.
  std::string_view request;
};

// The item was stored as given, now or by an earlier attempt.
struct Written {
  std::int64_t version = 0;  // its `v`
};
// Another write came first. It is no error: read the item that stands there, and decide anew. Where
// the answer to an earlier try was lost, that other write may follow from ours.
struct Overtaken {
  std::optional<Item> item;  // nullopt: it is gone again
};
using PutOutcome = std::variant<Written, Overtaken>;

// Errors of all calls name the table's variable. kNotFound: there is no such table. kBadResponse:
// also an item that is not of the form above.
class DynamoDb {
 public:
  DynamoDb(Client& client, Table table) : client_(client), table_(std::move(table)) {}

  const Table& table() const { return table_; }

  // As of the last write that was answered (ConsistentRead). nullopt: there is no such item.
  Result<std::optional<Item>> get_item(std::string_view id, const CallContext& context) const;
  // An error after which nothing may be known about the effect (kTimeout, kConnection,
  // kServiceFault) can be followed by the same write once more.
  Result<PutOutcome> put_item(const ItemWrite& write, const CallContext& context) const;
  // each(id) gets the items with `due` "1" in order of `since`, as the index knows them: it lags
  // behind, so read what it names. It returns false to stop. page_size: 0 for as many as fit.
  Result<void> query(const std::function<Result<bool>(std::string_view id)>& each,
                     const CallContext& context, int page_size = 0) const;

 private:
  Result<std::optional<Item>> read_item(std::string_view id, const CallContext& context) const;
  // The error, told with the table's variable.
  std::unexpected<Error> of_table(Error error) const;

  Client& client_;
  Table table_;
};

}  // namespace trainwarden::aws
