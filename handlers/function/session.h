// What both functions keep between invocations: the configuration, the policy in force, the
// connections and the retry budget. One per process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "awsapi/client.h"
#include "handlers/actions/context/job.h"
#include "handlers/actions/setup/config.h"
#include "handlers/actions/setup/live_policy.h"
#include "runtime/base/environment.h"
#include "runtime/lambda/loop.h"

namespace trainwarden::function {

class Session {
 public:
  // Checks the configuration, loads the policy and logs what is odd about both; an error here is an
  // init error.
  static Result<Session> start(const Environment& environment, http::Transport& transport,
                               Clock& clock, const lambda::Log& log);

  const actions::Config& config() const { return config_; }
  aws::Client& client() { return client_; }
  Clock& clock() const { return *clock_; }
  // Until the next refresh.
  actions::ActivePolicy rules() const { return {policy_.policy(), config_.ceiling}; }

  // The context of an invocation's calls; they are noted in made.
  static aws::CallContext calls(const lambda::Context& context, std::vector<aws::CallMade>* made) {
    return {context.deadline, context.invocation.trace_id, made};
  }
  // The policy is read again if its time has come. Failing that the last good one stays in force,
  // which is logged and counted.
  void refresh(const lambda::Context& context, const aws::CallContext& calls);

 private:
  Session(actions::Config config, actions::LivePolicy policy, aws::Client client, Clock& clock)
      : config_(std::move(config)),
        policy_(std::move(policy)),
        client_(std::move(client)),
        clock_(&clock) {}

  actions::Config config_;
  actions::LivePolicy policy_;
  aws::Client client_;
  Clock* clock_;
};

}  // namespace trainwarden::function
