#include "tests/localaws/lambda/supervisor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/base/print.h"

namespace trainwarden::localaws {
namespace {

using std::chrono::milliseconds;

// After the n-th bad start: 100 ms, 200 ms … at most 2 s. A process that did its work is replaced
// at once.
milliseconds pause_after(int bad_starts) {
  if (bad_starts == 0) return milliseconds(0);
  return std::min(milliseconds(2000), milliseconds(100) * (1 << std::min(bad_starts - 1, 5)));
}

bool never_ready(const RuntimeApi& api) {
  return api.state() == RuntimeApi::State::kStarted || api.state() == RuntimeApi::State::kInitError;
}

}  // namespace

void log_line(std::string_view text) { print(stderr, fmt::format("localaws: {}\n", text)); }

Supervisor::Supervisor(Function& function, ProcessSpec spec)
    : function_(function), spec_(std::move(spec)), slots_(function.sessions()) {}

void Supervisor::kill() {
  for (Slot& slot : slots_) slot.process.kill();
}

std::vector<pid_t> Supervisor::pids() const {
  std::vector<pid_t> out;
  for (const Slot& slot : slots_) out.push_back(slot.process.pid());
  return out;
}

bool Supervisor::tick(sys_millis now) {
  if (function_.given_up()) return false;
  bool changed = false;
  for (std::size_t session = 0; session < slots_.size(); ++session) {
    Slot& slot = slots_[session];
    if (function_.time_out(now, session)) {
      log_line(fmt::format("[{}] timed out: its process is killed", function_.name()));
      slot.process.kill();
      bad_starts_ = 0;
      changed = true;
    }
    if (const auto how = slot.process.ended()) {
      ended(session, *how, now);
      changed = true;
    }
    if (!slot.process.running() && !function_.given_up() && now >= slot.start_at &&
        wanted(session, now)) {
      start(session, now);
      changed = true;
    }
  }
  return changed;
}

// A process that starts will be free soon.
bool Supervisor::wanted(std::size_t session, sys_millis now) const {
  if (session == 0) return true;
  std::size_t free = 0;
  for (std::size_t other = 0; other < slots_.size(); ++other)
    if (slots_[other].process.running() &&
        function_.api(other).state() != RuntimeApi::State::kRunning)
      ++free;
  return function_.due(now) > free;
}

void Supervisor::start(std::size_t session, sys_millis now) {
  Slot& slot = slots_[session];
  if (std::exchange(slot.started, true)) ++restarts_;
  ChildProcess::Hears hears;
  if (spec_.hears)
    hears = [hears = spec_.hears, session](std::string_view line) { hears(session, line); };
  if (auto started = slot.process.start(spec_.program, spec_.environments[session],
                                        fmt::format("[{}] ", function_.name()), std::move(hears));
      !started) {
    log_line(started.error().message);
    ended(session, "not started", now);
  }
}

void Supervisor::ended(std::size_t session, const std::string& how, sys_millis now) {
  bad_starts_ = never_ready(function_.api(session)) ? bad_starts_ + 1 : 0;
  function_.exited(how, now, session);
  slots_[session].start_at = now + pause_after(bad_starts_);
  if (bad_starts_ < kMaxBadStarts) {
    log_line(fmt::format("[{}] exited ({}); it is started again", function_.name(), how));
    return;
  }
  log_line(
      fmt::format("[{}] exited ({}) {} times in a row before it asked for an invocation: given "
                  "up. Its events become dead letters.",
                  function_.name(), how, bad_starts_));
  function_.give_up();
}

}  // namespace trainwarden::localaws
