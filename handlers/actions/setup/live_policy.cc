#include "handlers/actions/setup/live_policy.h"

#include <fmt/core.h>

#include <utility>

#include "awsapi/ssm.h"
#include "handlers/actions/setup/policy_source.h"
#include "runtime/base/arn.h"

namespace trainwarden::actions {
namespace {

constexpr std::string_view kSsm = "ssm:";

// A parameter is given by its name, or by its ARN if it is of another account. Parameters are
// shared within one region: https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-
// store-shared-parameters.html
Result<void> check_parameter(std::string_view parameter, std::string_view region) {
  constexpr std::string_view kVariable = "environment variable TRAINWARDEN_POLICY: ";
  constexpr std::size_t kShown = 200;
  if (parameter.empty())
    return fail(
        ErrorCode::kInvalidConfig,
        fmt::format("{}expected the name or the ARN of a parameter after `ssm:`, found none",
                    kVariable));
  if (!parameter.starts_with("arn:")) return {};
  const bool whole = !arn_field(parameter, ArnField::kPartition).empty() &&
                     arn_field(parameter, ArnField::kService) == "ssm" &&
                     !arn_field(parameter, ArnField::kRegion).empty() &&
                     !arn_field(parameter, ArnField::kAccount).empty() &&
                     arn_field(parameter, ArnField::kResource).starts_with("parameter/");
  if (!whole)
    return fail(
        ErrorCode::kInvalidConfig,
        fmt::format("{}expected a parameter's ARN such as arn:aws:ssm:{}:111122223333:parameter/"
                    "trainwarden/policy, found `{}`",
                    kVariable, region, parameter.substr(0, kShown)));
  if (arn_field(parameter, ArnField::kRegion) != region)
    return fail(ErrorCode::kInvalidConfig,
                fmt::format("{}expected a parameter of the region {}, where this function runs, "
                            "found `{}`: keep a copy of it in this region",
                            kVariable, region, parameter.substr(0, kShown)));
  return {};
}

Result<rules::Policy> read(const std::string& parameter, aws::Client& client,
                           const aws::CallContext& context) {
  const std::string where = fmt::format("SSM parameter `{}`", parameter);
  auto found = aws::Ssm(client).get_parameter(parameter, context);
  if (!found) return fail(std::move(found).error().in(where));
  auto policy = rules::parse_policy(found->value);
  if (!policy) return fail(std::move(policy).error().in(where));
  return policy;
}

}  // namespace

Result<LivePolicy> LivePolicy::start(std::string_view source, std::string_view folder,
                                     aws::Client& client, const aws::CallContext& context,
                                     sys_seconds now) {
  if (!source.starts_with(kSsm)) {
    TRY(rules::Policy policy, load_policy(source, folder));
    return LivePolicy(std::move(policy), {}, now);
  }
  std::string parameter(source.substr(kSsm.size()));
  CHECK_OK(check_parameter(parameter, client.region()));
  TRY(rules::Policy policy, read(parameter, client, context));
  return LivePolicy(std::move(policy), std::move(parameter), now);
}

std::optional<Error> LivePolicy::refresh(aws::Client& client, const aws::CallContext& context,
                                         sys_seconds now) {
  if (parameter_.empty() || now - read_ < kPolicyAge) return std::nullopt;
  // After a failure, too, the next read waits for its time.
  read_ = now;
  auto policy = read(parameter_, client, context);
  if (!policy) return std::move(policy).error();
  policy_ = *std::move(policy);
  return std::nullopt;
}

}  // namespace trainwarden::actions
