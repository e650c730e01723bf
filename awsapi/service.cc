#include "awsapi/service.h"

#include <fmt/core.h>

#include <array>

namespace trainwarden::aws {
namespace {

struct Partition {
  std::string_view region_prefix;
  std::string_view dns_suffix;
};

// botocore's partitions.json; a region of none of these belongs to the partition aws.
constexpr std::array<Partition, 6> kPartitions{{{"cn-", "amazonaws.com.cn"},
                                                {"eusc-", "amazonaws.eu"},
                                                {"us-iso-", "c2s.ic.gov"},
                                                {"us-isob-", "sc2s.sgov.gov"},
                                                {"eu-isoe-", "cloud.adc-e.uk"},
                                                {"us-isof-", "csp.hci.ic.gov"}}};

std::string_view dns_suffix(std::string_view region) {
  for (const auto& [prefix, suffix] : kPartitions)
    if (region.starts_with(prefix)) return suffix;
  return "amazonaws.com";
}

Result<std::string> custom(std::string_view variable, std::string_view url) {
  const bool web = url.starts_with("http://") || url.starts_with("https://");
  const std::size_t host = url.find("://") + 3;
  if (!web || url.size() <= host || url.find_first_of("?#@ ") != std::string_view::npos)
    return fail(
        ErrorCode::kInvalidConfig,
        fmt::format("environment variable {}: expected a URL such as http://127.0.0.1:4566, "
                    "found `{}`",
                    variable, url.substr(0, 200)));
  std::string text(url);
  if (text.back() != '/') text += '/';
  return text;
}

}  // namespace

Result<std::string> endpoint(const Service& service, std::string_view region,
                             const Environment& environment) {
  if (environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") != "true") {
    for (const std::string_view variable :
         {service.endpoint_variable, std::string_view("AWS_ENDPOINT_URL")})
      if (const auto url = environment.get(variable)) return custom(variable, *url);
  }
  return fmt::format("https://{}.{}.{}/", service.host_prefix, region, dns_suffix(region));
}

}  // namespace trainwarden::aws
