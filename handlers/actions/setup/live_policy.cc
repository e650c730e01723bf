#include "handlers/actions/setup/live_policy.h"

#include <fmt/core.h>

#include <utility>

#include "awsapi/ssm.h"
#include "handlers/actions/setup/policy_source.h"

namespace trainwarden::actions {
namespace {

constexpr std::string_view kSsm = "ssm:";

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
  if (parameter.empty())
    return fail(ErrorCode::kInvalidConfig,
                "environment variable TRAINWARDEN_POLICY: expected the name of a parameter after "
                "`ssm:`, found none");
  TRY(rules::Policy policy, read(parameter, client, context));
  return LivePolicy(std::move(policy), std::move(parameter), now);
}

std::optional<Error> LivePolicy::refresh(aws::Client& client, const aws::CallContext& context,
                                         sys_seconds now) {
  if (parameter_.empty() || now - read_ < kPolicyAge) return std::nullopt;
  // Also after a failure it is not asked for again before its time.
  read_ = now;
  auto policy = read(parameter_, client, context);
  if (!policy) return std::move(policy).error();
  policy_ = *std::move(policy);
  return std::nullopt;
}

}  // namespace trainwarden::actions
