#include "tests/localaws/dynamodb/dynamodb_shapes.h"

namespace trainwarden::localaws {
namespace {

constexpr std::int64_t kMaxName = 65535;

// What is in a value is judged where the value is read: values hold values.
Shape attributes() { return map(text({}, kMaxName), object({}), {}); }
Shape names() { return map(text(), text({}, kMaxName), {}); }
Shape table_name() { return text(1, 1024); }
Shape consumed_capacity() { return choice({"INDEXES", "TOTAL", "NONE"}); }
Shape attributes_to_get() { return list(text({}, kMaxName), 1, {}); }
Shape conditional_operator() { return choice({"AND", "OR"}); }

Shape get_item() {
  return object(
      {required("TableName", table_name()), required("Key", attributes()),
       optional("ConsistentRead", boolean()), optional("AttributesToGet", attributes_to_get()),
       optional("ProjectionExpression", text()), optional("ExpressionAttributeNames", names()),
       optional("ReturnConsumedCapacity", consumed_capacity())});
}

Shape put_item() {
  return object({required("TableName", table_name()), required("Item", attributes()),
                 optional("Expected", attributes()),
                 optional("ReturnValues",
                          choice({"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"})),
                 optional("ReturnConsumedCapacity", consumed_capacity()),
                 optional("ReturnItemCollectionMetrics", choice({"SIZE", "NONE"})),
                 optional("ConditionalOperator", conditional_operator()),
                 optional("ConditionExpression", text()),
                 optional("ExpressionAttributeNames", names()),
                 optional("ExpressionAttributeValues", attributes()),
                 optional("ReturnValuesOnConditionCheckFailure", choice({"ALL_OLD", "NONE"}))});
}

Shape query_shape() {
  return object(
      {required("TableName", table_name()), optional("IndexName", text(3, 255)),
       optional("Select", choice({"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
                                  "ALL_PROJECTED_ATTRIBUTES"})),
       optional("AttributesToGet", attributes_to_get()), optional("Limit", integer(1, {})),
       optional("ConsistentRead", boolean()), optional("KeyConditions", attributes()),
       optional("QueryFilter", attributes()),
       optional("ConditionalOperator", conditional_operator()),
       optional("ScanIndexForward", boolean()), optional("ExclusiveStartKey", attributes()),
       optional("ReturnConsumedCapacity", consumed_capacity()),
       optional("ProjectionExpression", text()), optional("FilterExpression", text()),
       optional("KeyConditionExpression", text()), optional("ExpressionAttributeNames", names()),
       optional("ExpressionAttributeValues", attributes())});
}

Shape scan_shape() {
  return object(
      {required("TableName", table_name()), optional("IndexName", text(3, 255)),
       optional("AttributesToGet", attributes_to_get()), optional("Limit", integer(1, {})),
       optional("Select", choice({"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
                                  "ALL_PROJECTED_ATTRIBUTES"})),
       optional("ScanFilter", attributes()),
       optional("ConditionalOperator", conditional_operator()),
       optional("ExclusiveStartKey", attributes()),
       optional("ReturnConsumedCapacity", consumed_capacity()),
       optional("TotalSegments", integer(1, 1'000'000)), optional("Segment", integer(0, 999'999)),
       optional("ProjectionExpression", text()), optional("FilterExpression", text()),
       optional("ExpressionAttributeNames", names()),
       optional("ExpressionAttributeValues", attributes()), optional("ConsistentRead", boolean())});
}

}  // namespace

Shapes dynamodb_inputs() {
  return {{"GetItem", get_item()},
          {"PutItem", put_item()},
          {"Query", query_shape()},
          {"Scan", scan_shape()}};
}

}  // namespace trainwarden::localaws
