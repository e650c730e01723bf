// The policy that is in force, wherever it comes from (policy.md P5). One that lies in SSM is read
// again once it is a minute old; what cannot be read then, or is no policy, changes nothing: the
// last good one stays, and the error is for the caller to log and count. Between two calls of
// refresh the policy does not change.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "awsapi/client.h"
#include "handlers/rules/policy/policy.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"

namespace trainwarden::actions {

inline constexpr std::chrono::seconds kPolicyAge{60};

class LivePolicy {
 public:
  // source as for load_policy, or `ssm:NAME`, where NAME may be the ARN of a parameter of the
  // client's region. An error here is an init error.
  static Result<LivePolicy> start(std::string_view source, std::string_view folder,
                                  aws::Client& client, const aws::CallContext& context,
                                  sys_seconds now);

  const rules::Policy& policy() const { return policy_; }

  // Why the policy could not be read anew; nullopt where it was, or need not be. The context's
  // deadline is for this call: a slow SSM must not keep jobs from being decided on.
  std::optional<Error> refresh(aws::Client& client, const aws::CallContext& context,
                               sys_seconds now);

 private:
  LivePolicy(rules::Policy policy, std::string parameter, sys_seconds now)
      : policy_(std::move(policy)), parameter_(std::move(parameter)), read_(now) {}

  rules::Policy policy_;
  std::string parameter_;  // empty: it lies elsewhere, and does not change
  sys_seconds read_;       // when it was last asked for
};

}  // namespace trainwarden::actions
