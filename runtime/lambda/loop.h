// The runtime loop: take an invocation, hand it to the handler, post its answer or its error,
// again. A handler that fails or throws is reported and survived. The loop ends only when the
// Runtime API is gone or broken, or where Runtime says so: then the process must exit non-zero, and
// Lambda starts another.
#pragma once

#include <functional>
#include <string>

#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/http/transport.h"
#include "runtime/lambda/api.h"
#include "runtime/lambda/log.h"

namespace trainwarden::lambda {

// What a handler is given: the invocation, and until when it must have answered. The deadline lies
// a little before Lambda's own, so that the answer still gets out; it is about an hour away where
// Lambda names none, or a later one.
struct Context {
  const Invocation& invocation;
  Deadline deadline;
  Log& log;
};

// The answer's body (JSON), or an error, which makes Lambda or the event source try again.
using Handler = std::move_only_function<Result<std::string>(const Context&)>;

struct Runtime {
  Endpoint endpoint;
  http::Transport& transport;
  Clock& clock;
  Log& log;
  // For a handler of layers without exceptions: nothing is cleaned up where something was thrown,
  // so that the invocation's error is posted, and the process ends. Lambda starts another.
  bool ends_after_throw = false;
};

// Returns the process's exit status, never 0.
int run(Runtime runtime, Handler handler);

// For a process that was not started by Lambda: says so on the log and returns the exit status.
int fail_start(const Log& log, const Error& error);

// Reports that the function cannot start (before the first invocation) and returns the exit status.
int fail_init(Runtime runtime, const Error& error);

}  // namespace trainwarden::lambda
