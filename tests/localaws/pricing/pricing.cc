#include "tests/localaws/pricing/pricing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <vector>

#include "tests/localaws/service/crypto.h"
#include "tests/localaws/service/input.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

// A page holds fewer products than were asked for, as AWS's may.
constexpr std::size_t kMostOfAPage = 4;
constexpr std::string_view kServiceCode = "AmazonSageMaker";
constexpr std::string_view kPublished = "2026-11-20T18:04:11Z";

constexpr std::array<std::string_view, 4> kAnswering = {"us-east-1", "eu-central-1", "ap-south-1",
                                                        "cn-northwest-1"};

struct Product {
  std::string_view region;
  std::string_view usage_prefix;  // of the region
  std::string_view family;
  std::string_view component;
  std::string_view type;
  std::string_view usage;  // what stands before the type in `usagetype`
  std::string_view price;  // empty: no terms
  std::string_view currency = "USD";
  std::string_view location_type = "AWS Region";
};

constexpr std::string_view kMl = "ML Instance";
constexpr std::string_view kTraining = "Training";

constexpr std::array<Product, 20> kProducts = {{
    {"us-east-1", "USE1", kMl, kTraining, "ml.p5.48xlarge", "Train", "61.5000000000"},
    {"us-east-1", "USE1", kMl, "Hosting", "ml.p5.48xlarge", "Host", "62.0000000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.p4d.24xlarge", "Train", "24.2500000000"},
    {"us-east-1", "USE1", kMl, "Hosting", "ml.p4d.24xlarge", "Host", "24.5000000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.g5.xlarge", "Train", "1.4000000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.g5.12xlarge", "Train", "7.0000000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.trn1.32xlarge", "Train", "24.7500000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.m5.large", "Train", "0.1150000000"},
    {"us-east-1", "USE1", "ML Storage", kTraining, "ml.m5.large", "VolumeUsage", "0.1400000000"},
    // Two usage types of one price, two of different ones, one on an Outpost, and one without.
    {"us-east-1", "USE1", kMl, kTraining, "ml.g5.xlarge", "TrainWarmPool", "1.4000000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.p3.2xlarge", "Train", "3.8250000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.p3.2xlarge", "TrainOther", "4.1000000000"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.m5.large", "TrainOutposts", "0.0500000000", "USD",
     "AWS Outposts"},
    {"us-east-1", "USE1", kMl, kTraining, "ml.c5.xlarge", "Train", ""},
    {"us-east-1", "USE1", kMl, kTraining, "ml.m5.large", "TrainFree", "0.0000000000"},
    {"eu-central-1", "EUC1", kMl, kTraining, "ml.p4d.24xlarge", "Train", "27.0000000000"},
    {"eu-central-1", "EUC1", kMl, kTraining, "ml.m5.large", "Train", "0.1380000000"},
    {"eu-west-3", "EUW3", kMl, "Hosting", "ml.m5.large", "Host", "0.1340000000"},
    {"us-gov-west-1", "UGW1", kMl, kTraining, "ml.m5.large", "Train", "0.1450000000"},
    {"cn-north-1", "CNN1", kMl, kTraining, "ml.m5.large", "Train", "1.0800000000", "CNY"},
}};

Shapes inputs() {
  const Shape filter =
      object({required("Type", choice({"TERM_MATCH", "EQUALS", "CONTAINS", "ANY_OF", "NONE_OF"})),
              required("Field", text(1, 1024)), required("Value", text(1, 1024))});
  return {
      {"GetProducts",
       object({required("ServiceCode", text()), optional("Filters", list(filter, 0, 50)),
               optional("FormatVersion", text(1, 32)), optional("NextToken", text()),
               optional("MaxResults", integer(1, 100))})},
      {"GetAttributeValues",
       object({required("ServiceCode", text()), required("AttributeName", text()),
               optional("NextToken", text()), optional("MaxResults", integer(1, 10000))})},
  };
}

std::string usage_type(const Product& product) {
  return fmt::format("{}-{}:{}", product.usage_prefix, product.usage, product.type);
}

std::string attribute(const Product& product, std::string_view name) {
  if (name == "productFamily") return std::string(product.family);
  if (name == "ServiceCode" || name == "servicecode") return std::string(kServiceCode);
  if (name == "regionCode") return std::string(product.region);
  if (name == "component") return std::string(product.component);
  if (name == "instanceName") return std::string(product.type);
  if (name == "instanceType") return fmt::format("{}-{}", product.type, product.component);
  if (name == "usagetype") return usage_type(product);
  if (name == "locationType") return std::string(product.location_type);
  return {};
}

bool contains_one(std::string_view list, std::string_view text) {
  for (;;) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == text) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

bool passes(const Product& product, Value filter) {
  const std::string_view type = input::text(filter, "Type");
  const std::string_view wanted = input::text(filter, "Value");
  const std::string found = attribute(product, input::text(filter, "Field"));
  if (type == "CONTAINS") return found.find(wanted) != std::string::npos;
  if (type == "ANY_OF") return contains_one(wanted, found);
  if (type == "NONE_OF") return !contains_one(wanted, found);
  return found == wanted;
}

void write_terms(json::Sink& out, const Product& product, std::string_view sku) {
  const std::string term = fmt::format("{}.JRTCKXETXF", sku);
  const std::string rate = fmt::format("{}.6YS6EN2CT7", term);
  out.key("terms").begin_object().key("OnDemand").begin_object();
  if (!product.price.empty()) {
    out.key(term).begin_object().key("priceDimensions").begin_object();
    out.key(rate).begin_object().member("unit", "Hrs").member("endRange", "Inf");
    out.member("description", fmt::format("a made-up price of {}", product.type));
    out.key("appliesTo").begin_array().end_array();
    out.member("rateCode", rate).member("beginRange", "0");
    out.key("pricePerUnit").begin_object().member(product.currency, product.price).end_object();
    out.end_object().end_object();
    out.member("sku", sku).member("effectiveDate", "2026-11-01T00:00:00Z");
    out.member("offerTermCode", "JRTCKXETXF");
    out.key("termAttributes").begin_object().end_object().end_object();
  }
  out.end_object().end_object();
}

// One element of PriceList: JSON in a string.
std::string product_text(const Product& product) {
  std::string sku = hex(hmac_sha256("sku", usage_type(product))).substr(0, 16);
  for (char& c : sku) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  json::Writer out;
  out.begin_object().key("product").begin_object().member("productFamily", product.family);
  out.key("attributes").begin_object();
  for (const std::string_view name : {"regionCode", "servicecode", "component", "instanceName",
                                      "instanceType", "usagetype", "locationType"})
    out.member(name, attribute(product, name));
  out.member("operation", "RunInstance").end_object().member("sku", sku).end_object();
  out.member("serviceCode", kServiceCode);
  write_terms(out, product, sku);
  out.member("version", "20261120180411").member("publicationDate", kPublished).end_object();
  return out.take();
}

// Which of the items the call gets.
struct Page {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string next_token = {};  // empty: no more
};

constexpr std::string_view kToken = "localaws-price-list-";

Answer<Page> page_of(Value given, std::size_t items) {
  Page out;
  if (input::has(given, "NextToken")) {
    std::string_view token = input::text(given, "NextToken");
    const bool ours = token.starts_with(kToken);
    if (ours) token.remove_prefix(kToken.size());
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), out.begin);
    if (!ours || error != std::errc() || end != token.data() + token.size() || out.begin >= items)
      return refuse(400, "InvalidNextTokenException", "The pagination token is invalid.");
  }
  const auto asked = static_cast<std::size_t>(input::integer(given, "MaxResults", 100));
  out.end = std::min(items, out.begin + std::min(asked, kMostOfAPage));
  if (out.end < items) out.next_token = fmt::format("{}{}", kToken, out.end);
  return out;
}

Answer<void> check_service(Value given) {
  const std::string_view code = input::text(given, "ServiceCode");
  if (code == kServiceCode) return {};
  return refuse(400, "NotFoundException", fmt::format("ServiceCode {} is not known", code));
}

}  // namespace

Pricing::Pricing() : Service(inputs()) {}

Answer<std::string> Pricing::call(std::string_view operation, Value input, sys_millis /*now*/) {
  if (auto known = check_service(input); !known) return std::unexpected(known.error());
  return operation == "GetProducts" ? get_products(input) : get_attribute_values(input);
}

Answer<std::string> Pricing::get_products(Value given) {
  std::vector<const Product*> found;
  for (const Product& product : kProducts) {
    bool all = true;
    if (const auto filters = given.find("Filters"); filters && filters->is_array())
      for (const Value filter : filters->elements()) all = all && passes(product, filter);
    if (all) found.push_back(&product);
  }
  const Answer<Page> page = page_of(given, found.size());
  if (!page) return std::unexpected(page.error());
  json::Writer out;
  out.begin_object().member("FormatVersion", "aws_v1").key("PriceList").begin_array();
  for (std::size_t i = page->begin; i < page->end; ++i) out.string(product_text(*found[i]));
  out.end_array();
  if (!page->next_token.empty()) out.member("NextToken", page->next_token);
  out.end_object();
  return out.take();
}

Answer<std::string> Pricing::get_attribute_values(Value given) {
  const std::string_view name = input::text(given, "AttributeName");
  std::set<std::string> values;
  for (const Product& product : kProducts)
    if (std::string value = attribute(product, name); !value.empty())
      values.insert(std::move(value));
  if (values.empty())
    return refuse(400, "NotFoundException", fmt::format("AttributeName {} is not known", name));
  const std::vector<std::string> found(values.begin(), values.end());
  const Answer<Page> page = page_of(given, found.size());
  if (!page) return std::unexpected(page.error());
  json::Writer out;
  out.begin_object().key("AttributeValues").begin_array();
  for (std::size_t i = page->begin; i < page->end; ++i)
    out.begin_object().member("Value", found[i]).end_object();
  out.end_array();
  if (!page->next_token.empty()) out.member("NextToken", page->next_token);
  out.end_object();
  return out.take();
}

std::string_view Pricing::answering_region(std::string_view authorization) {
  for (const std::string_view region : kAnswering)
    if (authorization.find(fmt::format("/{}/pricing/", region)) != std::string_view::npos)
      return region;
  return kAnswering.front();
}

}  // namespace trainwarden::localaws
