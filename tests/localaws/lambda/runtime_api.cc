#include "tests/localaws/lambda/runtime_api.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainwarden::localaws {
namespace {

using State = RuntimeApi::State;
using Call = RuntimeApi::Call;

struct Allowed {
  State state;
  Call call;
};

constexpr std::array kAllowed = {
    Allowed{State::kStarted, Call::kNext},  Allowed{State::kStarted, Call::kInitError},
    Allowed{State::kReady, Call::kNext},    Allowed{State::kReady, Call::kDeliver},
    Allowed{State::kRunning, Call::kNext},  Allowed{State::kRunning, Call::kResponse},
    Allowed{State::kRunning, Call::kError}, Allowed{State::kAnswered, Call::kNext},
};

// The names that AWS's emulator gives to the states a call would lead to.
std::string_view target(Call call) {
  switch (call) {
    case Call::kNext:
      return "Ready";
    case Call::kDeliver:
      return "Running";
    case Call::kResponse:
      return "InvocationResponse";
    case Call::kError:
      return "InvocationErrorResponse";
    case Call::kInitError:
      return "InitError";
  }
  return "";
}

}  // namespace

std::string_view name(State state) {
  switch (state) {
    case State::kStarted:
      return "Started";
    case State::kInitError:
      return "InitError";
    case State::kReady:
      return "Ready";
    case State::kRunning:
      return "Running";
    case State::kAnswered:
      return "RuntimeResponseSentState";
  }
  return "";
}

bool RuntimeApi::allowed(State state, Call call) {
  return std::any_of(kAllowed.begin(), kAllowed.end(), [&](const Allowed& allowed) {
    return allowed.state == state && allowed.call == call;
  });
}

RuntimeApi::Verdict RuntimeApi::check(Call call) const {
  if (allowed(state_, call)) return {};
  return std::unexpected(Refusal{
      403, "InvalidStateTransition",
      fmt::format("State transition from {} to {} failed for runtime. Error: State transition is "
                  "not allowed",
                  name(state_), target(call))});
}

RuntimeApi::Verdict RuntimeApi::next() {
  if (auto ok = check(Call::kNext); !ok) return ok;
  if (state_ != State::kRunning) state_ = State::kReady;
  return {};
}

RuntimeApi::Verdict RuntimeApi::deliver(std::string id, std::string invocation_id) {
  if (auto ok = check(Call::kDeliver); !ok) return ok;
  state_ = State::kRunning;
  running_ = std::move(id);
  invocation_id_ = std::move(invocation_id);
  return {};
}

RuntimeApi::Verdict RuntimeApi::answer(Call call, std::string_view id, std::size_t size,
                                       std::string_view invocation_id) {
  if (auto ok = check(call); !ok) return ok;
  if (id != running_)
    return std::unexpected(Refusal{400, "InvalidRequestID", "Invalid request ID"});
  if (!invocation_id.empty() && invocation_id != invocation_id_)
    return std::unexpected(Refusal{410, "ErrorRuntimeInvokeTimeout",
                                   "the invocation id is not that of the running delivery"});
  state_ = State::kAnswered;
  running_.clear();
  if (size > kMaxAnswer)
    return std::unexpected(
        Refusal{413, "RequestEntityTooLarge",
                fmt::format("Exceeded maximum allowed payload size ({} bytes).", kMaxAnswer)});
  return {};
}

RuntimeApi::Verdict RuntimeApi::response(std::string_view id, std::size_t size,
                                         std::string_view invocation_id) {
  return answer(Call::kResponse, id, size, invocation_id);
}

RuntimeApi::Verdict RuntimeApi::error(std::string_view id, std::size_t size,
                                      std::string_view invocation_id) {
  return answer(Call::kError, id, size, invocation_id);
}

RuntimeApi::Verdict RuntimeApi::init_error() {
  if (auto ok = check(Call::kInitError); !ok) return ok;
  state_ = State::kInitError;
  return {};
}

void RuntimeApi::restarted() {
  state_ = State::kStarted;
  running_.clear();
}

}  // namespace trainwarden::localaws
