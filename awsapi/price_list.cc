#include "awsapi/price_list.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "awsapi/request_body.h"

namespace trainwarden::aws {
namespace {

constexpr std::string_view kServiceCode = "AmazonSageMaker";
constexpr int kPageSize = 100;

struct Answering {
  std::string_view region_prefix;
  std::string_view region;  // empty: nobody answers
};

// From botocore's endpoints.json. In the partition aws the nearest of three endpoints is used.
constexpr std::array<Answering, 10> kAnswering{{
    {"cn-", "cn-northwest-1"},
    {"us-gov-", ""},
    {"eusc-", "eusc-de-east-1"},
    {"us-isob-", "us-isob-east-1"},
    {"us-isof-", "us-isof-south-1"},
    {"us-iso-", "us-iso-east-1"},
    {"eu-isoe-", "eu-isoe-west-1"},
    {"eu-", "eu-central-1"},
    {"ap-", "ap-south-1"},
    {"", "us-east-1"},
}};

Result<void> read_product(json::Value item,
                          const std::function<Result<void>(json::Value product)>& each) {
  if (!item.is_string())
    return fail(ErrorCode::kBadResponse,
                fmt::format("GetProducts: `PriceList`: expected JSON in strings, found `{}`",
                            item.excerpt()));
  const auto product = json::Document::parse(item.as_string());
  if (!product)
    return fail(ErrorCode::kBadResponse,
                fmt::format("GetProducts: `PriceList`: {}", product.error().message));
  return each(product->root());
}

}  // namespace

Result<std::string> price_list_region(std::string_view region) {
  for (const Answering& one : kAnswering) {
    if (!region.starts_with(one.region_prefix)) continue;
    if (!one.region.empty()) return std::string(one.region);
    break;
  }
  return fail(
      ErrorCode::kRejected,
      fmt::format("{}: GovCloud has no Price List endpoint (us-east-1, eu-central-1 and "
                  "ap-south-1 have one, and cn-northwest-1 for China): take the prices from "
                  "https://aws.amazon.com/sagemaker/ai/pricing/",
                  region));
}

Result<void> PriceList::get_products(std::string_view region,
                                     const std::function<Result<void>(json::Value product)>& each,
                                     const CallContext& context) const {
  const std::array<std::pair<std::string_view, std::string_view>, 3> filters{
      {{"productFamily", "ML Instance"}, {"component", "Training"}, {"regionCode", region}}};
  const auto make = [&](std::string_view token) {
    return Call{&kPricing, "GetProducts", request_body([&](json::Sink& sink) {
                  sink.member("ServiceCode", kServiceCode).key("Filters").begin_array();
                  for (const auto& [field, value] : filters)
                    sink.begin_object()
                        .member("Type", "TERM_MATCH")
                        .member("Field", field)
                        .member("Value", value)
                        .end_object();
                  sink.end_array().member("FormatVersion", "aws_v1");
                  sink.member("MaxResults", kPageSize);
                  if (!token.empty()) sink.member("NextToken", token);
                })};
  };
  const auto each_page = [&](json::Value page) -> Result<bool> {
    const auto list = page.find_present("PriceList");
    if (!list || !list->is_array())
      return fail(ErrorCode::kBadResponse, "GetProducts: expected `PriceList` in the answer");
    for (const json::Value item : list->elements()) CHECK_OK(read_product(item, each));
    return true;
  };
  return client_.pages(make, "NextToken", each_page, context);
}

Result<std::vector<std::string>> PriceList::get_attribute_values(const CallContext& context) const {
  std::vector<std::string> out;
  const auto make = [&](std::string_view token) {
    return Call{&kPricing, "GetAttributeValues", request_body([&](json::Sink& sink) {
                  sink.member("ServiceCode", kServiceCode).member("AttributeName", "regionCode");
                  sink.member("MaxResults", kPageSize);
                  if (!token.empty()) sink.member("NextToken", token);
                })};
  };
  const auto each_page = [&](json::Value page) -> Result<bool> {
    const auto values = page.find_present("AttributeValues");
    if (!values || !values->is_array())
      return fail(ErrorCode::kBadResponse,
                  "GetAttributeValues: expected `AttributeValues` in the answer");
    for (const json::Value one : values->elements()) {
      const auto value = one.find_present("Value");
      if (value && value->is_string() && !value->as_string().empty())
        out.emplace_back(value->as_string());
    }
    return true;
  };
  CHECK_OK(client_.pages(make, "NextToken", each_page, context));
  return out;
}

}  // namespace trainwarden::aws
