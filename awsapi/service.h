// The services in use and where they are: endpoints per region and partition, with the overrides of
// the AWS SDKs. Source: botocore's service models and endpoint rules;
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"

namespace trainwarden::aws {

enum class ServiceId : std::uint8_t {
  kSageMaker,
  kCloudWatch,
  kLogs,
  kSsm,
  kSns,
  kDynamoDb,
  kPricing,
  kS3,
  kServiceQuotas
};
inline constexpr std::size_t kServiceCount = 9;

enum class Protocol : std::uint8_t {
  kJson10,
  kJson10QueryMode,  // with x-amzn-query-mode: errors keep the codes of the older Query protocol
  kJson11,
  kQuery,    // form out, XML back
  kRestXml,  // the path and query out, XML back
};

struct Service {
  ServiceId id;
  Protocol protocol;
  std::string_view name;               // for messages: "sagemaker"
  std::string_view signing_name;       // in the credential scope
  std::string_view target_prefix;      // of X-Amz-Target, with the dot; kQuery: the API's version
  std::string_view endpoint_variable;  // AWS_ENDPOINT_URL_…
  // What the SDKs' standard retry mode has for the service.
  int attempts = 3;
  std::chrono::milliseconds transient_delay{50};  // at most so long before the first retry
  // Whether AWS has FIPS endpoints for it outside GovCloud, whose plain ones are FIPS endpoints.
  bool has_fips = true;
};

inline constexpr Service kSageMaker{ServiceId::kSageMaker, Protocol::kJson11,
                                    "sagemaker",           "sagemaker",
                                    "SageMaker.",          "AWS_ENDPOINT_URL_SAGEMAKER"};
inline constexpr Service kCloudWatch{
    ServiceId::kCloudWatch, Protocol::kJson10QueryMode,       "cloudwatch",
    "monitoring",           "GraniteServiceVersion20100801.", "AWS_ENDPOINT_URL_CLOUDWATCH"};
inline constexpr Service kLogs{ServiceId::kLogs, Protocol::kJson11,
                               "logs",           "logs",
                               "Logs_20140328.", "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS"};
inline constexpr Service kSsm{ServiceId::kSsm, Protocol::kJson11, "ssm",
                              "ssm",           "AmazonSSM.",      "AWS_ENDPOINT_URL_SSM"};
inline constexpr Service kSns{ServiceId::kSns, Protocol::kQuery, "sns",
                              "sns",           "2010-03-31",     "AWS_ENDPOINT_URL_SNS"};
inline constexpr Service kDynamoDb{
    ServiceId::kDynamoDb, Protocol::kJson10,           "dynamodb", "dynamodb",
    "DynamoDB_20120810.", "AWS_ENDPOINT_URL_DYNAMODB", 4,          std::chrono::milliseconds(25)};
inline constexpr Service kPricing{.id = ServiceId::kPricing,
                                  .protocol = Protocol::kJson11,
                                  .name = "pricing",
                                  .signing_name = "pricing",
                                  .target_prefix = "AWSPriceListService.",
                                  .endpoint_variable = "AWS_ENDPOINT_URL_PRICING",
                                  .has_fips = false};

inline constexpr Service kServiceQuotas{.id = ServiceId::kServiceQuotas,
                                        .protocol = Protocol::kJson11,
                                        .name = "service-quotas",
                                        .signing_name = "servicequotas",
                                        .target_prefix = "ServiceQuotasV20190624.",
                                        .endpoint_variable = "AWS_ENDPOINT_URL_SERVICE_QUOTAS",
                                        .has_fips = false};

inline constexpr Service kS3{ServiceId::kS3,       Protocol::kRestXml, "s3", "s3", "",
                             "AWS_ENDPOINT_URL_S3"};

// URLs with a closing slash, such as "https://api.sagemaker.eu-central-1.amazonaws.com/".
class Endpoints {
 public:
  // AWS_ENDPOINT_URL_<SERVICE>, then AWS_ENDPOINT_URL (unless AWS_IGNORE_CONFIGURED_ENDPOINT_URLS
  // is true; a path is kept and signed), then the region's own, by AWS_USE_FIPS_ENDPOINT or
  // AWS_USE_DUALSTACK_ENDPOINT. kInvalidConfig, naming the variable, for a malformed value and for
  // combinations that have no endpoint. A service without FIPS endpoints may have one of its own
  // beside AWS_USE_FIPS_ENDPOINT; without that, only its calls fail.
  static Result<Endpoints> from(const Environment& environment, std::string_view region);

  // The same URL for every service.
  static Endpoints all_at(std::string_view url);

  // Empty: FIPS is asked for, and the service has no such endpoint.
  const std::string& url(ServiceId service) const {
    return urls_[static_cast<std::size_t>(service)];
  }

  // Where a bucket of S3 is asked: at a host of its own or, where its name has dots, which no
  // certificate covers, and at an endpoint that somebody has set, below the service's path.
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
  std::string bucket_url(std::string_view bucket) const;

 private:
  std::array<std::string, kServiceCount> urls_;
  bool custom_s3_ = false;
};

}  // namespace trainwarden::aws
