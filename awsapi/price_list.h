// The Price List calls in use: what training machines cost by AWS's public price list. It is
// answered in a few regions, for all regions of their partition; a request is signed for the region
// that answers, not for the one whose prices are asked for.
// Source:
// https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/client.h"

namespace trainwarden::aws {

// The region that answers for that region's prices: us-east-1, eu-central-1 or ap-south-1 for those
// of the partition aws, cn-northwest-1 for China. kRejected where the partition has none
// (GovCloud).
// https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html
Result<std::string> price_list_region(std::string_view region);

class PriceList {
 public:
  // client: of price_list_region.
  explicit PriceList(Client& client) : client_(client) {}

  // each(product) gets the machines that training jobs take in that region, in no order: a product
  // with its attributes and terms, as the price list has it. None: the list has no such region.
  Result<void> get_products(std::string_view region,
                            const std::function<Result<void>(json::Value product)>& each,
                            const CallContext& context) const;

  // The regions that the list has prices of SageMaker for.
  Result<std::vector<std::string>> get_attribute_values(const CallContext& context) const;

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
