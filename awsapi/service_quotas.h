// The Service Quotas call in use: what an account may use of a service at once, as far as Service
// Quotas knows it. Usage is not told. Source:
// https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_ListServiceQuotas.html
#pragma once

#include <functional>
#include <string_view>

#include "awsapi/client.h"

namespace trainwarden::aws {

class ServiceQuotas {
 public:
  explicit ServiceQuotas(Client& client) : client_(client) {}

  // each(name, value) gets the quotas of SageMaker that were applied to the account, page by page.
  // One that is missing, whose value AWS could not tell, or that is a single resource's, is not
  // among them.
  Result<void> list_service_quotas(
      const std::function<void(std::string_view name, double value)>& each,
      const CallContext& context) const;

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
