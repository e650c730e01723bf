// The alarm function: receives CloudWatch's alarms on jobs and does what the policy says about them
// once the breach is confirmed (policy.md W4). Each message is judged on its own: one that is bad
// or fails does not hold up the others (W5).
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "handlers/function/session.h"
#include "runtime/lambda/loop.h"

namespace trainwarden::alarm {

class AlarmFunction {
 public:
  // Loads the policy and checks the configuration; an error here is an init error.
  static Result<AlarmFunction> start(const Environment& environment, http::Transport& transport,
                                     Clock& clock, const lambda::Log& log,
                                     std::function<double()> random = aws::random_jitter());

  // The record as JSON, with one entry per message, in their order. An error if the payload is no
  // SNS event, or if a message must be delivered again. Lambda then redelivers the whole batch;
  // messages that were handled before are repeated, which is harmless.
  Result<std::string> handle(const lambda::Context& context);

 private:
  explicit AlarmFunction(function::Session session) : session_(std::move(session)) {}

  function::Session session_;
};

}  // namespace trainwarden::alarm
