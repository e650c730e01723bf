#include "awsapi/service.h"

#include <fmt/core.h>

#include <initializer_list>
#include <optional>
#include <utility>

#include "runtime/base/ascii.h"
#include "runtime/http/url.h"

namespace trainwarden::aws {
namespace {

struct Partition {
  std::string_view region_prefix;
  std::string_view dns_suffix;
  std::string_view dual_stack_suffix;
};

constexpr std::string_view kGovCloud = "us-gov-";

// From botocore's partitions.json. Longer prefixes come first.
constexpr std::array<Partition, 7> kPartitions{{
    {"cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
    {"eusc-", "amazonaws.eu", "api.amazonwebservices.eu"},
    {"us-isob-", "sc2s.sgov.gov", "api.aws.scloud"},
    {"us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"},
    {"us-iso-", "c2s.ic.gov", "api.aws.ic.gov"},
    {"eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"},
    {kGovCloud, "amazonaws.com", "api.aws"},
}};
// A region of none of these, such as a new one, belongs to the partition aws.
constexpr Partition kAws{"", "amazonaws.com", "api.aws"};

const Partition& partition_of(std::string_view region) {
  for (const Partition& partition : kPartitions)
    if (region.starts_with(partition.region_prefix)) return partition;
  return kAws;
}

enum class Variant : std::uint8_t { kPlain, kFips, kDualStack };

// Nine URLs are made at each start, and formatting would double their cost.
std::string url_of(std::initializer_list<std::string_view> pieces) {
  std::string url;
  url.reserve(80);  // all but the longest
  url += "https://";
  for (const std::string_view piece : pieces) url += piece;
  url += '/';
  return url;
}

std::string region_url(const Service& service, std::string_view region, const Partition& partition,
                       Variant variant) {
  const std::string_view suffix =
      variant == Variant::kDualStack ? partition.dual_stack_suffix : partition.dns_suffix;
  const std::string_view fips = variant == Variant::kFips ? "-fips" : "";
  // https://docs.aws.amazon.com/general/latest/gr/s3.html
  if (service.id == ServiceId::kS3)
    return url_of({"s3", fips, variant == Variant::kDualStack ? ".dualstack." : ".", region, ".",
                   partition.dns_suffix});
  if (service.id == ServiceId::kSageMaker) {
    // In aws and aws-us-gov FIPS has a name of its own:
    // https://docs.aws.amazon.com/general/latest/gr/sagemaker.html
    if (!fips.empty() && suffix == kAws.dns_suffix)
      return url_of({"api-fips.sagemaker.", region, ".", suffix});
    return url_of({"api.sagemaker", fips, ".", region, ".", suffix});
  }
  if (service.id == ServiceId::kPricing)
    return url_of({"api.pricing", fips, ".", region, ".", suffix});
  // GovCloud's plain endpoints are FIPS endpoints.
  return url_of({service.signing_name, partition.region_prefix == kGovCloud ? "" : fips, ".",
                 region, ".", suffix});
}

Result<bool> flag(const Environment& environment, std::string_view variable) {
  const auto text = environment.get(variable);
  // In any case of its letters, as AWS's SDKs have it.
  if (!text || equal_ignoring_case(*text, "false")) return false;
  if (equal_ignoring_case(*text, "true")) return true;
  return malformed_variable(variable, "true or false", *text);
}

Result<std::string> custom_url(std::string_view variable, std::string_view url) {
  const bool web = url.starts_with("http://") || url.starts_with("https://");
  if (!web || !http::valid_authority_and_path(url.substr(url.find("://") + 3)))
    return malformed_variable(variable,
                              "a URL such as http://127.0.0.1:4566, with a port of at most 65535, "
                              "without user, query or fragment, and with all but ASCII "
                              "percent-encoded",
                              http::without_secrets(url));
  std::string text(url);
  if (text.back() != '/') text += '/';
  return text;
}

Result<Variant> variant_from(const Environment& environment) {
  TRY(const bool fips, flag(environment, "AWS_USE_FIPS_ENDPOINT"));
  TRY(const bool dual_stack, flag(environment, "AWS_USE_DUALSTACK_ENDPOINT"));
  if (fips && dual_stack)
    return fail(
        ErrorCode::kInvalidConfig,
        "AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT are both true: expected one of "
        "them at most, since not every service has endpoints that are both");
  if (fips) return Variant::kFips;
  return dual_stack ? Variant::kDualStack : Variant::kPlain;
}

constexpr std::string_view kAnyEndpoint = "AWS_ENDPOINT_URL";

// The variable that overrides the service's endpoint, and its value. general: of kAnyEndpoint.
std::optional<std::pair<std::string_view, std::string_view>> override_of(
    const Service& service, const Environment& environment,
    std::optional<std::string_view> general) {
  const auto own = environment.get(service.endpoint_variable);
  if (own) return std::pair(service.endpoint_variable, *own);
  if (general) return std::pair(kAnyEndpoint, *general);
  return std::nullopt;
}

}  // namespace

Result<Endpoints> Endpoints::from(const Environment& environment, std::string_view region) {
  TRY(const Variant variant, variant_from(environment));
  TRY(const bool ignored, flag(environment, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"));
  const Partition& partition = partition_of(region);
  const auto general = environment.get(kAnyEndpoint);
  Endpoints endpoints;
  for (const Service& service :
       {kSageMaker, kCloudWatch, kLogs, kSsm, kSns, kDynamoDb, kPricing, kS3, kServiceQuotas}) {
    std::string& url = endpoints.urls_.at(static_cast<std::size_t>(service.id));
    const auto custom = ignored ? std::nullopt : override_of(service, environment, general);
    const bool lacks_fips =
        variant == Variant::kFips && !service.has_fips && partition.region_prefix != kGovCloud;
    if (!custom) {
      if (!lacks_fips) url = region_url(service, region, partition, variant);
      continue;
    }
    if (variant != Variant::kPlain && !(lacks_fips && custom->first == service.endpoint_variable))
      return fail(ErrorCode::kInvalidConfig,
                  fmt::format("{} cannot go together with {}: expected one of them", custom->first,
                              variant == Variant::kFips ? "AWS_USE_FIPS_ENDPOINT"
                                                        : "AWS_USE_DUALSTACK_ENDPOINT"));
    TRY(url, custom_url(custom->first, custom->second));
    endpoints.custom_s3_ = endpoints.custom_s3_ || service.id == ServiceId::kS3;
  }
  return endpoints;
}

Endpoints Endpoints::all_at(std::string_view url) {
  Endpoints endpoints;
  endpoints.urls_.fill(std::string(url));
  endpoints.custom_s3_ = true;
  return endpoints;
}

std::string Endpoints::bucket_url(std::string_view bucket) const {
  const std::string& service = url(ServiceId::kS3);
  if (custom_s3_ || bucket.find('.') != std::string_view::npos)
    return fmt::format("{}{}", service, bucket);
  constexpr std::string_view kScheme = "https://";
  return fmt::format("{}{}.{}", kScheme, bucket, std::string_view(service).substr(kScheme.size()));
}

}  // namespace trainwarden::aws
