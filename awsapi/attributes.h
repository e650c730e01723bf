// DynamoDB's typed attributes as plain JSON, and back: {"id": {"S": "a"}, "v": {"N": "3"}} is
// {"id": "a", "v": 3}. So items are read with the checked getters that all other input is read
// with, and what they mean can be decided without AWS. S, N, BOOL, NULL, L and M have a
// counterpart; sets and binary have none, and are refused. An N that is no 64-bit integer is read
// as the nearest double. Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
#pragma once

#include <string_view>

#include "runtime/base/result.h"
#include "runtime/json/json.h"

namespace trainwarden::aws {

// {"S": …}, {"N": …} or what else the value is.
void write_attribute(json::Sink& sink, json::Value value);

// The plain object of a typed item. kBadResponse names the attribute, below `where`.
Result<json::Document> read_attributes(json::Value item, std::string_view where);

}  // namespace trainwarden::aws
