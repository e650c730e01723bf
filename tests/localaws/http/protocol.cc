#include "tests/localaws/http/protocol.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tests/localaws/http/query_form.h"
#include "tests/localaws/http/query_xml.h"
#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/xml_text.h"

namespace trainwarden::localaws {
namespace {

constexpr std::string_view kJson11 = "application/x-amz-json-1.1";
constexpr std::string_view kJson10 = "application/x-amz-json-1.0";

constexpr std::array kServices = {
    ServiceInfo{ServiceId::kSageMaker, "sagemaker", "sagemaker", "SageMaker.", kJson11, "", "",
                "ValidationException"},
    ServiceInfo{ServiceId::kCloudWatch, "cloudwatch", "monitoring",
                "GraniteServiceVersion20100801.", kJson10, "2010-08-01",
                "http://monitoring.amazonaws.com/doc/2010-08-01/", "ValidationError"},
    ServiceInfo{ServiceId::kSns, "sns", "sns", "", "", "2010-03-31",
                "http://sns.amazonaws.com/doc/2010-03-31/", "ValidationError"},
    ServiceInfo{ServiceId::kSsm, "ssm", "ssm", "AmazonSSM.", kJson11, "", "",
                "ValidationException"},
    ServiceInfo{ServiceId::kLogs, "logs", "logs", "Logs_20140328.", kJson11, "", "",
                "InvalidParameterException"},
    ServiceInfo{ServiceId::kDynamoDb, "dynamodb", "dynamodb", "DynamoDB_20120810.", kJson10, "", "",
                "ValidationException", "com.amazonaws.dynamodb.v20120810#", true},
    ServiceInfo{ServiceId::kPricing, "pricing", "pricing", "AWSPriceListService.", kJson11, "", "",
                "InvalidParameterException"},
    ServiceInfo{ServiceId::kServiceQuotas, "service-quotas", "servicequotas",
                "ServiceQuotasV20190624.", kJson11, "", "", "IllegalArgumentException"},
    ServiceInfo{ServiceId::kS3, "s3", "s3", "", "", "", "http://s3.amazonaws.com/doc/2006-03-01/",
                "InvalidArgument"},
};

// What refuses a call before its service sees it, where the service tells such errors apart.
struct Refuser {
  std::string_view error_namespace;
  std::string_view code;
};

constexpr std::array kRefusers = {
    Refuser{"com.amazon.coral.validate#", "ValidationException"},
    Refuser{"com.amazon.coral.availability#", "ThrottlingException"},
    Refuser{"com.amazon.coral.service#", "AccessDeniedException"},
    Refuser{"com.amazon.coral.service#", "IncompleteSignatureException"},
    Refuser{"com.amazon.coral.service#", "InvalidSignatureException"},
    Refuser{"com.amazon.coral.service#", "MissingAuthenticationTokenException"},
    Refuser{"com.amazon.coral.service#", "SerializationException"},
    Refuser{"com.amazon.coral.service#", "UnknownOperationException"},
    Refuser{"com.amazon.coral.service#", "UnrecognizedClientException"},
};

// The two names of an error, and the status where Query clients see another one.
struct Names {
  std::string_view shape;
  std::string_view query;
  int query_status;  // 0: the same
};

constexpr std::array kNames = {
    Names{"ValidationException", "ValidationError", 0},
    Names{"SerializationException", "MalformedInput", 0},
    Names{"ThrottlingException", "Throttling", 0},
    Names{"AccessDeniedException", "AccessDenied", 403},
    Names{"UnknownOperationException", "InvalidAction", 400},
    Names{"MissingAuthenticationTokenException", "MissingAuthenticationToken", 403},
    Names{"IncompleteSignatureException", "IncompleteSignature", 400},
    Names{"UnrecognizedClientException", "InvalidClientTokenId", 403},
    Names{"InvalidSignatureException", "SignatureDoesNotMatch", 403},
    Names{"InvalidParameterValueException", "InvalidParameterValue", 0},
    Names{"InvalidParameterCombinationException", "InvalidParameterCombination", 0},
    Names{"MissingRequiredParameterException", "MissingParameter", 0},
    Names{"LimitExceededFault", "LimitExceeded", 0},
    Names{"InvalidFormatFault", "InvalidFormat", 0},
    Names{"InternalServiceFault", "InternalServiceError", 0},
};

// Errors with a shape of their own in SageMaker's model; their text is "Message" there.
constexpr std::array<std::string_view, 4> kModelled = {"ResourceInUse", "ResourceLimitExceeded",
                                                       "ResourceNotFound", "ConflictException"};

// "Fri, 20 Dec 2013 21:10:11 GMT"
std::string http_date(sys_seconds t) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(t - day);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays[std::chrono::weekday(day).c_encoding()], unsigned(date.day()),
                     kMonths[unsigned(date.month()) - 1], int(date.year()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

HttpResponse framed(int status, std::string_view content_type, std::string_view id,
                    sys_seconds now) {
  return {.status = status,
          .headers = {{"x-amzn-RequestId", std::string(id)},
                      {"Content-Type", std::string(content_type)},
                      {"Date", http_date(now)}},
          .body = {}};
}

bool speaks_query(const Address& address) {
  return address.service == nullptr ? address.protocol == Protocol::kQuery
                                    : !address.service->query_version.empty();
}

QueryFrame frame_of(const Address& address, std::string_view id) {
  return {.operation = address.operation,
          .xml_namespace = address.service == nullptr ? "" : address.service->xml_namespace,
          .request_id = id};
}

std::string_view shape_name(std::string_view code) {
  const auto* const found = std::find_if(kNames.begin(), kNames.end(),
                                         [&](const Names& names) { return names.query == code; });
  return found == kNames.end() ? code : found->shape;
}

// __type: the code, with its namespace where the service has one.
std::string type_of(const Address& address, std::string_view code) {
  if (address.service == nullptr || address.service->error_namespace.empty())
    return std::string(code);
  const auto* const found =
      std::find_if(kRefusers.begin(), kRefusers.end(),
                   [&](const Refuser& refuser) { return refuser.code == code; });
  return fmt::format(
      "{}{}", found == kRefusers.end() ? address.service->error_namespace : found->error_namespace,
      code);
}

void add_checksum(const Address& address, HttpResponse& response) {
  if (address.service != nullptr && address.service->checksum)
    response.headers.push_back({"x-amz-crc32", std::to_string(crc32(response.body))});
}

Answer<json::Document> parse_json(std::string_view body) {
  auto parsed = json::Document::parse(body.empty() ? "{}" : body);
  if (!parsed) return refuse(400, "SerializationException", parsed.error().message);
  if (!parsed->root().is_object())
    return refuse(400, "SerializationException", "Start of structure or map expected.");
  return std::move(*parsed);
}

bool is_form(const HttpRequest& request) {
  return request.header("Content-Type")
      .value_or("")
      .starts_with("application/x-www-form-urlencoded");
}

const ServiceInfo& info_of(ServiceId id) {
  return *std::find_if(kServices.begin(), kServices.end(),
                       [id](const ServiceInfo& service) { return service.id == id; });
}

// Path, query and (of an object that is put) the size of the body; what S3's operations are told
// by.
Address rest_address(const HttpRequest& request) {
  const std::string_view path =
      request.path().substr(std::min<std::size_t>(1, request.path().size()));
  const std::size_t slash = std::min(path.find('/'), path.size());
  const Form key = parse_form(fmt::format("k={}", path.substr(std::min(slash + 1, path.size()))));
  const Form query = parse_form(request.query());
  json::Writer input;
  input.begin_object().member("Bucket", path.substr(0, slash));
  std::string operation;
  const bool of_bucket = form_value(key, "k").empty();
  if (request.method == "PUT" && of_bucket) operation = "CreateBucket";
  if (request.method == "PUT" && !of_bucket) {
    operation = "PutObject";
    const std::string_view decoded = request.header("x-amz-decoded-content-length").value_or("");
    input.member("Key", form_value(key, "k"));
    input.member("Size",
                 decoded.empty() ? std::to_string(request.body.size()) : std::string(decoded));
  }
  if (request.method == "GET" && of_bucket && form_value(query, "list-type") == "2") {
    operation = "ListObjectsV2";
    for (const auto& [name, member] :
         {std::pair<std::string_view, std::string_view>{"prefix", "Prefix"},
          {"continuation-token", "ContinuationToken"},
          {"start-after", "StartAfter"},
          {"max-keys", "MaxKeys"},
          {"encoding-type", "EncodingType"},
          {"delimiter", "Delimiter"}})
      if (const std::string_view value = form_value(query, name); !value.empty())
        input.member(member, value);
  }
  input.end_object();
  return {&info_of(ServiceId::kS3), Protocol::kRest, std::move(operation), input.take()};
}

bool is_signed_for(const HttpRequest& request, std::string_view service) {
  return request.header("Authorization")
             .value_or("")
             .find(fmt::format("/{}/aws4_request", service)) != std::string::npos;
}

bool is_for_s3(const HttpRequest& request) {
  return !request.header("X-Amz-Target") && is_signed_for(request, "s3");
}

HttpResponse rest_response(int status, std::string body, std::string_view id, sys_seconds now) {
  return {.status = status,
          .headers = {{"x-amz-request-id", std::string(id)},
                      {"Content-Type", "application/xml"},
                      {"Date", http_date(now)}},
          .body = std::move(body)};
}

}  // namespace

Address address_of(const HttpRequest& request) {
  if (const auto target = request.header("X-Amz-Target")) {
    for (const ServiceInfo& service : kServices)
      if (!service.target_prefix.empty() && target->starts_with(service.target_prefix))
        return {&service, Protocol::kJson,
                std::string(target->substr(service.target_prefix.size()))};
    return {nullptr, Protocol::kJson, std::string(target->substr(target->rfind('.') + 1))};
  }
  if (is_for_s3(request)) return rest_address(request);
  if (is_form(request)) {
    const Form form = parse_form(request.body);
    const std::string_view version = form_value(form, "Version");
    for (const ServiceInfo& service : kServices)
      if (!service.query_version.empty() && service.query_version == version)
        return {&service, Protocol::kQuery, std::string(form_value(form, "Action"))};
    if (const std::string_view action = form_value(form, "Action"); !action.empty())
      return {nullptr, Protocol::kQuery, std::string(action), {}, is_signed_for(request, "ec2")};
  }
  return {nullptr, Protocol::kJson, {}};
}

Answer<json::Document> read_input(const Address& address, const Shape& shape,
                                  const std::string& body) {
  if (address.protocol == Protocol::kQuery) return form_input(parse_form(body), shape);
  return parse_json(address.protocol == Protocol::kRest ? address.rest_input : body);
}

Answer<void> check_input(const Address& address, const Shape& shape, json::Value input) {
  const auto ok = validate(shape, input);
  if (ok) return {};
  AwsError error = ok.error();
  if (error.code == "ValidationException") error.code = address.service->invalid_code;
  return std::unexpected(std::move(error));
}

// S3's own names for what refuses a call before it.
AwsError as_seen_by_s3(const AwsError& error) {
  if (error.code == "InvalidSignatureException")
    return {403, "SignatureDoesNotMatch", error.message, error.members};
  if (error.code == "UnrecognizedClientException")
    return {403, "InvalidAccessKeyId",
            "The AWS Access Key Id you provided does not exist in our records.", error.members};
  if (error.code == "AccessDeniedException")
    return {403, "AccessDenied", "Access Denied", error.members};
  if (error.code == "ThrottlingException")
    return {503, "SlowDown", "Please reduce your request rate.", error.members};
  return error;
}

AwsError as_seen(const Address& address, const AwsError& error) {
  if (address.protocol == Protocol::kRest) return as_seen_by_s3(error);
  if (!speaks_query(address)) return error;
  for (const Names& names : kNames)
    if (names.shape == error.code || names.query == error.code)
      return {names.query_status == 0 ? error.status : names.query_status, std::string(names.query),
              error.message};
  return error;
}

HttpResponse write_answer(const Address& address, std::string answer, sys_seconds now) {
  const std::string id = random_uuid();
  if (address.protocol == Protocol::kQuery) {
    HttpResponse response = framed(200, "text/xml", id, now);
    response.body = query_answer(frame_of(address, id), answer);
    return response;
  }
  if (address.protocol == Protocol::kRest) return rest_response(200, std::move(answer), id, now);
  HttpResponse response = framed(200, address.service->content_type, id, now);
  response.body = std::move(answer);
  add_checksum(address, response);
  return response;
}

HttpResponse write_error(const Address& address, const AwsError& error, sys_seconds now) {
  const std::string id = random_uuid();
  const AwsError seen = as_seen(address, error);
  const std::string_view type = seen.status >= 500 ? "Receiver" : "Sender";
  if (address.protocol == Protocol::kQuery) {
    HttpResponse response = framed(seen.status, "text/xml", id, now);
    response.body = address.is_ec2
                        ? ec2_error(id, seen.code, seen.message)
                        : query_error(frame_of(address, id), type, seen.code, seen.message);
    return response;
  }
  if (address.protocol == Protocol::kRest) {
    HttpResponse response = rest_response(
        seen.status,
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{}</Code><Message>{}"
                    "</Message><RequestId>{}</RequestId></Error>",
                    xml_text(seen.code), xml_text(seen.message), id),
        id, now);
    // Where the bucket is instead.
    if (const auto members = json::Document::parse(seen.members))
      if (const auto region = members->root().find("Region"); region && region->is_string())
        response.headers.push_back({"x-amz-bucket-region", std::string(region->as_string())});
    return response;
  }
  HttpResponse response = framed(
      seen.status, address.service == nullptr ? kJson11 : address.service->content_type, id, now);
  const bool query_too = speaks_query(address);
  const std::string_view shape = query_too ? shape_name(seen.code) : std::string_view(seen.code);
  const bool modelled = std::find(kModelled.begin(), kModelled.end(), shape) != kModelled.end();
  if (query_too)
    response.headers.push_back({"x-amzn-query-error", fmt::format("{};{}", seen.code, type)});
  json::Writer out;
  out.begin_object().member("__type", type_of(address, shape));
  if (!seen.message.empty()) out.member(modelled ? "Message" : "message", seen.message);
  if (const auto members = json::Document::parse(seen.members))
    for (const auto& [name, value] : members->root().members()) out.member(name, value);
  out.end_object();
  response.body = out.take();
  add_checksum(address, response);
  return response;
}

}  // namespace trainwarden::localaws
