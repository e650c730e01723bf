// How a request names its service and operation, and how inputs, answers and errors look on the
// wire: JSON 1.0/1.1 with X-Amz-Target, and the Query protocol (a form in, XML out). Services know
// nothing of it.
//
// An error has up to two names: CloudWatch's and SNS's own ("InvalidParameterValue"), which is also
// what a Query client sees, and the shape's ("InvalidParameterValueException"), which is __type in
// JSON. Services give either; the tables here know the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/time.h"
#include "runtime/json/json.h"
#include "tests/localaws/http/http_message.h"
#include "tests/localaws/service/aws_error.h"
#include "tests/localaws/service/shape.h"

namespace trainwarden::localaws {

enum class ServiceId : std::uint8_t {
  kSageMaker,
  kCloudWatch,
  kSns,
  kSsm,
  kLogs,
  kDynamoDb,
  kPricing,
  kS3,
  kServiceQuotas
};

struct ServiceInfo {
  ServiceId id;
  std::string_view name;  // as GET /_localaws/calls has it
  std::string_view signing_name;
  std::string_view target_prefix;  // "SageMaker."; empty: speaks no JSON
  std::string_view content_type;   // of JSON
  std::string_view query_version;  // empty: speaks no Query
  std::string_view xml_namespace;
  std::string_view invalid_code;  // the code of what the shape refuses
  // DynamoDB's answers say in __type where an error is from, and bear their checksum.
  std::string_view error_namespace = {};
  bool checksum = false;
};

enum class Protocol : std::uint8_t { kJson, kQuery, kRest };

// Where a request is meant to go.
struct Address {
  const ServiceInfo* service;   // nullptr: none of ours
  Protocol protocol;            // also of a service that is none of ours, as far as it can be told
  std::string operation;        // may be unknown to the service
  std::string rest_input = {};  // of kRest: what path, query and headers say, as JSON
  bool is_ec2 = false;          // whose errors in XML are unlike all others
};

Address address_of(const HttpRequest& request);

// The input as JSON, and whether it is what the shape wants.
Answer<json::Document> read_input(const Address& address, const Shape& shape,
                                  const std::string& body);
Answer<void> check_input(const Address& address, const Shape& shape, json::Value input);

HttpResponse write_answer(const Address& address, std::string answer, sys_seconds now);
HttpResponse write_error(const Address& address, const AwsError& error, sys_seconds now);

// The code as a client of this service and protocol sees it, and the status that belongs to it.
AwsError as_seen(const Address& address, const AwsError& error);

}  // namespace trainwarden::localaws
