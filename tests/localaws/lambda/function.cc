#include "tests/localaws/lambda/function.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/json/json.h"
#include "tests/localaws/service/crypto.h"

namespace trainwarden::localaws {

std::string error_body(std::string_view type, std::string_view message) {
  json::Writer out;
  out.begin_object().member("errorMessage", message).member("errorType", type).end_object();
  return out.take();
}

Function::Function(std::string name, std::string arn, std::chrono::milliseconds timeout,
                   std::size_t concurrency)
    : name_(std::move(name)), arn_(std::move(arn)), timeout_(timeout), sessions_(concurrency) {}

std::size_t Function::due(sys_millis now) const {
  return static_cast<std::size_t>(
      std::count_if(queue_.begin(), queue_.end(),
                    [now](const Invocation& invocation) { return invocation.not_before <= now; }));
}

bool Function::ever_asked() const {
  return std::any_of(sessions_.begin(), sessions_.end(), [](const Session& session) {
    return session.api.state() != RuntimeApi::State::kStarted;
  });
}

void Function::invoke_async(std::string event, sys_millis now) {
  enqueue({.id = random_uuid(),
           .trace_root = {},
           .event = std::move(event),
           .synchronous = false,
           .attempt = 1,
           .not_before = now,
           .deadline = {}});
}

std::string Function::invoke_sync(std::string event, sys_millis now) {
  std::string id = random_uuid();
  enqueue({.id = id,
           .trace_root = {},
           .event = std::move(event),
           .synchronous = true,
           .attempt = 1,
           .not_before = now,
           .deadline = {}});
  return id;
}

void Function::enqueue(Invocation invocation) {
  if (given_up_) {
    const sys_millis now = invocation.not_before;
    settle_failure(std::move(invocation),
                   error_body("Runtime.ExitError", "the function does not start"), now);
    return;
  }
  queue_.push_back(std::move(invocation));
}

std::optional<InvocationResult> Function::take_result(std::string_view id) {
  const auto found = results_.find(id);
  if (found == results_.end()) return std::nullopt;
  InvocationResult result = std::move(found->second);
  results_.erase(found);
  return result;
}

const Invocation* Function::take(sys_millis now, std::size_t session) {
  auto& [api, current, ticket, forgotten] = sessions_[session];
  if (api.state() == RuntimeApi::State::kRunning && current) return &*current;
  const auto due = std::find_if(queue_.begin(), queue_.end(), [now](const Invocation& invocation) {
    return invocation.not_before <= now;
  });
  if (due == queue_.end()) return nullptr;
  std::string invocation_id = random_uuid();
  if (!api.deliver(due->id, invocation_id)) return nullptr;
  current = std::move(*due);
  current->invocation_id = std::move(invocation_id);
  queue_.erase(due);
  current->deadline = now + timeout_;
  const auto epoch = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  current->trace_root = fmt::format("1-{:08x}-{}", epoch, hex(random_bytes(12)));
  ++counts_.delivered;
  return &*current;
}

RuntimeApi::Verdict Function::respond(std::string_view id, std::string body, sys_millis now,
                                      std::size_t session, std::string_view invocation_id) {
  auto verdict = sessions_[session].api.response(id, body.size(), invocation_id);
  if (verdict)
    finish(sessions_[session], false, std::move(body), now);
  else if (verdict.error().status == 413)
    finish(sessions_[session], true,
           error_body("Function.ResponseSizeTooLarge",
                      fmt::format("Response payload size exceeded maximum allowed payload size "
                                  "({} bytes).",
                                  kMaxAnswer)),
           now);
  return verdict;
}

RuntimeApi::Verdict Function::report(std::string_view id, std::string error, sys_millis now,
                                     std::size_t session, std::string_view invocation_id) {
  auto verdict = sessions_[session].api.error(id, error.size(), invocation_id);
  if (verdict || verdict.error().status == 413)
    finish(sessions_[session], true, std::move(error), now);
  return verdict;
}

bool Function::time_out(sys_millis now, std::size_t session) {
  Session& late = sessions_[session];
  if (!late.current || now < late.current->deadline) return false;
  const double seconds = std::chrono::duration<double>(timeout_).count();
  finish(late, true,
         error_body("Sandbox.Timedout", fmt::format("RequestId: {} Error: Task timed out after "
                                                    "{:.2f} seconds",
                                                    late.current->id, seconds)),
         now);
  late.api.restarted();
  ++late.ticket;
  return true;
}

void Function::exited(std::string_view how, sys_millis now, std::size_t session) {
  Session& gone = sessions_[session];
  if (gone.current)
    finish(gone, true,
           error_body("Runtime.ExitError",
                      fmt::format("RequestId: {} Error: Runtime exited with error: {}",
                                  gone.current->id, how)),
           now);
  gone.api.restarted();
  ++gone.ticket;
}

void Function::give_up() {
  given_up_ = true;
  for (Invocation& invocation : std::exchange(queue_, {})) enqueue(std::move(invocation));
}

void Function::reset() {
  queue_.clear();
  results_.clear();
  dead_letters_.clear();
  counts_ = {};
  for (Session& session : sessions_) session.forgotten = session.current.has_value();
}

void Function::finish(Session& session, bool failed, std::string body, sys_millis now) {
  if (!session.current) return;
  Invocation done = std::move(*session.current);
  session.current.reset();
  if (std::exchange(session.forgotten, false)) return;
  if (!failed) {
    ++counts_.succeeded;
    if (done.synchronous) results_.emplace(done.id, InvocationResult{false, std::move(body)});
    return;
  }
  ++counts_.failed;
  settle_failure(std::move(done), std::move(body), now);
}

void Function::settle_failure(Invocation invocation, std::string error, sys_millis now) {
  if (invocation.synchronous) {
    results_.emplace(invocation.id, InvocationResult{true, std::move(error)});
    return;
  }
  const auto retry = static_cast<std::size_t>(invocation.attempt - 1);
  if (given_up_ || retry >= kRetryDelays.size()) {
    dead_letters_.push_back(
        {std::move(invocation.event), std::move(error), invocation.attempt, now});
    return;
  }
  ++invocation.attempt;
  invocation.not_before = now + kRetryDelays[retry];
  queue_.push_back(std::move(invocation));
}

}  // namespace trainwarden::localaws
