// The state function: decides on a job at each change of its state, and on all jobs in sweeps.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "handlers/actions/context/job.h"
#include "handlers/function/session.h"
#include "runtime/lambda/loop.h"

namespace trainwarden::state {

class StateFunction {
 public:
  // Loads the policy and checks the configuration; an error here is an init error.
  static Result<StateFunction> start(const Environment& environment, http::Transport& transport,
                                     Clock& clock, const lambda::Log& log,
                                     std::function<double()> random = aws::random_jitter());

  // The decision record, or the record of a sweep or of the weekly report, as JSON. An error if the
  // event is not ours, or must be delivered again.
  Result<std::string> handle(const lambda::Context& context);

 private:
  Result<std::string> sweep(const actions::ActivePolicy& rules, const actions::Apis& apis,
                            const lambda::Context& context);
  Result<std::string> report_week(sys_seconds time, const actions::Apis& apis,
                                  const lambda::Context& context);

  explicit StateFunction(function::Session session) : session_(std::move(session)) {}

  function::Session session_;
};

}  // namespace trainwarden::state
