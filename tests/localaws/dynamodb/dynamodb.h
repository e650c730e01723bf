// Amazon DynamoDB with one table, which is there from the start: the key `id` (a string) and the
// index `due` (hash `due`, a string; range `since`, a number; keys only). Items are read as they
// were last written, whether that was asked for or not; the index lags. Time to live deletes
// nothing here, as it does late in AWS.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "tests/localaws/dynamodb/due_index.h"
#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

// The table's ARN.
std::string table_arn(std::string_view region, std::string_view account);

class DynamoDb final : public Service {
 public:
  DynamoDb(std::string_view region, std::string_view account, std::chrono::milliseconds index_lag);

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;
  // Forgets all items.
  void clear();
  std::size_t size() const { return items_.size(); }
  // All items as they are kept: {id: {attribute: {type: value}}}.
  std::string items_json() const;

 private:
  using Items = std::map<std::string, json::Document, std::less<>>;

  Answer<void> check_table(json::Value input) const;
  Answer<std::string> get(json::Value input) const;
  Answer<std::string> put(json::Value input, sys_millis now);
  Answer<void> check_condition(json::Value input, const json::Document* stands) const;
  Answer<std::string> query(json::Value input, sys_millis now);
  Answer<std::string> scan(json::Value input) const;

  std::string arn_;
  Items items_;
  DueIndex index_;
};

}  // namespace trainwarden::localaws
