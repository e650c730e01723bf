// The state function: what main wires to the runtime loop. One per process; it keeps the policy,
// the connections and the retry budget between invocations.
#pragma once

#include <string>

#include "awsapi/client.h"
#include "awsapi/sagemaker.h"
#include "handlers/actions/config.h"
#include "handlers/actions/job.h"
#include "handlers/actions/live_policy.h"
#include "runtime/base/environment.h"
#include "runtime/lambda/loop.h"

namespace trainwarden::state {

class StateFunction {
 public:
  // Loads the policy and checks the configuration; an error here is an init error.
  static Result<StateFunction> start(const Environment& environment, http::Transport& transport,
                                     Clock& clock, const lambda::Log& log);

  // The decision record, or what a sweep reports, as JSON. An error where the event is not ours, or
  // must be delivered again.
  Result<std::string> handle(const lambda::Context& context);

 private:
  Result<std::string> sweep(const actions::RuleAt& rules, const actions::Apis& apis,
                            const lambda::Log& log);

  StateFunction(actions::Config config, actions::LivePolicy policy, aws::Client client,
                Clock& clock)
      : config_(std::move(config)),
        policy_(std::move(policy)),
        client_(std::move(client)),
        clock_(&clock) {}

  actions::Config config_;
  actions::LivePolicy policy_;
  aws::Client client_;
  Clock* clock_;
};

}  // namespace trainwarden::state
