// The values of attributes as DynamoDB takes and keeps them: exactly one of the types S, N, BOOL,
// NULL, L and M (binary and sets are not kept here), numbers in one form, 32 levels, 400 KB.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/json/json.h"
#include "tests/localaws/service/aws_error.h"

namespace trainwarden::localaws {

struct TypedValue {
  std::string_view type;  // "S"
  json::Value inner;
};

// Whether it is a value that can be kept, and all below it.
Answer<void> check_value(json::Value value);

// The rest is for values that were checked.
TypedValue typed(json::Value value);
// With numbers in their one form.
void write_value(json::Sink& sink, json::Value value);
// Equal as DynamoDB has it: of one type, numbers by value.
bool same_value(json::Value a, json::Value b);

// A map of attributes, an item or a key.
Answer<void> check_attributes(json::Value attributes);
json::Document normalised(json::Value attributes);
// In bytes, names included.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
std::size_t size_of(json::Value attributes);

}  // namespace trainwarden::localaws
