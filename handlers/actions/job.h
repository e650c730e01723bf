// A job under consideration, and what reaches the world on its behalf.
#pragma once

#include <string>

#include "awsapi/cloudwatch.h"
#include "awsapi/logs.h"
#include "awsapi/sagemaker.h"
#include "awsapi/sns.h"
#include "handlers/actions/config.h"
#include "handlers/rules/policy.h"
#include "handlers/rules/source.h"
#include "runtime/base/time.h"

namespace trainwarden::actions {

struct JobRef {
  aws::JobName name;
  std::string arn;  // before Describe; empty: not known. Describe's counts more
};

// Everything that acts or asks goes through here; one per invocation.
struct Apis {
  Apis(aws::Client& client, Clock& the_clock, const aws::CallContext& the_context,
       const Config& the_config)
      : sagemaker(client),
        cloudwatch(client),
        sns(client),
        logs(client),
        clock(the_clock),
        context(the_context),
        config(the_config) {}

  aws::SageMaker sagemaker;
  aws::CloudWatch cloudwatch;
  aws::Sns sns;
  aws::Logs logs;
  Clock& clock;
  const aws::CallContext& context;
  const Config& config;

  sys_seconds now() const { return std::chrono::floor<std::chrono::seconds>(clock.now()); }
};

struct RuleAt {
  const rules::Policy& policy;
  rules::Mode ceiling;
};

// The job under decision, and everything that an action may look at.
struct Subject {
  const RuleAt& rules;
  const JobRef& job;
  const rules::Sources& sources;  // what was decided on; sources.event() is the trigger
  const Apis& apis;
};

}  // namespace trainwarden::actions
