// A Lambda function: its queue of invocations, retries and dead letters, and its sessions: one
// Runtime API for each of its processes, each of which runs one invocation at a time. Pure, driven
// by clock values. Single-threaded; the caller holds the lock.
//
// An asynchronous invocation that fails is tried again twice, kRetryDelays later (AWS: one and two
// minutes), behind what was queued meanwhile, then becomes a dead letter. A synchronous one is
// tried once, and its result kept until taken.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/time.h"
#include "tests/localaws/lambda/runtime_api.h"

namespace trainwarden::localaws {

inline constexpr std::array<std::chrono::milliseconds, 2> kRetryDelays = {
    std::chrono::milliseconds(500), std::chrono::milliseconds(1000)};

struct Invocation {
  std::string id;
  std::string trace_root;  // "1-<8 hex>-<24 hex>"
  std::string event;
  bool synchronous = false;
  int attempt = 1;
  sys_millis not_before;
  sys_millis deadline;             // once it runs
  std::string invocation_id = {};  // of this delivery
};

struct InvocationResult {
  bool failed;
  std::string body;  // the answer, or the error as JSON
};

struct DeadLetter {
  std::string event;
  std::string error;
  int attempts;
  sys_millis at;
};

struct FunctionCounts {
  std::uint64_t delivered = 0;  // handed to the function, tries included
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;  // tries that failed
};

class Function {
 public:
  // concurrency: the number of sessions. Where a session is not named it is the first.
  Function(std::string name, std::string arn, std::chrono::milliseconds timeout,
           std::size_t concurrency = 1);

  const std::string& name() const { return name_; }
  const std::string& arn() const { return arn_; }
  std::size_t sessions() const { return sessions_.size(); }
  RuntimeApi& api(std::size_t session = 0) { return sessions_[session].api; }
  const RuntimeApi& api(std::size_t session = 0) const { return sessions_[session].api; }
  const FunctionCounts& counts() const { return counts_; }
  const std::vector<DeadLetter>& dead_letters() const { return dead_letters_; }
  std::size_t queued() const { return queue_.size(); }
  // How many of the queued could run now.
  std::size_t due(sys_millis now) const;
  // Whether any runtime is there.
  bool ever_asked() const;
  // The invocation that a session runs.
  const std::optional<Invocation>& current(std::size_t session = 0) const {
    return sessions_[session].current;
  }
  bool given_up() const { return given_up_; }

  void invoke_async(std::string event, sys_millis now);
  // Returns the id with which to ask for the result.
  std::string invoke_sync(std::string event, sys_millis now);
  std::optional<InvocationResult> take_result(std::string_view id);

  // Of several waiting nexts of a session only the youngest counts: the others' connections were
  // lost. A restart of the process ends them all.
  std::uint64_t wait_ticket(std::size_t session = 0) { return ++sessions_[session].ticket; }
  bool holds(std::uint64_t ticket, std::size_t session = 0) const {
    return ticket == sessions_[session].ticket;
  }

  // For a next that waits: the running invocation (again), or the first that is due.
  const Invocation* take(sys_millis now, std::size_t session = 0);
  // invocation_id: as the runtime echoed it; empty if it did not.
  RuntimeApi::Verdict respond(std::string_view id, std::string body, sys_millis now,
                              std::size_t session = 0, std::string_view invocation_id = {});
  RuntimeApi::Verdict report(std::string_view id, std::string error, sys_millis now,
                             std::size_t session = 0, std::string_view invocation_id = {});

  // Whether the running invocation is past its deadline; it then counts as failed, and the process
  // that runs it must go.
  bool time_out(sys_millis now, std::size_t session = 0);
  // The process ended; what it ran counts as failed.
  void exited(std::string_view how, sys_millis now, std::size_t session = 0);
  // No process will come again: all that waits becomes a dead letter.
  void give_up();
  // Forgets queue, results, dead letters and counts; what runs goes on, but nobody asks for its
  // end.
  void reset();

 private:
  struct Session {
    RuntimeApi api;
    std::optional<Invocation> current;
    std::uint64_t ticket = 0;
    bool forgotten = false;  // reset() came while current ran
  };

  void enqueue(Invocation invocation);
  void finish(Session& session, bool failed, std::string body, sys_millis now);
  void settle_failure(Invocation invocation, std::string error, sys_millis now);

  std::string name_;
  std::string arn_;
  std::chrono::milliseconds timeout_;
  std::vector<Session> sessions_;
  std::deque<Invocation> queue_;
  std::map<std::string, InvocationResult, std::less<>> results_;
  std::vector<DeadLetter> dead_letters_;
  FunctionCounts counts_;
  bool given_up_ = false;
};

// {"errorMessage":…,"errorType":…}
std::string error_body(std::string_view type, std::string_view message);

}  // namespace trainwarden::localaws
