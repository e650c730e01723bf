// What both functions keep between invocations: the configuration, the policy in force, the
// connections and the retry budget. One per process.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "awsapi/client.h"
#include "awsapi/retry.h"
#include "handlers/actions/context/job.h"
#include "handlers/actions/setup/config.h"
#include "handlers/actions/setup/live_policy.h"
#include "runtime/base/environment.h"
#include "runtime/lambda/loop.h"

namespace trainwarden::function {

class Session {
 public:
  // Checks the configuration, loads the policy and logs what is odd about both; an error here is an
  // init error. random: from [0, 1), for retries and for where a sweep begins; a test gives its
  // own, so that a history can be told again.
  static Result<Session> start(const Environment& environment, http::Transport& transport,
                               Clock& clock, const lambda::Log& log,
                               std::function<double()> random = aws::random_jitter());

  const actions::Config& config() const { return config_; }
  aws::Client& client() { return client_; }
  Clock& clock() const { return *clock_; }
  const std::function<double()>& random() const { return random_; }
  // Until the next refresh.
  actions::ActivePolicy rules() const { return {policy_.policy(), config_.ceiling}; }

  // The context of an invocation's calls; they are noted in made.
  static aws::CallContext calls(const lambda::Context& context, std::vector<aws::CallMade>* made) {
    return {context.deadline, context.invocation.trace_id, made};
  }
  // Reads the policy again if it is due. If that fails, the last good one stays in force, and the
  // failure is logged and counted.
  void refresh(const lambda::Context& context, const aws::CallContext& calls);

 private:
  Session(actions::Config config, actions::LivePolicy policy, aws::Client client, Clock& clock,
          std::function<double()> random)
      : config_(std::move(config)),
        policy_(std::move(policy)),
        client_(std::move(client)),
        clock_(&clock),
        random_(std::move(random)) {}

  actions::Config config_;
  actions::LivePolicy policy_;
  aws::Client client_;
  Clock* clock_;
  std::function<double()> random_;
};

}  // namespace trainwarden::function
