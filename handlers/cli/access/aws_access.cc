#include "handlers/cli/access/aws_access.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "awsapi/service.h"
#include "awsapi/tls.h"
#include "handlers/cli/terminal/text.h"
#include "runtime/http/proxy_tunnel.h"

namespace trainwarden::cli {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

}  // namespace

std::string AwsOptions::text() const {
  std::string out;
  if (!profile.empty()) out += fmt::format(" --profile {}", shell_word(profile));
  if (!region.empty()) out += fmt::format(" --region {}", shell_word(region));
  if (!endpoint_url.empty()) out += fmt::format(" --endpoint-url {}", shell_word(endpoint_url));
  return out;
}

std::vector<Option> aws_options(AwsOptions& out, std::vector<Option> options) {
  options.push_back({"--profile", &out.profile});
  options.push_back({"--region", &out.region});
  options.push_back({"--endpoint-url", [&out](const std::string& value) -> Result<void> {
                       if (!value.starts_with("http://") && !value.starts_with("https://"))
                         return wrong_argument(
                             fmt::format("expected a URL, found `{}`; did you mean "
                                         "`http://{}`?",
                                         value, value));
                       out.endpoint_url = value;
                       return {};
                     }});
  return options;
}

ChangedEnvironment::ChangedEnvironment(const char* const* envp, const Changes& changes) {
  for (const char* const* entry = envp; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::find(changes, name, &Changes::value_type::first) == changes.end())
      texts_.emplace_back(text);
  }
  for (const auto& [name, value] : changes)
    if (!value.empty()) texts_.push_back(fmt::format("{}={}", name, value));
  for (const std::string& text : texts_) pointers_.push_back(text.c_str());
  pointers_.push_back(nullptr);
}

Changes changes_of(const AwsOptions& options) {
  Changes out;
  if (!options.region.empty()) {
    out.emplace_back("AWS_REGION", options.region);
    out.emplace_back("AWS_DEFAULT_REGION", "");
  }
  if (options.endpoint_url.empty()) return out;
  out.emplace_back("AWS_ENDPOINT_URL", options.endpoint_url);
  out.emplace_back("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "");
  for (const aws::Service& service :
       {aws::kSageMaker, aws::kCloudWatch, aws::kLogs, aws::kSsm, aws::kSns, aws::kDynamoDb,
        aws::kPricing, aws::kS3, aws::kServiceQuotas})
    out.emplace_back(service.endpoint_variable, "");
  return out;
}

AwsAccess::AwsAccess(std::unique_ptr<ChangedEnvironment> changed, const AwsOptions& options,
                     http::CurlOptions transport, Clock& clock)
    : changed_(std::move(changed)),
      environment_(changed_->get()),
      clock_(clock),
      transport_(std::move(transport), clock),
      credentials_(environment_, options.profile, transport_, clock, run_aws) {}

Result<std::unique_ptr<AwsAccess>> AwsAccess::open(const char* const* envp,
                                                   const AwsOptions& options,
                                                   std::string_view product, Clock& clock) {
  AwsOptions whole = options;
  if (whole.region.empty()) {
    TRY(whole.region, region_of_person(Environment(envp), options.profile, run_aws));
  }
  Changes changes = changes_of(whole);
  // The largest number of attempts that is allowed, unless the user sets another.
  if (options.patient && !Environment(envp).get("AWS_MAX_ATTEMPTS"))
    changes.emplace_back("AWS_MAX_ATTEMPTS", "10");
  auto changed = std::make_unique<ChangedEnvironment>(envp, changes);
  http::CurlOptions transport = aws::transport_options(changed->get(), product);
  TRY(transport.connector, http::ProxyTunnel::from(changed->get()));
  std::unique_ptr<AwsAccess> out(
      new AwsAccess(std::move(changed), options, std::move(transport), clock));
  // Report a missing region or missing credentials before any other call.
  CHECK_OK(aws::region_from(out->environment_));
  CHECK_OK(out->credentials_.current());
  return out;
}

}  // namespace trainwarden::cli
