// The AWS client: signs calls, sends independent ones together, retries what may succeed and reads
// the answers. One per process; it never waits past a deadline. Signing follows the service's clock
// where ours is wrong.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "awsapi/credentials.h"
#include "awsapi/pace.h"
#include "awsapi/read_budget.h"
#include "awsapi/retry.h"
#include "awsapi/service.h"
#include "awsapi/service_error.h"
#include "awsapi/sigv4.h"
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
  std::string body;            // JSON, or a form for Protocol::kQuery
  // Of Protocol::kRestXml, which is a GET.
  std::string bucket = {};
  std::string query = {};  // encoded
  // The name of the resource that it is about: a job, an alarm, an item; for records.
  std::string target = {};
  // Of a refusal's text, which may quote the body.
  Scrub scrub = {};
};

// A call as it went, for records: no parameters but the name of its resource, no answers.
struct CallMade {
  std::string_view service;
  std::string_view operation;
  int attempts = 0;
  std::string outcome;  // for people: "ok", or the service's or the transport's error code
  std::string target = {};
  sys_millis at = {};                   // of the first attempt, by the service's clock
  std::chrono::milliseconds took = {};  // with all attempts and the waits between them
  // The outcome does not say whether the call was carried out: an earlier attempt may have been.
  bool unclear = false;
  std::optional<ErrorCode> error = {};  // nullopt: it was answered with success

  bool throttled() const;
  bool credentials_over() const;
};

// An answer, or the one refusal that the caller counts as an answer too.
struct Answer {
  json::Document body;
  bool refused = false;
};

struct CallContext {
  Deadline deadline;
  // X-Ray trace id of the invocation, sent on unsigned: Lambda's loop detection needs it.
  std::string trace_id;
  // The list to which calls are added; may be null.
  std::vector<CallMade>* made = nullptr;
  // After this time no further page of a list is requested: the pages so far are kept, and the walk
  // ends with kDeadline. A page under way may take until `deadline`.
  Deadline last_page = Deadline::never();
  // Limits the rate of calls; may be null. Each attempt waits for it.
  Pace* pace = nullptr;
  // Bounds what is read page by page; may be null.
  ReadBudget* reads = nullptr;
};

// Asks for one more page; for the code that mends a list.
using AskPage = std::function<Result<json::Document>(const Call& call)>;

// A paginated list. The token of the next page is in the member `token_member` of each page.
struct Pages {
  // The call for a page: an empty token for the first; the JSON text of a token that is an object.
  std::function<Call(std::string_view token)> make;
  std::string_view token_member;
  std::function<Result<bool>(json::Value page)> each;  // false: enough
  // Whether `make` has another call to offer in place of one that ended in that error.
  std::function<bool(const Error& error, const AskPage& ask)> mend = {};
  // A list of the account's jobs, whose size is not the doing of the job that it is read for: its
  // bytes do not count.
  bool of_account = false;
  // `make` may leave the token out and begin the list anew; `each` then sees to it that the list
  // does not repeat itself.
  bool begins_anew = false;
};

// A context that keeps its calls apart from the others of its event, and adds them to those when it
// is destroyed.
class OwnCalls {
 public:
  explicit OwnCalls(const CallContext& outer) : outer_(outer.made), context_(outer) {
    context_.made = &made_;
  }
  ~OwnCalls() {
    if (outer_ != nullptr) std::ranges::move(made_, std::back_inserter(*outer_));
  }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

  const CallContext& context() const { return context_; }
  const std::vector<CallMade>& made() const { return made_; }

 private:
  std::vector<CallMade>* outer_;
  std::vector<CallMade> made_;
  CallContext context_;
};

struct ClientConfig {
  Credentials credentials;
  std::string region;
  std::optional<int> max_attempts;  // nullopt: the service's own
  Endpoints endpoints;
  // The source of credentials for each call; null: those above are always used. Must outlive the
  // client.
  CredentialSource* source = nullptr;

  // kInvalidConfig, naming the variable.
  static Result<ClientConfig> from(const Environment& environment);
};

// The most calls that are sent together; more wait for these. SageMaker throttles early.
inline constexpr std::size_t kMaxConcurrentCalls = 8;

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
  // The services' clock minus ours, by the answers so far; exact to about a second.
  std::chrono::seconds skew() const { return skew_; }

  // An empty body counts as {}. Errors: as classify() says, and those of the transport;
  // kBadResponse for an answer that is no JSON.
  Result<json::Document> call(const Call& call, const CallContext& context);
  // The same, but an error with this code is an answer.
  Result<Answer> call_or_refusal(const Call& call, std::string_view code,
                                 const CallContext& context);
  // Independent calls, sent together; the results keep their order.
  std::vector<Result<json::Document>> call_all(std::span<const Call> calls,
                                               const CallContext& context);
  // The same with the answers as they came: for Protocol::kQuery and kRestXml.
  std::vector<Result<std::string>> send_all(std::span<const Call> calls,
                                            const CallContext& context);

  // One page of what is read about a job: within context.reads, and counted there.
  Result<std::string> read_page(const Call& call, const CallContext& context,
                                bool counts_bytes = true);

  // Reads all pages. One whose token is the one that led to it ends the walk with kBadResponse;
  // context.last_page, with kDeadline.
  Result<void> pages(Pages pages, const CallContext& context);
  Result<void> pages(const std::function<Call(std::string_view token)>& make,
                     std::string_view token_member,
                     const std::function<Result<bool>(json::Value page)>& each,
                     const CallContext& context) {
    return pages({make, token_member, each}, context);
  }

 private:
  struct Pending;
  struct Reply {
    std::string body;
    bool refused = false;
  };

  // An error with the code `refusal` is a reply; empty: none is.
  std::vector<Result<Reply>> carry_out(std::span<const Call> calls, std::string_view refusal,
                                       const CallContext& context);
  http::Request signed_request(const Call& call, std::chrono::seconds skew,
                               const CallContext& context);
  // How many of the calls may be sent together now; waits until at least one may.
  std::size_t wait_for_pace(std::span<const Call> calls, std::span<const Pending> pending,
                            const CallContext& context);
  // What the answers tell of when calls that went out together reached their services.
  void note_pace(std::span<const Call> calls, std::span<const Pending> together,
                 std::span<const Result<http::Response>> answers, Pace::Instant sent,
                 Pace& pace) const;
  std::vector<Result<http::Response>> exchange(std::span<const Call> calls,
                                               std::span<Pending> pending,
                                               const CallContext& context);
  Result<Reply> read(const Call& call, std::string_view refusal, Result<http::Response> response,
                     Pending& pending);
  // Whether the call is to be sent again; if not, the error says why.
  bool plan_retry(const Service& service, Pending& pending, Error& error,
                  const CallContext& context);
  bool skew_explains(const Pending& pending) const;
  // Whether new credentials were fetched after AWS refused expired ones.
  bool renews(Pending& pending);

  ClientConfig config_;
  http::Transport& transport_;
  Clock& clock_;
  std::function<double()> jitter_;
  RetryBudget budget_;
  SigningKeys signing_keys_;
  std::chrono::seconds skew_{0};  // the services' clock minus ours
};

}  // namespace trainwarden::aws
