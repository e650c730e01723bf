#include "runtime/lambda/loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace trainwarden::lambda {
namespace {

using std::chrono::milliseconds;

constexpr int kExitFailure = 1;
// Kept back from Lambda's deadline for the answer and the last log line.
constexpr milliseconds kReserve{300};
// The deadline if Lambda gives none, and the farthest one that is believed: Lambda's longest is 15
// minutes.
constexpr milliseconds kFarthest{3'600'000};
// The Runtime API is on this machine: if it does not answer, it is being frozen or is gone.
constexpr milliseconds kPostTimeout{10'000};
constexpr std::array<milliseconds, 3> kBackoff{milliseconds(50), milliseconds(200),
                                               milliseconds(800)};

// The documentation and the Runtime Interface Emulator say 202; other Runtime APIs answer 200.
constexpr int kSuccess = 200;
constexpr int kRedirect = 300;
constexpr int kForbidden = 403;
constexpr int kGone = 410;
constexpr int kTooLarge = 413;
constexpr int kServerError = 500;

class Loop {
 public:
  Loop(Runtime runtime, Handler handler)
      : runtime_(std::move(runtime)), handler_(std::move(handler)) {}

  int run() {
    const http::Request next = next_request(runtime_.endpoint);
    for (;;) {
      runtime_.log.set_request("");
      auto invocation = take(next);
      if (!invocation) {
        runtime_.log.write(Level::kFatal, "the runtime ends: no invocation can be had",
                           {{"error", invocation.error().message}});
        return kExitFailure;
      }
      runtime_.log.set_request(invocation->request_id.view());
      if (!answer(*invocation)) return kExitFailure;
      if (has_thrown_ && runtime_.ends_after_throw) {
        runtime_.log.write(Level::kFatal, "the runtime ends: the handler threw", {});
        return kExitFailure;
      }
    }
  }

 private:
  // A reset or refused connection is tried again: asking for the next invocation is safe to repeat.
  Result<Invocation> take(const http::Request& next) {
    for (std::size_t tries = 0;; ++tries) {
      auto response = http::send(runtime_.transport, next, Deadline::never());
      if (response) {
        if (response->status == 200) return parse_invocation(*std::move(response));
        return fail(ErrorCode::kBadResponse,
                    fmt::format("next invocation: expected HTTP 200, found {}", response->status));
      }
      if (!retryable(response.error().code) || tries == kBackoff.size())
        return fail(std::move(response).error());
      runtime_.clock.sleep_for(kBackoff.at(tries));
    }
  }

  // Bounded before anything is computed: the header may hold any 64-bit number, and the steady
  // clock counts nanoseconds.
  Deadline deadline(const Invocation& invocation) const {
    const auto steady = runtime_.clock.steady_now();
    const sys_millis now = runtime_.clock.now();
    const sys_millis named = invocation.deadline.value_or(now + kFarthest);
    return Deadline::at(steady + (std::clamp(named, now - kFarthest, now + kFarthest) - now) -
                        kReserve);
  }

  // The only catch of the program: what a library throws is this invocation's error.
  Result<std::string> handle(const Invocation& invocation) {
    const Context context{invocation, deadline(invocation), runtime_.log};
    try {
      return handler_(context);
    } catch (const std::exception& thrown) {
      has_thrown_ = true;
      return fail(ErrorCode::kInternal, fmt::format("the handler threw: {}", thrown.what()));
    } catch (...) {
      has_thrown_ = true;
      return fail(ErrorCode::kInternal, "the handler threw something that is no std::exception");
    }
  }

  // False if the Runtime API is gone.
  bool answer(const Invocation& invocation) {
    auto result = handle(invocation);
    if (result) return post(response_request(runtime_.endpoint, invocation, *std::move(result)));
    const auto error = InvocationError::from(result.error());
    runtime_.log.error("the invocation failed",
                       {{"errorType", error.type}, {"error", error.message}});
    return post(error_request(runtime_.endpoint, invocation, error));
  }

  // An answer that is refused (too large, too late, second answer) is logged, and nothing more is
  // posted: Lambda has already settled the invocation.
  bool post(const http::Request& request) {
    for (std::size_t tries = 0;; ++tries) {
      const auto until = Deadline::at(runtime_.clock.steady_now() + kPostTimeout);
      const auto response = http::send(runtime_.transport, request, until);
      if (response) return accept(*response, request.body.size());
      runtime_.log.error("the answer could not be posted", {{"error", response.error().message}});
      if (response.error().code != ErrorCode::kConnection || tries == kBackoff.size()) return false;
      runtime_.clock.sleep_for(kBackoff.at(tries));
    }
  }

  bool accept(const http::Response& response, std::size_t bytes) const {
    if (response.status >= kSuccess && response.status < kRedirect) return true;
    const std::string status = std::to_string(response.status);
    if (response.status >= kServerError) {
      runtime_.log.write(Level::kFatal, "the Runtime API failed", {{"status", status}});
      return false;
    }
    if (response.status == kTooLarge)
      runtime_.log.error("the answer is too large", {{"bytes", std::to_string(bytes)},
                                                     {"limit", std::to_string(kMaxResponseBytes)}});
    else if (response.status == kGone)
      runtime_.log.error("the answer is too late: Lambda has ended this delivery",
                         {{"status", status}});
    else if (response.status == kForbidden)
      runtime_.log.error("the invocation was answered before", {{"status", status}});
    else
      runtime_.log.error("the Runtime API refused the answer", {{"status", status}});
    return true;
  }

  Runtime runtime_;
  Handler handler_;
  bool has_thrown_ = false;
};

}  // namespace

int run(Runtime runtime, Handler handler) {
  return Loop(std::move(runtime), std::move(handler)).run();
}

int fail_start(const Log& log, const Error& error) {
  log.write(Level::kFatal, "the function cannot start", {{"error", error.message}});
  return kExitFailure;
}

int fail_init(Runtime runtime, const Error& error) {
  const InvocationError reported{fmt::format("Runtime.{}", name(error.code)), error.message};
  runtime.log.write(Level::kFatal, "the function cannot start",
                    {{"errorType", reported.type}, {"error", reported.message}});
  const auto until = Deadline::at(runtime.clock.steady_now() + kPostTimeout);
  const auto response =
      http::send(runtime.transport, init_error_request(runtime.endpoint, reported), until);
  if (!response)
    runtime.log.error("the init error could not be posted", {{"error", response.error().message}});
  return kExitFailure;
}

}  // namespace trainwarden::lambda
