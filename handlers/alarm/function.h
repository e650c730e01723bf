// The alarm function: reads what CloudWatch says about our alarms. This version tells in its record
// what it saw and acts on nothing.
#pragma once

#include <string>
#include <utility>

#include "handlers/actions/config.h"
#include "runtime/base/environment.h"
#include "runtime/lambda/loop.h"

namespace trainwarden::alarm {

class AlarmFunction {
 public:
  // Checks the configuration; an error here is an init error.
  static Result<AlarmFunction> start(const Environment& environment);

  // The record as JSON: one entry a message. An error only where the payload is no SNS event.
  Result<std::string> handle(const lambda::Context& context) const;

 private:
  AlarmFunction(actions::Config config, std::string region)
      : config_(std::move(config)), region_(std::move(region)) {}

  actions::Config config_;
  std::string region_;
};

}  // namespace trainwarden::alarm
