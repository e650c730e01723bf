// The AWS client: signs calls, sends independent ones together, retries what may succeed and reads
// the answers. One per process; it never waits past a deadline.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/credentials.h"
#include "awsapi/retry.h"
#include "awsapi/service.h"
#include "awsapi/service_error.h"
#include "runtime/base/environment.h"
#include "runtime/base/result.h"
#include "runtime/base/time.h"
#include "runtime/http/transport.h"
#include "runtime/json/json.h"

namespace trainwarden::aws {

// One call, not yet signed.
struct Call {
  const Service* service;
  std::string_view operation;  // a literal
  std::string body;            // JSON
};

// A call as it went, for records: no parameters, no answers.
struct CallMade {
  std::string_view service;
  std::string_view operation;
  int attempts = 0;
  std::string outcome;  // "ok", or the service's or transport's error code
};

struct CallContext {
  Deadline deadline;
  // X-Ray trace id of the invocation, sent on unsigned: Lambda's loop detection needs it.
  std::string trace_id;
  // Where calls are noted, if anywhere.
  std::vector<CallMade>* made = nullptr;
};

struct ClientConfig {
  Credentials credentials;
  std::string region;
  int max_attempts = 3;
  std::string sagemaker_url;

  // kInvalidConfig, naming the variable.
  static Result<ClientConfig> from(const Environment& environment);
};

class Client {
 public:
  // jitter returns numbers from [0, 1).
  Client(ClientConfig config, http::Transport& transport, Clock& clock,
         std::function<double()> jitter)
      : config_(std::move(config)),
        transport_(transport),
        clock_(clock),
        jitter_(std::move(jitter)) {}

  const std::string& region() const { return config_.region; }

  // An empty body counts as {}. Errors: as classify() says, and those of the transport; kDeadline
  // where the next attempt would not fit.
  Result<json::Document> call(const Call& call, const CallContext& context);
  // Independent calls, sent together; the results keep their order.
  std::vector<Result<json::Document>> call_all(std::span<const Call> calls,
                                               const CallContext& context);

 private:
  struct Pending;

  http::Request signed_request(const Call& call, const CallContext& context) const;
  Result<json::Document> read(const Call& call, Result<http::Response> response, Pending& pending);
  // Whether it is to be sent again, and if so when at the earliest.
  bool plan_retry(Pending& pending, const Error& error, const CallContext& context);

  ClientConfig config_;
  http::Transport& transport_;
  Clock& clock_;
  std::function<double()> jitter_;
  RetryBudget budget_;
};

}  // namespace trainwarden::aws
