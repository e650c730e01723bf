// Lambda's Runtime API for one function, as a state machine without sockets. Every transition is
// disallowed unless the table in runtime_api.cc allows it; refusals carry AWS's status and error
// type.
//
//   Started ──next──► Ready ──deliver──► Running ──response, error──► Answered ──next──► Ready
//      └──init/error──► InitError
//
// next is safe to repeat: in Ready it waits on, in Running it gives the same invocation again. As
// in AWS's own emulator the state is looked at first, the request id second: an answer is 403
// outside Running, and 400 in Running with an id that is not the running one. Each delivery has an
// invocation id besides; an answer with that of another delivery is 410, one without is not
// checked.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace trainwarden::localaws {

// 6 MiB and 100 bytes: what an answer may have.
inline constexpr std::size_t kMaxAnswer = 6'291'556;

struct Refusal {
  int status;
  std::string type;
  std::string message;
};

class RuntimeApi {
 public:
  enum class State : std::uint8_t { kStarted, kInitError, kReady, kRunning, kAnswered };
  enum class Call : std::uint8_t { kNext, kDeliver, kResponse, kError, kInitError };
  using Verdict = std::expected<void, Refusal>;

  State state() const { return state_; }
  // The invocation that runs; empty outside Running.
  std::string_view running() const { return running_; }

  Verdict next();
  // An invocation goes out to a waiting next.
  Verdict deliver(std::string id, std::string invocation_id = {});
  // With a body of that many bytes. 413 ends the invocation all the same: no other answer may
  // follow.
  Verdict response(std::string_view id, std::size_t size, std::string_view invocation_id = {});
  Verdict error(std::string_view id, std::size_t size, std::string_view invocation_id = {});
  Verdict init_error();
  // Another process took the place of the last: whatever ran is gone.
  void restarted();

  static bool allowed(State state, Call call);

 private:
  Verdict check(Call call) const;
  Verdict answer(Call call, std::string_view id, std::size_t size, std::string_view invocation_id);

  State state_ = State::kStarted;
  std::string running_;
  std::string invocation_id_;
};

std::string_view name(RuntimeApi::State state);

}  // namespace trainwarden::localaws
