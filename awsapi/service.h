// The services in use and where they are: endpoints per region and partition, with the overrides of
// the AWS SDKs. Source: botocore's service models and endpoint rules;
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/environment.h"
#include "runtime/base/result.h"

namespace trainwarden::aws {

struct Service {
  std::string_view name;           // for messages: "sagemaker"
  std::string_view signing_name;   // in the credential scope
  std::string_view host_prefix;    // "api.sagemaker"
  std::string_view target_prefix;  // of X-Amz-Target, with the dot
  std::string_view content_type;
  std::string_view endpoint_variable;  // AWS_ENDPOINT_URL_…
};

inline constexpr Service kSageMaker{"sagemaker",
                                    "sagemaker",
                                    "api.sagemaker",
                                    "SageMaker.",
                                    "application/x-amz-json-1.1",
                                    "AWS_ENDPOINT_URL_SAGEMAKER"};

// The endpoint's URL with a closing slash, such as
// "https://api.sagemaker.eu-central-1.amazonaws.com/". kInvalidConfig for a custom endpoint that is
// no http(s) URL.
Result<std::string> endpoint(const Service& service, std::string_view region,
                             const Environment& environment);

}  // namespace trainwarden::aws
