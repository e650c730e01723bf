// The two expressions that are known here: the condition of a write and the key condition of a
// query. Names may stand in them as they are or as placeholders (`#n`), as boto3 writes them;
// anything else is refused, as what AWS refuses is.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/json/json.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

struct Expression {
  std::string_view kind;  // "ConditionExpression", for messages
  std::optional<std::string_view> text;
  std::optional<json::Value> names;   // ExpressionAttributeNames
  std::optional<json::Value> values;  // ExpressionAttributeValues
};

// The members of a call's input.
Expression expression_of(json::Value input, std::string_view kind);

// `attribute_not_exists(id) OR v = :v`: the value of :v. nullopt: there is no condition.
Answer<std::optional<json::Value>> version_condition(const Expression& expression);
// `due = :due`: the value of :due.
Answer<json::Value> key_condition(const Expression& expression);

}  // namespace trainwarden::localaws
