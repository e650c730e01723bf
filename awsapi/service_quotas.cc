#include "awsapi/service_quotas.h"

#include <string>

#include "awsapi/request_body.h"

namespace trainwarden::aws {
namespace {

constexpr int kQuotaPageSize = 100;

bool is_of_resource(json::Value quota) {
  const auto level = quota.find_present("QuotaAppliedAtLevel");
  return level && level->is_string() && level->as_string() == "RESOURCE";
}

}  // namespace

Result<void> ServiceQuotas::list_service_quotas(
    const std::function<void(std::string_view name, double value)>& each,
    const CallContext& context) const {
  const auto make = [](std::string_view token) {
    return Call{&kServiceQuotas, "ListServiceQuotas", request_body([&](json::Sink& sink) {
                  sink.member("ServiceCode", "sagemaker").member("MaxResults", kQuotaPageSize);
                  if (!token.empty()) sink.member("NextToken", token);
                })};
  };
  const auto each_page = [&](json::Value page) -> Result<bool> {
    const auto quotas = page.find_present("Quotas");
    if (!quotas || !quotas->is_array())
      return fail(ErrorCode::kBadResponse, "ListServiceQuotas: expected `Quotas` in the answer");
    for (const json::Value quota : quotas->elements()) {
      const auto name = quota.find_present("QuotaName");
      const auto value = quota.find_present("Value");
      const bool complete = name && name->is_string() && value && value->is_number();
      if (!complete || quota.find_present("ErrorReason") || is_of_resource(quota)) continue;
      each(name->as_string(), value->as_number());
    }
    return true;
  };
  return client_.pages(make, "NextToken", each_page, context);
}

}  // namespace trainwarden::aws
